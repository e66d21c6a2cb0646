import type { PriceOverride } from '../../../core/cost/book.ts';
import { makePrice, type WrittenPrices, unitNames } from '../../../core/cost/price.ts';
import type { PriceEntry } from '../../schema/index.ts';
import { compileGlob, literalOf } from './glob.ts';

/** Compiles `pricing:`, in the order of the file. */
export function compilePricing(entries: Readonly<Record<string, PriceEntry>> = {}): readonly PriceOverride[] {
  return Object.freeze(
    Object.entries(entries).map(([pattern, entry]) =>
      Object.freeze({
        fits: compileGlob(pattern),
        isExact: literalOf(pattern) !== undefined,
        price: makePrice({
          source: sourceOf(pattern, entry),
          prices: pricesOf(entry),
          long: longContextOf(entry),
          tiers: {
            ...entry.service_tiers,
            ...(entry.batch_discount === undefined ? {} : { batch: discountFactor(entry.batch_discount) }),
          },
          images: typeof entry.image === 'object' ? entry.image : entry.image === undefined ? {} : { '*': entry.image },
        }),
      }),
    ),
  );
}

/** Prices of long requests. What a row leaves out costs the same as in the row for shorter requests. */
function longContextOf({ long_context: rows = [], ...entry }: PriceEntry): { readonly above: number; readonly prices: WrittenPrices }[] {
  let known: object = entry;
  return rows
    .toSorted((one, other) => one.above - other.above)
    .map(({ above, ...prices }) => {
      known = { ...known, ...prices };
      return { above, prices: pricesOf(known) };
    });
}

/** Factor that remains after a discount, as a decimal with six digits. */
const discountFactor = (discount: number): string => (1 - discount).toFixed(6);

function pricesOf(entry: object): WrittenPrices {
  const known = Object.entries(entry).filter(([name]) => (unitNames as readonly string[]).includes(name));
  const prices: WrittenPrices = Object.fromEntries(known);
  const cacheWrite = prices.cache_write_1h ?? prices.cache_write ?? prices.input;
  return cacheWrite === undefined ? prices : { ...prices, cache_write_1h: cacheWrite };
}

function sourceOf(pattern: string, { source, date }: PriceEntry): string {
  const details = [source, date].filter((each) => each !== undefined).join(', ');
  return details === '' ? `pricing: ${pattern}` : `pricing: ${pattern} (${details})`;
}
