import type { CostRecord, UsageRecord } from '../records/record.ts';
import { decimalText } from './decimal.ts';
import { type Price, type PriceUnit, type Rate, type Rates, scale } from './price.ts';

/** Cost of a request that used nothing billable. */
export const free: CostRecord = Object.freeze({ usd: '0', source: null, prices: Object.freeze({}) });

export const unknownCost: CostRecord = Object.freeze({ usd: null, source: null, prices: Object.freeze({}) });

/** Larger counts are treated as invalid: no service accepts requests of a million million tokens. */
const maxUnits = 1e12;

/** Maximum cost of a request, about nine million dollars: the range of a signed 64-bit integer. */
const maxPico = 9_000_000_000_000_000_000n;

/** Service tiers with the list price. */
const listPriceTiers: ReadonlySet<string> = new Set(['default', 'standard', 'auto', 'on_demand']);

/** Computes the cost of this usage, to the picodollar. `usd` is null if any part has no known price; it is never a partial sum. */
export function costOf(usage: UsageRecord, price: Price | undefined): CostRecord {
  if (price === undefined) return unknownCost;
  const rates = ratesFor(price, usage.prompt);
  const source = usage.source === 'estimated' ? price.estimated : price.source;
  const tier = usage.details?.tier;
  const factor = tier === undefined || tier === null || listPriceTiers.has(tier) ? undefined : factorOf(price, tier);
  const isKnown = factor !== undefined || tier === undefined || tier === null || listPriceTiers.has(tier);
  const sum = isKnown ? new Sum(rates, price).of(usage) : undefined;
  return { usd: sum?.text(factor) ?? null, source, prices: rates.shown };
}

/** True for models that are billed only by audio duration: reported tokens cost nothing. */
const isBilledByDuration = (rates: Partial<Readonly<Record<PriceUnit, Rate>>>, details: UsageRecord['details']): boolean =>
  rates.audio_minute !== undefined && rates.input === undefined && rates.output === undefined && count(details?.seconds) > 0;

/** Looks up a tier's factor; tier names are chosen by providers, so inherited properties are excluded. */
const factorOf = ({ tiers }: Price, tier: string): bigint | undefined => (Object.hasOwn(tiers, tier) ? tiers[tier] : undefined);

function ratesFor(price: Price, prompt: number): Rates {
  for (const long of price.long) if (prompt > long.above) return long;
  return price;
}

class Sum {
  readonly #rates: Partial<Readonly<Record<PriceUnit, Rate>>>;
  /** Sum in picodollars, while every part and the sum are exact as numbers. */
  #pico = 0;
  /** The remaining parts, in units of 1/`scale` picodollar. */
  #exact = 0n;
  /** Charges to which the factor of a service tier does not apply, in the same units. */
  #fixed = 0n;
  #isUnknown = false;

  readonly #price: Price;

  constructor({ rates }: Rates, price: Price) {
    this.#rates = rates;
    this.#price = price;
  }

  /** Adds all parts of the usage. Returns undefined if a part has no price. */
  of(usage: UsageRecord): this | undefined {
    const rates = this.#rates;
    const { details } = usage;
    if (!isBilledByDuration(rates, details)) {
      this.#input(usage);
      this.#output(usage);
    }
    if (details !== undefined) {
      // In milliseconds, so that reported fractions of a second become whole numbers.
      if (rates.audio_minute !== undefined) this.#add(milliseconds(details.seconds), rates.audio_minute);
      const hasTokens = usage.prompt + usage.completion > 0;
      // Speech that reports its tokens is billed by them.
      if (!hasTokens || rates.characters !== undefined) this.#add(count(details.characters), rates.characters);
      this.#addFixed(count(details.web_searches), rates.web_searches);
      this.#addFixed(count(details.file_searches), rates.file_searches);
      this.#addFixed(count(details.containers), rates.container);
      if (count(details.transcripts) + count(details.tool_images) > 0) return undefined;
      const images = count(details.images);
      if (images > 0 && !hasTokens) this.#add(images, imageRate(this.#price.images, details.image ?? ''));
      if (count(details.seconds) > 0 && rates.audio_minute === undefined) return undefined;
    }
    if (rates.request !== undefined) this.#add(1, rates.request);
    return this.#isUnknown ? undefined : this;
  }

