/** Each class ends 10 % above the one before: its middle is within 5 % of all that is in it. */
const growth = Math.log(1.1);
/** Shorter times count as this one, in milliseconds. */
const least = 0.1;
/** The last class holds everything from four hours on. */
const last = 200;

/** For a database that counts by itself: the class of a time is ⌈ln(time / least) / growth⌉, at most `last`, 0 up to `least`. */
export const histogramScale = { growth, least, last } as const;

/** How often times occurred, by classes that grow with them: bounded, and sums of two are exact. */
export class Histogram {
  readonly #counts = new Map<number, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** @param ms milliseconds */
  add(ms: number, count = 1): void {
    this.#addTo(classOf(ms), count);
  }

  addAll(other: Histogram): void {
    for (const [index, count] of other.#counts) this.#addTo(index, count);
  }

  /** Adds what `toString` of another one gave; what is no such text adds nothing. */
  addText(text: string): void {
    for (let from = 0; from < text.length; ) {
      const comma = text.indexOf(',', from);
      const to = comma === -1 ? text.length : comma;
      const colon = text.indexOf(':', from);
      const index = wholeIn(text, from, colon);
      const count = wholeIn(text, colon + 1, to);
      if (colon > from && colon < to && index <= last && count >= 0) this.#addTo(index, count);
      from = to + 1;
    }
  }

  /** Milliseconds below which this share of all times lies; null where there are none. */
  quantile(share: number): number | null {
    if (this.#total === 0) return null;
    let left = Math.max(1, Math.ceil(share * this.#total));
    for (const index of [...this.#counts.keys()].toSorted((a, b) => a - b)) {
      left -= this.#counts.get(index) ?? 0;
      if (left <= 0) return middleOf(index);
    }
    return null;
  }

  /** `12:3,40:1`: class and count. */
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

/** The digits between two offsets as a number; NaN where there is something else. */
function wholeIn(text: string, from: number, to: number): number {
  let value = from < to && to - from < 16 ? 0 : Number.NaN;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    value = digit >= 0 && digit <= 9 ? value * 10 + digit : Number.NaN;
  }
  return value;
}

function classOf(ms: number): number {
  if (!(ms > least)) return 0;
  return Math.min(last, Math.ceil(Math.log(ms / least) / growth - 1e-9));
}

function middleOf(index: number): number {
  if (index === 0) return least;
  // Between the ends of this class and of the one before, as their geometric mean.
  const ms = least * Math.exp((index - 0.5) * growth);
  return Math.round(ms * 100) / 100;
}
