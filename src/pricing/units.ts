import { parseDecimal } from '../core/cost/decimal.ts';
import type { PriceUnit, WrittenPrice, WrittenPrices } from '../core/cost/price.ts';
import type { LibraryPrices, LibraryTiers } from './library.ts';

/** Keys of the price list whose unit equals one of the gateway's. Other keys are not measured. */
const unitsByKey: Readonly<Record<string, PriceUnit>> = {
  input_mtok: 'input',
  cache_read_mtok: 'cached_input',
  cache_write_mtok: 'cache_write',
  cache_write_1h_mtok: 'cache_write_1h',
  output_mtok: 'output',
  output_reasoning_mtok: 'reasoning',
  input_audio_mtok: 'audio_in',
  cache_audio_read_mtok: 'cached_audio',
  output_audio_mtok: 'audio_out',
  input_image_mtok: 'image_in',
  cache_image_read_mtok: 'cached_image',
  output_image_mtok: 'image_out',
  web_searches_kcount: 'web_searches',
  storage_searches_kcount: 'file_searches',
};

/** Charges that the gateway does not count. A model with one of them gets no price, since any sum would be too low. */
const uncountedKeys = [
  'output_citation_mtok',
  'input_video_mtok',
  'output_video_mtok',
  'input_document_kpages',
  'input_text_messages_kcount',
];

export const isCounted = (listed: LibraryPrices): boolean => uncountedKeys.every((key) => listed[key] === undefined);

/** A price of the list in the gateway's units, with numbers as their shortest decimals. */
export function fromLibrary(listed: LibraryPrices, source: string): WrittenPrice {
  const prices: Record<string, string> = {};
  const tierPrices = new Map<number, Record<string, string>>();
  for (const [key, value] of Object.entries(listed)) {
    const unit = unitsByKey[key];
    const { base, tiers } = typeof value === 'number' ? { base: value, tiers: [] } : value;
    if (key === 'audio_hours' || key === 'input_audio_hours') prices['audio_minute'] = divide(base, 60n);
    if (key === 'requests_kcount') prices['request'] = divide(base, 1000n);
    if (unit === undefined) continue;
    prices[unit] = shortestDecimal(base);
    for (const { start, price } of tiers) {
      const row = tierPrices.get(start) ?? {};
      row[unit] = shortestDecimal(price);
      tierPrices.set(start, row);
    }
  }
  return {
    source,
    prices: prices as WrittenPrices,
    long: [...tierPrices].map(([above, row]) => ({ above, prices: row as WrittenPrices })),
  };
}

/** Removes floating-point noise, such as `0.18000000000000002` for `0.18`. No price has more than ten digits. */
const shortestDecimal = (value: LibraryTiers['base']): string => String(Number(value.toPrecision(10)));

/** Price of one unit from the list's price of a larger number of units. */
function divide(value: number, by: bigint): string {
  const pico = (parseDecimal(shortestDecimal(value)) ?? 0n) / by;
  return `${pico / 1_000_000_000_000n}.${(pico % 1_000_000_000_000n).toString().padStart(12, '0')}`;
}
