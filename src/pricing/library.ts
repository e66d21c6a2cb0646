import { createRequire } from 'node:module';
import type * as Library from '@pydantic/genai-prices';
import { isPlain } from '../core/json/merge.ts';

export type LibraryPrices = Readonly<Record<string, number | LibraryTiers>>;

/** `base` up to the first `start` of input tokens; the whole request costs what the tier says that it reaches beyond. */
export interface LibraryTiers {
  readonly base: number;
  readonly tiers: readonly { readonly start: number; readonly price: number }[];
}

export interface LibraryPrice {
  readonly prices: LibraryPrices;
  /** The price is another one at other times of the day, or from a date on. */
  readonly changes: boolean;
}

export const librarySource = 'genai-prices 0.1.8';

const load = createRequire(import.meta.url);

/** The first call reads the list, which takes some 20 ms. */
const library = (): typeof Library => load('@pydantic/genai-prices') as typeof Library;

/** The price list that comes with the gateway: 2 MB, read when the first price is asked for. Never uses the network. */
export function libraryPrice(provider: string, model: string, at: number): LibraryPrice | undefined {
  const { findProvider, calcPrice } = library();
  const found = findProvider({ providerId: provider });
  // The library takes the first provider whose pattern fits where an id is not its own: such a price is another service's.
  if (found?.id !== provider) return undefined;
  try {
    const price = calcPrice({}, model, { providerId: provider, timestamp: new Date(at) });
    if (price === null || !isPlain(price.model_price)) return undefined;
    return { prices: price.model_price as LibraryPrices, changes: Array.isArray(price.model.prices) };
  } catch {
    return undefined;
  }
}

export function warmPrices(): void {
  library();
}
