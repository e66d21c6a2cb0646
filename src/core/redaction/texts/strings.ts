/** JSON strings in their written form. Their content is decoded only if it has escapes. */

const backslash = 0x5c;

/** Decodes the content of a string (without its quotes). Invalid escapes are decoded leniently. */
export function decoded(raw: string): string {
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return decodeLeniently(raw);
  }
}

/** Decodes truncated or malformed content. */
function decodeLeniently(raw: string): string {
  return raw.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.)|$)/gs, (_, code: string | undefined, letter: string | undefined) =>
    code !== undefined ? String.fromCharCode(Number.parseInt(code, 16)) : letter === undefined ? '' : (letters[letter] ?? letter),
  );
}

const letters: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Maps offsets of the decoded characters to offsets of the written content, which has escapes. */
export class Offsets {
  readonly #text: string;
  #at: number;
  #count = 0;

  /** @param start offset of the content */
  constructor(text: string, start: number) {
    this.#text = text;
    this.#at = start;
  }

  /** The offset of a decoded character. Characters must ascend from call to call. */
  of(character: number): number {
    for (; this.#count < character; this.#count += 1) {
      if (this.#text.charCodeAt(this.#at) !== backslash) this.#at += 1;
      else this.#at += isCode(this.#text, this.#at + 1) ? 6 : 2;
    }
    return this.#at;
  }
}

const isCode = (text: string, at: number): boolean => text[at] === 'u' && /^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5));
