import type { ProviderPrices } from '../provider/entry.ts';
import type { Price } from './price.ts';

/** Facts for a price lookup. */
export interface PricedCall {
  /** Slug of the provider; `type` is its type. */
  readonly slug: string;
  readonly type: string;
  /** The provider's pricing metadata. */
  readonly listed: ProviderPrices | undefined;
  /** The model requested of the target; `sent` is the upstream name. */
  readonly model: string;
  readonly sent: string | undefined;
  /** Base model of the deployment. */
  readonly foundation: string | undefined;
  /** The model named in the response. */
  readonly answered: string | undefined;
}

/** The prices of one configuration. */
export interface PriceBook {
  /**
   * Returns a price from the configuration, or else from the bundled list: by the foundation model, else by the model
   * named in the response, else by the one sent. Undefined: unknown.
   *
   * @param at Unix milliseconds: prices change on dates, and some by time of day
   */
  priceOf(call: PricedCall, at: number): Price | undefined;
}

/** A price in the configuration, and the models to which it applies. */
export interface PriceOverride {
  /** Matches the whole name, such as `azure-eu/gpt-4o-mini` or `gpt-4o`. */
  fits(name: string): boolean;
  /** Without wildcards: takes precedence over every pattern. */
  readonly isExact: boolean;
  readonly price: Price;
}

export const noPrices: PriceBook = Object.freeze({ priceOf: () => undefined });
