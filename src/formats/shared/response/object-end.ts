const quote = 0x22;
const backslash = 0x5c;

/** Finds the end of a JSON object that arrives in fragments, which may be cut anywhere. */
export class ObjectEnd {
  #depth = 0;
  #hasBegun = false;
  #inString = false;
  #isEscaped = false;

  /** True once the object is complete. Always false for text without an object or list. */
  get isReached(): boolean {
    return this.#hasBegun && this.#depth === 0;
  }

  push(text: string): void {
    for (let at = 0; at < text.length; at += 1) {
      const c = text.charCodeAt(at);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#inString) {
        if (c === backslash) this.#isEscaped = true;
        else if (c === quote) this.#inString = false;
      } else if (c === quote) this.#inString = true;
      else if (c === 0x7b || c === 0x5b) {
        this.#depth += 1;
        this.#hasBegun = true;
      } else if (c === 0x7d || c === 0x5d) this.#depth -= 1;
    }
  }
}
