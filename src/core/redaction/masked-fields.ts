import { TooLarge } from './rules.ts';
import { decoded } from './texts/strings.ts';
import { oneByte, readable } from './texts/unicode.ts';
import { type Visitor, JsonTraversal } from './json-traversal.ts';

/** Maximum number of texts kept, and minimum length. Shorter texts occur elsewhere by chance. */
const maxTexts = 10_000;
const minTextLength = 5;
/** Maximum characters of the escape for one character. */
const longestEscape = 6;

/** Members of a masked object whose values are keywords of the format. */
const keywordFields: ReadonlySet<string> = new Set([
  'type',
  'role',
  'status',
  'detail',
  'format',
  'media_type',
  'mime_type',
  'cache_control',
]);

/**
 * The texts of fields that were masked in one request body. In another format the same text is in another place, and it
 * is masked there too.
 */
export class MaskedFields {
  readonly #texts = new Set<string>();
  /** Lengths of all texts. For most strings, comparing the length is sufficient. */
  readonly #lengths = new Set<number>();
  #longest = 0;
  #isFull = false;

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  /** Adds a masked JSON value: a text, or all texts in an object or a list. */
  add(value: string): void {
    const traversal = new JsonTraversal();
    const isText = value.startsWith('"');
    const visitor: Visitor = {
      skipsElements: false,
      reportsAll: false,
      string: (start, end) => {
        if (isText || !keywordFields.has(traversal.nameIn(value))) this.#addText(value.slice(start, end));
      },
      name: () => {},
      number: () => {},
      skips: () => false,
      skipped: () => {},
      reach: () => value.length,
    };
    traversal.run(value, 0, value.length, visitor);
  }

  /** @param raw content of a string as it is written. @throws TooLarge if not all texts could be kept */
  has(raw: string, isEscaped: boolean): boolean {
    if (this.#isFull) throw new TooLarge();
    if (raw.length < minTextLength || (isEscaped ? raw.length > longestEscape * this.#longest : !this.#lengths.has(raw.length)))
      return false;
    return this.#texts.has(isEscaped ? unescaped(raw) : raw);
  }

  #addText(raw: string): void {
    const text = unescaped(raw);
    if (text.length < minTextLength) return;
    this.#isFull ||= this.#texts.size >= maxTexts && !this.#texts.has(text);
    if (this.#isFull) return;
    this.#texts.add(text);
    this.#lengths.add(text.length);
    this.#longest = Math.max(this.#longest, text.length);
  }
}

/** The text without escapes, one character per byte. */
const unescaped = (raw: string): string => (raw.includes('\\') ? oneByte(decoded(readable(raw).text)) : raw);
