import { decimalText, parseDecimal } from './decimal.ts';

/** What a provider can charge for, each with the number of units that its price is written for. */
export const priceUnits = {
  input: 1_000_000,
  cached_input: 1_000_000,
  /** Kept for five minutes, or for as long as the service has it. */
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
  /** Characters of text that becomes speech. */
  characters: 1_000_000,
  /** Seconds of sound that becomes text, counted in milliseconds: a price for a minute. */
  audio_minute: 60_000,
  web_searches: 1000,
  file_searches: 1000,
  request: 1,
} as const;

export type PriceUnit = keyof typeof priceUnits;

export const unitNames = Object.keys(priceUnits) as readonly PriceUnit[];

/** Every denominator of `priceUnits` divides it: sums are whole numbers of this part of a picodollar. */
export const scale = 3_600_000_000n;

/** The price of one unit. */
export interface Rate {
  /** Picodollars of one unit, where that is a whole number which sums of ordinary size keep exact; else NaN. */
  readonly each: number;
  /** The same times `scale`. */
  readonly exact: bigint;
}

/** Prices that hold together: those of a size of request. */
export interface Rates {
  readonly rates: Partial<Readonly<Record<PriceUnit, Rate>>>;
  /** For people: as written, exact decimals in USD for as many units as `priceUnits` says. */
  readonly shown: Readonly<Record<string, string>>;
}

/** What one model costs at one provider. */
export interface Price extends Rates {
  /** Where it is from. */
  readonly source: string;
  /** The same where usage was not reported. */
  readonly estimated: string;
  /** For requests with more input tokens than `above`: largest first. */
  readonly long: readonly (Rates & { readonly above: number })[];
  /** By what the provider calls its service tier: part of the price, in 12th decimal places (half is 500,000,000,000). */
  readonly tiers: Readonly<Record<string, bigint>>;
  /** Sound has a price of its own: where it is not here, it is unknown. */
  readonly soundApart: boolean;
  /** Of one picture, by `<size>/<quality>`, `<size>` or `*`. */
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

/** Compiles a price. What is written as no exact decimal is left out, as if it were unknown. */
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
    // A long request pays what it has no price of its own for as a short one does.
    long: long
      .toSorted((one, other) => other.above - one.above)
      .map(({ above, prices: own }) => Object.freeze({ above, ...ratesOf({ ...prices, ...own }) })),
    tiers: Object.fromEntries(
      Object.entries(tiers).flatMap(([name, factor]): [string, bigint][] => {
        const parsed = parseDecimal(factor);
        return parsed === undefined ? [] : [[name, parsed]];
      }),
    ),
    images: Object.fromEntries(rows.map(([name, rate]) => [name, rate])),
  });
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
