/** Texts are indexed by this many first characters, shorter ones by all of them. */
const prefixLength = 8;
const minLength = 4;

/** Finds known texts in other texts. The cost of a search hardly grows with their number, even if many share a prefix. */
export class KnownTextRedactor {
  readonly #all: ReadonlySet<string>;
  /** Lengths of all texts, the largest first. */
  readonly #lengths: readonly number[];
  /** Texts by their first characters, sorted. */
  readonly #groups = new Map<string, string[]>();

  /** @param texts those shorter than 4 characters are ignored */
  constructor(texts: Iterable<string>) {
    this.#all = new Set([...texts].filter(({ length }) => length >= minLength));
    this.#lengths = [...new Set([...this.#all].map(({ length }) => length))].toSorted((a, b) => b - a);
    for (const text of [...this.#all].toSorted(compareText)) {
      const key = text.slice(0, prefixLength);
      const group = this.#groups.get(key);
      if (group === undefined) this.#groups.set(key, [text]);
      else group.push(text);
    }
  }

  /** The text with an asterisk for each character of a known text. */
  mask(text: string): string {
    if (this.#all.size === 0) return text;
    let shown = '';
    let hidden = 0;
    for (let at = 0; at < text.length; at += 1) {
      if (this.#groupAt(text, at) !== undefined) hidden = Math.max(hidden, at + this.#matchLengthAt(text, at));
      shown += at < hidden ? '*' : text.charAt(at);
    }
    return shown;
  }

  /** The text with an ellipsis for each known text, even if its end is cut off. */
  redact(text: string): string {
    if (this.#all.size === 0) return text;
    let shown = '';
    for (let at = 0; at < text.length; at += 1) {
      const length = longestPrefix(this.#groupAt(text, at) ?? [], text, at);
      shown += length === 0 ? text.charAt(at) : '…';
      at += Math.max(0, length - 1);
    }
    return shown;
  }

  #groupAt(text: string, at: number): readonly string[] | undefined {
    for (let size = prefixLength; size >= minLength; size -= 1) {
      const group = this.#groups.get(text.slice(at, at + size));
      if (group !== undefined) return group;
    }
    return undefined;
  }

  #matchLengthAt(text: string, at: number): number {
    return this.#lengths.find((length) => this.#all.has(text.slice(at, at + length))) ?? 0;
  }
}

/**
 * Length of the longest prefix of one of the sorted texts found at this position. The text with the longest common
 * prefix is adjacent to the insertion point.
 */
function longestPrefix(sorted: readonly string[], text: string, at: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const known = sorted[middle] ?? '';
    if (compareText(known, text.slice(at, at + known.length)) <= 0) low = middle + 1;
    else high = middle;
  }
  return Math.max(sharedLength(sorted[low - 1], text, at), sharedLength(sorted[low], text, at));
}

function sharedLength(known: string | undefined, text: string, at: number): number {
  let length = 0;
  while (known !== undefined && length < known.length && known.charCodeAt(length) === text.charCodeAt(at + length)) length += 1;
  return length;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
