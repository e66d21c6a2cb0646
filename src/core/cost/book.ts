import type { ProviderPrices } from '../provider.ts';
import type { Price } from './price.ts';

/** What a price is looked up by. */
export interface PricedCall {
  /** Slug and type of the provider. */
  readonly slug: string;
  readonly type: string;
  /** What the provider says of its prices. */
  readonly listed: ProviderPrices | undefined;
  /** As it was asked of the target, and as it went upstream. */
  readonly model: string;
  readonly sent: string | undefined;
  /** That its deployment is made of. */
  readonly foundation: string | undefined;
  /** That the response names. */
  readonly answered: string | undefined;
}

/** The prices of one configuration. */
export interface PriceBook {
  /**
   * A price of the file, else of the list that comes with the gateway: by the foundation model, else by what the response
   * names, else by what was sent. Undefined: unknown.
   *
   * @param at Unix milliseconds: prices change at dates, and some with the time of the day
   */
  priceOf(call: PricedCall, at: number): Price | undefined;
}

/** A price of the file, and what it is for. */
export interface PriceOverride {
  /** `azure-eu/gpt-4o-mini`, `azure-openai/gpt-4o*`, `gpt-4o`. */
  readonly pattern: string;
  /** Of the whole name. */
  fits(name: string): boolean;
  /** Without special characters: stronger than every pattern. */
  readonly isExact: boolean;
  readonly price: Price;
}

export const noPrices: PriceBook = Object.freeze({ priceOf: () => undefined });
