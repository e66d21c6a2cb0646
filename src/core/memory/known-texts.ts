/** Maximum number of texts, and maximum length of one in characters. */
const maxTexts = 256;
const maxTextLength = 128;

/** A small set of short texts with a known property, because requests contain the same few paths and models again and again. */
export class KnownTexts {
  readonly #known = new Set<string>();

  has(text: string): boolean {
    return text.length <= maxTextLength && this.#known.has(text);
  }

  add(text: string): void {
    if (text.length > maxTextLength) return;
    if (this.#known.size >= maxTexts) this.#known.clear();
    this.#known.add(text);
  }
}
