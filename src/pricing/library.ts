import { createRequire } from 'node:module';
import type * as Library from '@pydantic/genai-prices';
import { isJsonObject } from '../core/json/merge.ts';

export type LibraryPrices = Readonly<Record<string, number | LibraryTiers>>;

/** `base` applies up to the first `start` of input tokens. Beyond it, the whole request has the price of the highest tier it exceeds. */
export interface LibraryTiers {
  readonly base: number;
  readonly tiers: readonly { readonly start: number; readonly price: number }[];
}

export interface LibraryPrice {
  readonly prices: LibraryPrices;
  /** The price depends on the time of day or on the date. */
  readonly changes: boolean;
}

export const librarySource = 'genai-prices 0.1.8';

const load = createRequire(import.meta.url);

/** Loads the library on first use, which takes about 20 ms. */
const library = (): typeof Library => load('@pydantic/genai-prices') as typeof Library;

/** Price from the built-in price list (2 MB, loaded on first use). Never uses the network. */
export function libraryPrice(provider: string, model: string, at: number): LibraryPrice | undefined {
  const { findProvider, calcPrice } = library();
  const found = findProvider({ providerId: provider });
  // For an unknown id, the library returns the first provider whose pattern matches: that price is for another service.
  if (found?.id !== provider) return undefined;
  try {
    const price = calcPrice({}, model, { providerId: provider, timestamp: new Date(at) });
    if (price === null || !isJsonObject(price.model_price)) return undefined;
    return { prices: price.model_price as LibraryPrices, changes: Array.isArray(price.model.prices) };
  } catch {
    return undefined;
  }
}

/** Largest number of tokens of input and output, from the same list; undefined if unknown. */
export function contextLength(provider: string, model: string): number | undefined {
  const { findProvider, calcPrice } = library();
  if (findProvider({ providerId: provider })?.id !== provider) return undefined;
  try {
    return calcPrice({}, model, { providerId: provider })?.model.context_window;
  } catch {
    return undefined;
  }
}

export function preloadPrices(): void {
  library();
}