  /** If parts are larger than their whole, the parts are used. */
  #input(usage: UsageRecord): void {
    const rates = this.#rates;
    const { details } = usage;
    const prompt = count(usage.prompt);
    const cached = count(usage.cached);
    const written = count(usage.cache_write);
    const audio = count(usage.audio_in);
    if (cached + written + audio === 0 && details === undefined) {
      this.#add(prompt, rates.input);
      return;
    }
    const images = rates.image_in === undefined ? 0 : count(details?.image_in);
    const cachedAudio = Math.min(count(details?.cached_audio), cached, audio);
    const cachedImages = Math.min(count(details?.cached_images), cached - cachedAudio, images);
    const hour = Math.min(count(details?.cache_write_1h), written);
    const plain = prompt - cached - written - (audio - cachedAudio) - (images - cachedImages);
    this.#add(Math.max(0, plain), rates.input);
    this.#add(cached - cachedAudio - cachedImages, rates.cached_input ?? rates.input);
    this.#add(cachedAudio, rates.cached_audio ?? rates.cached_input ?? rates.audio_in ?? rates.input);
    this.#add(cachedImages, rates.cached_image ?? rates.cached_input ?? rates.image_in ?? rates.input);
    this.#add(written - hour, rates.cache_write ?? rates.input);
    this.#add(hour, rates.cache_write_1h);
    this.#add(audio - cachedAudio, rates.audio_in ?? (this.#price.soundApart ? undefined : rates.input));
    this.#add(images - cachedImages, rates.image_in);
  }

  #output(usage: UsageRecord): void {
    const rates = this.#rates;
    const completion = count(usage.completion);
    const audio = count(usage.audio_out);
    const images = rates.image_out === undefined ? 0 : count(usage.details?.image_out);
    const reasoning = rates.reasoning === undefined ? 0 : count(usage.reasoning);
    this.#add(Math.max(0, completion - audio - images - reasoning), rates.output);
    this.#add(audio, rates.audio_out ?? (this.#price.soundApart ? undefined : rates.output));
    this.#add(images, rates.image_out);
    this.#add(reasoning, rates.reasoning);
  }

  #add(units: number, rate: Rate | undefined): void {
    if (units === 0) return;
    if (rate === undefined || units > maxUnits) {
      this.#isUnknown = true;
      return;
    }
    const sum = this.#pico + units * rate.each;
    if (sum <= Number.MAX_SAFE_INTEGER) this.#pico = sum;
    else this.#exact += BigInt(units) * rate.exact;
  }

  #addFixed(units: number, rate: Rate | undefined): void {
    if (units === 0) return;
    if (rate === undefined || units > maxUnits) this.#isUnknown = true;
    else this.#fixed += BigInt(units) * rate.exact;
  }

  /** Rounds half up to picodollars. @param factor in units of 1e-12 */
  text(factor: bigint | undefined): string | undefined {
    if (this.#exact === 0n && this.#fixed === 0n && factor === undefined) return decimalText(this.#pico);
    const unit = factor === undefined ? 1n : 1_000_000_000_000n;
    const exact = (this.#exact + BigInt(this.#pico) * scale) * (factor ?? 1n) + this.#fixed * unit;
    const divisor = scale * unit;
    const pico = (exact + divisor / 2n) / divisor;
    return pico > maxPico ? undefined : decimalText(pico);
  }
}

function imageRate(images: Price['images'], variant: string): Rate | undefined {
  const [size = '', quality = ''] = variant.split('/');
  const rateOf = (name: string): Rate | undefined => (Object.hasOwn(images, name) ? images[name] : undefined);
  return rateOf(variant) ?? rateOf(`*/${quality}`) ?? rateOf(size) ?? rateOf('*');
}

/** Rounds up to whole milliseconds, after removing floating-point errors. */
const milliseconds = (seconds: number | undefined): number => count(Number(((seconds ?? 0) * 1000).toPrecision(12)));

/** Returns a valid count; any other value is 0. */
function count(value: number | undefined): number {
  return value !== undefined && value > 0 && value < Number.POSITIVE_INFINITY ? Math.ceil(value) : 0;
}
