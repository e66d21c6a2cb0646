/** Texts that are remembered, and characters of one. */
const most = 256;
const longest = 128;

/** Short texts of which something is known: requests name the same few paths and models again and again. */
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
