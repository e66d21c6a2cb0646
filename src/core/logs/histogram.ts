/** Each bucket ends 10 % above the previous one: its midpoint is within 5 % of all its values. */
const growth = Math.log(1.1);
/** Smallest distinguished time, in milliseconds. */
const least = 0.1;
/** The last bucket contains all times from about four hours on. */
const last = 200;

/** Scale for a database that builds the buckets itself: ⌈ln(time / least) / growth⌉, at most `last`, and 0 up to `least`. */
export const histogramScale = { growth, least, last } as const;

/** Counts of times in buckets of exponentially growing width: its size is limited, and two can be added exactly. */
export class Histogram {
  readonly #counts = new Map<number, number>();
  #total = 0;

  /** @param ms milliseconds */
  add(ms: number): void {
    this.#addTo(bucketOf(ms), 1);
  }

  addAll(other: Histogram): void {
    for (const [index, count] of other.#counts) this.#addTo(index, count);
  }

  /** Removes the times of a histogram that was added. */
  subtract(other: Histogram): void {
    for (const [index, count] of other.#counts) this.#addTo(index, -count);
  }

  /** Adds the result of another histogram's `toString`; invalid parts are ignored. */
  addText(text: string): void {
    for (let from = 0; from < text.length; ) {
      const comma = text.indexOf(',', from);
      const to = comma === -1 ? text.length : comma;
      const colon = text.indexOf(':', from);
      const index = integerIn(text, from, colon);
      const count = integerIn(text, colon + 1, to);
      if (colon > from && colon < to && index <= last && count >= 0) this.#addTo(index, count);
      from = to + 1;
    }
  }

  /** Returns the time in milliseconds below which this share of all times lies; null if there are none. */
  quantile(share: number): number | null {
    if (this.#total === 0) return null;
    let remaining = Math.max(1, Math.ceil(share * this.#total));
    for (const index of [...this.#counts.keys()].toSorted((a, b) => a - b)) {
      remaining -= this.#counts.get(index) ?? 0;
      if (remaining <= 0) return midpointOf(index);
    }
    return null;
  }

  /** Serializes buckets and counts: `12:3,40:1`. */
  toString(): string {
    let text = '';
    for (const [index, count] of this.#counts) text += text === '' ? `${index}:${count}` : `,${index}:${count}`;
    return text;
  }

  #addTo(index: number, count: number): void {
    this.#counts.set(index, (this.#counts.get(index) ?? 0) + count);
    this.#total += count;
  }
}

/** Parses the digits between two offsets; returns NaN for any other text. */
function integerIn(text: string, from: number, to: number): number {
  let value = from < to && to - from < 16 ? 0 : Number.NaN;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    value = digit >= 0 && digit <= 9 ? value * 10 + digit : Number.NaN;
  }
  return value;
}

function bucketOf(ms: number): number {
  if (!(ms > least)) return 0;
  return Math.min(last, Math.ceil(Math.log(ms / least) / growth - 1e-9));
}

function midpointOf(index: number): number {
  if (index === 0) return least;
  // Geometric mean of the bucket's limits.
  const ms = least * Math.exp((index - 0.5) * growth);
  return Math.round(ms * 100) / 100;
}
