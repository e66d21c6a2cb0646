import type { PriceBook, PricedCall, PriceOverride } from '../core/cost/book.ts';
import { makePrice, type Price } from '../core/cost/price.ts';
import type { ListedPrices } from '../core/provider.ts';
import { BoundedCache } from '../core/memory/bounded-cache.ts';
import { libraryPrice, librarySource } from './library.ts';
import { pricePerCharacter, pricePerImage } from './supplementary-prices.ts';
import { fromLibrary, isCounted } from './units.ts';

/** Model names come from requests and responses, so the cache and the names looked up are bounded. */
const memoryBytes = 1024 * 1024;
const maxNameLength = 256;
/** Longest key of a call that is remembered as the last one, in characters. */
const maxCachedKeyLength = 1024;

/** How long a price is cached that depends on the date or time of day, in milliseconds. */
const variablePriceMs = 60_000;

interface CachedPrice {
  price: Price | undefined;
  /** Unix time in milliseconds. */
  until: number;
}

const freePrice = makePrice({ source: 'free of charge', prices: { input: '0', output: '0', characters: '0' }, images: { '*': '0' } });

/** Creates a price book: prices of the configuration take precedence over the price list. Results are cached per model. */
export function createPriceBook(overrides: readonly PriceOverride[]): PriceBook {
  const cache = new BoundedCache<CachedPrice>(memoryBytes);
  // The last call. The next one is often the same, and then no cache key is built.
  let last: PricedCall | undefined;
  let lastFound: CachedPrice | undefined;
  return Object.freeze({
    priceOf(call: PricedCall, at: number): Price | undefined {
      if (lastFound !== undefined && at < lastFound.until && last !== undefined && isSame(call, last)) return lastFound.price;
      const key = `${call.slug}\n${call.type}\n${call.model}\n${call.sent ?? ''}\n${call.foundation ?? ''}\n${call.answered ?? ''}`;
      const found = cache.get(key);
      const isFresh = found !== undefined && at < found.until;
      const entry = isFresh ? found : lookUp(overrides, call, at);
      if (found === undefined) cache.set(key, entry, key.length * 2 + 200);
      else if (!isFresh) Object.assign(found, entry);
      [last, lastFound] = [key.length > maxCachedKeyLength ? undefined : call, entry];
      return entry.price;
    },
  });
}

/** A provider that a request describes has its type as slug, which may also be the slug of another type in the file. */
const isSame = (one: PricedCall, other: PricedCall): boolean =>
  one.slug === other.slug &&
  one.type === other.type &&
  one.model === other.model &&
  one.sent === other.sent &&
  one.foundation === other.foundation &&
  one.answered === other.answered;

function lookUp(overrides: readonly PriceOverride[], call: PricedCall, at: number): CachedPrice {
  const override = overrideFor(overrides, call);
  if (override !== undefined) return { price: override.price, until: Number.POSITIVE_INFINITY };
  const { listed } = call;
  if (listed === 'none') return { price: freePrice, until: Number.POSITIVE_INFINITY };
  if (listed === undefined) return { price: undefined, until: Number.POSITIVE_INFINITY };
  const names = call.foundation === undefined ? [call.answered, call.sent ?? call.model] : [call.foundation];
  for (const name of names) {
    if (name === undefined || name === '' || name.length > maxNameLength) continue;
    const found = listedPrice(listed, name, at);
    if (found !== undefined) return found;
  }
  return { price: undefined, until: Number.POSITIVE_INFINITY };
}

/** Chooses an override. An exact name precedes a pattern, then the provider's name its type, and the type a model alone. */
function overrideFor(overrides: readonly PriceOverride[], { slug, type, ...call }: PricedCall): PriceOverride | undefined {
  if (overrides.length === 0) return undefined;
  const models = [...new Set([call.model, call.sent, call.foundation, call.answered])].filter(
    (name) => name !== undefined && name !== '' && name.length <= maxNameLength,
  );
  for (const exact of [true, false]) {
    for (const prefix of [`${slug}/`, `${type}/`, '']) {
      for (const each of overrides) {
        if (each.isExact === exact && models.some((name) => each.fits(prefix + name))) return each;
      }
    }
  }
  return undefined;
}

function listedPrice({ list, tiers = {}, soundApart = false }: ListedPrices, model: string, at: number): CachedPrice | undefined {
  const supplementary = pricePerImage(list, model) ?? pricePerCharacter(list, model);
  if (supplementary !== undefined) return { price: makePrice(supplementary), until: Number.POSITIVE_INFINITY };
  const listed = libraryPrice(list, model, at);
  if (listed === undefined) return undefined;
  const price = isCounted(listed.prices) ? makePrice({ ...fromLibrary(listed.prices, librarySource), tiers, soundApart }) : undefined;
  return { price, until: listed.changes ? at + variablePriceMs : Number.POSITIVE_INFINITY };
}
