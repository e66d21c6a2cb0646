import { skipSpace } from '../scan.ts';
import type { TokenTape } from './token-tape.ts';

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Reads a JSON list of objects by its recorded structure, in order, without parsing or scanning its text. Lists within it are
 * entered or skipped; what is entered must be read to its end. Valid until another text is recorded, so only within a
 * synchronous function.
 *
 * All methods throw an Error where the text is not JSON, or where a list contains something other than objects.
 */
export class TokenReader {
  /** One-byte text. */
  readonly text: string;
  readonly #tape: TokenTape;
  /** Index of the next token. The first one is that of the list itself. */
  #next = 1;
  /** True if the value of the last member begins at `#next`. */
  #isBeforeValue = false;
  #keyStart = 0;
  #keyEnd = 0;
  /** Offset of the value of the last member. */
  #start = 0;

  constructor(text: string, tape: TokenTape) {
    this.text = text;
    this.#tape = tape;
  }

  /** Moves into the next object of the list; false at the end of the list. */
  nextObject(): boolean {
    let c = this.#charAfterBlanks();
    if (c === comma) {
      this.#next += 1;
      c = this.#charAfterBlanks();
    }
    if (c !== openBrace && c !== closeBracket) throw unexpected();
    this.#next += 1;
    return c === openBrace;
  }

  /** Moves to the next member of the object; false at the end of the object. */
  nextMember(): boolean {
    if (this.#isBeforeValue) this.#skipValue();
    if (this.#charAt(this.#next) === comma) this.#next += 1;
    const c = this.#charAt(this.#next);
    if (c === closeBrace) {
      this.#next += 1;
      return false;
    }
    if (c !== quote || this.#charAt(this.#next + 2) !== colon) throw unexpected();
    this.#keyStart = this.#offset(this.#next);
    this.#keyEnd = this.#offset(this.#next + 1);
    this.#start = skipSpace(this.text, this.#offset(this.#next + 2) + 1);
    this.#next += 3;
    this.#isBeforeValue = true;
    return true;
  }

  /** The key of the member, as written. */
  get key(): string {
    return this.text.slice(this.#keyStart + 1, this.#keyEnd - 1);
  }

  /** True if the key of the member is this plain name. */
  isKey(name: string): boolean {
    return this.#keyEnd - this.#keyStart === name.length + 2 && this.text.startsWith(name, this.#keyStart + 1);
  }

  /** The first character of the member's value. */
  get first(): number {
    return this.text.charCodeAt(this.#start);
  }

  /** The member's string, as written; '' if it is something else. */
  get string(): string {
    return this.first === quote ? this.text.slice(this.#start + 1, this.#offset(this.#next + 1) - 1) : '';
  }

  /** True if the member is null, `""` or a list without elements. */
  get isEmptyValue(): boolean {
    return /^(?:""|null|\[\s*\])/.test(this.text.slice(this.#start, this.#start + 20));
  }

  /** Enters the member's value, which must be a list or an object. */
  enter(): void {
    if (this.#offset(this.#next) !== this.#start || this.first === quote) throw unexpected();
    this.#next += 1;
    this.#isBeforeValue = false;
  }

  /** Where the reader is. */
  get place(): number {
    return this.#next;
  }

  /** Goes back to the place at which an object or a list had just been entered. */
  returnTo(place: number): void {
    this.#next = place;
    this.#isBeforeValue = false;
  }

  #skipValue(): void {
    this.#isBeforeValue = false;
    if (this.#offset(this.#next) !== this.#start) return;
    let depth = 0;
    do {
      const c = this.#charAt(this.#next);
      if (c === quote) this.#next += 1;
      else if (c === openBrace || c === openBracket) depth += 1;
      else if (c === closeBrace || c === closeBracket) depth -= 1;
      this.#next += 1;
    } while (depth > 0);
  }

  /** The next token; between it and the one before are only blanks, not a value that has no token. */
  #charAfterBlanks(): number {
    const start = this.#offset(this.#next);
    if (skipSpace(this.text, this.#offset(this.#next - 1) + 1) !== start) throw unexpected();
    return this.text.charCodeAt(start);
  }

  /** @throws Error after the last token */
  #offset(index: number): number {
    if (index >= this.#tape.length) throw unexpected();
    return this.#tape.offsets[index] as number;
  }

  #charAt(index: number): number {
    return this.text.charCodeAt(this.#offset(index));
  }
}

const unexpected = (): Error => new Error('The list is not as expected.');
