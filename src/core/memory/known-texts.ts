/** Maximum number of texts, and maximum length of one in characters. */
const most = 256;
const longest = 128;

/** A small set of short texts with a known property, because requests contain the same few paths and models again and again. */
export class KnownTexts {
  readonly #known = new Set<string>();

  has(text: string): boolean {
    return text.length <= longest && this.#known.has(text);
  }

  add(text: string): void {
    if (text.length > longest) return;
    if (this.#known.size >= most) this.#known.clear();
    this.#known.add(text);
  }
}
