import { decimalText, parseDecimal } from './decimal.ts';

/** What a provider can charge for, each with the number of units to which its price refers. */
export const priceUnits = {
  input: 1_000_000,
  cached_input: 1_000_000,
  /** With a time to live of five minutes, or the service's default. */
  cache_write: 1_000_000,
  cache_write_1h: 1_000_000,
  output: 1_000_000,
  reasoning: 1_000_000,
  audio_in: 1_000_000,
  cached_audio: 1_000_000,
  audio_out: 1_000_000,
  image_in: 1_000_000,
  cached_image: 1_000_000,
  image_out: 1_000_000,
  /** Characters of text converted to speech. */
  characters: 1_000_000,
  /** Duration of transcribed audio in milliseconds; the price is per minute. */
  audio_minute: 60_000,
  web_searches: 1000,
  file_searches: 1000,
  container: 1,
  request: 1,
} as const;

export type PriceUnit = keyof typeof priceUnits;

export const unitNames = Object.keys(priceUnits) as readonly PriceUnit[];

/** Divisible by every value of `priceUnits`: sums are integers in units of 1/`scale` picodollar. */
export const scale = 3_600_000_000n;

/** The price of one unit. */
export interface Rate {
  /** Picodollars per unit, if that is an integer small enough for exact sums; else NaN. */
  readonly each: number;
  /** The same times `scale`. */
  readonly exact: bigint;
}

/** A set of prices, for one range of request sizes. */
export interface Rates {
  readonly rates: Partial<Readonly<Record<PriceUnit, Rate>>>;
  /** For display: exact decimals in USD per number of units in `priceUnits`. */
  readonly shown: Readonly<Record<string, string>>;
}

/** The prices of one model at one provider. */
export interface Price extends Rates {
  /** Source of the price. */
  readonly source: string;
  /** The source text if usage was estimated. */
  readonly estimated: string;
  /** For requests with more input tokens than `above`: largest first. */
  readonly long: readonly (Rates & { readonly above: number })[];
  /** Price factor by the provider's name of the service tier, in units of 1e-12 (half is 500,000,000,000). */
  readonly tiers: Readonly<Record<string, bigint>>;
  /** Audio tokens are priced separately: without a price for them, their cost is unknown. */
  readonly soundApart: boolean;
  /** Price per image, by `<size>/<quality>`, `<size>` or `*`. */
  readonly images: Readonly<Record<string, Rate>>;
}

/** Prices by unit as written, in USD. */
export type WrittenPrices = Partial<Readonly<Record<PriceUnit, string | number>>>;

export interface WrittenPrice {
  readonly source: string;
  readonly prices: WrittenPrices;
  readonly long?: readonly { readonly above: number; readonly prices: WrittenPrices }[];
  readonly tiers?: Readonly<Record<string, string | number>>;
  readonly images?: Readonly<Record<string, string | number>>;
  readonly soundApart?: boolean;
}

/** Compiles a price. Values that are not exact decimals are omitted, as if they were unknown. */
export function makePrice({ source, prices, long = [], tiers = {}, images = {}, soundApart = false }: WrittenPrice): Price {
  const rows = Object.entries(images).flatMap(([name, written]): [string, Rate, string][] => {
    const pico = parseDecimal(written);
    return pico === undefined ? [] : [[name, rateOf(pico, 1), decimalText(pico)]];
  });
  const base = ratesOf(prices);
  const pictures = Object.fromEntries(rows.map(([name, , text]) => [name === '*' ? 'image' : `image ${name}`, text]));
  return Object.freeze({
    source,
    estimated: `${source}, usage estimated`,
    soundApart,
    rates: base.rates,
    shown: Object.freeze({ ...base.shown, ...pictures }),
    long: longRates(prices, long),
    tiers: Object.fromEntries(
      Object.entries(tiers).flatMap(([name, factor]): [string, bigint][] => {
        const parsed = parseDecimal(factor);
        return parsed === undefined ? [] : [[name, parsed]];
      }),
    ),
    images: Object.fromEntries(rows.map(([name, rate]) => [name, rate])),
  });
}

/** Rates of long requests. Units without a price of their own have that of the row for shorter requests. */
function longRates(prices: WrittenPrices, rows: NonNullable<WrittenPrice['long']>): Price['long'] {
  let known = prices;
  const rates = rows
    .toSorted((one, other) => one.above - other.above)
    .map(({ above, prices: own }) => {
      known = { ...known, ...own };
      return Object.freeze({ above, ...ratesOf(known) });
    });
  return rates.toReversed();
}

function ratesOf(prices: WrittenPrices): Rates {
  const rates: Partial<Record<PriceUnit, Rate>> = {};
  const shown: Record<string, string> = {};
  for (const name of unitNames) {
    const written = prices[name];
    const pico = written === undefined ? undefined : parseDecimal(written);
    if (pico === undefined) continue;
    rates[name] = rateOf(pico, priceUnits[name]);
    shown[name] = decimalText(pico);
  }
  return { rates, shown: Object.freeze(shown) };
}

function rateOf(pico: bigint, per: number): Rate {
  const exact = (pico * scale) / BigInt(per);
  const isWhole = exact % scale === 0n && exact / scale <= BigInt(Number.MAX_SAFE_INTEGER);
  return Object.freeze({ each: isWhole ? Number(exact / scale) : Number.NaN, exact });
}
