/** A run of seven or more digits, with separators between them. */
const digits = /\d(?:[ \-./()\u0080-\u00c2\u00e2\u2007-\u202f]{0,3}\d){6}/g;

/** A full-width digit. In one-byte text the engine searches nothing for it. */
const wideDigit = /[\uff10-\uff19]/g;

/**
 * Caches the next offset of some rare texts. A text with many strings is searched once for each of them, instead of from
 * every string to the end.
 */
export class Cursors {
  readonly text: string;
  #at = -1;
  #coded = -1;
  #address = -1;
  #key = -1;
  #keyEnd = -1;
  #media = -1;
  #digits = -1;
  #colon = -1;
  #plus = -1;
  #equals = -1;
  #escape = -1;
  #endTag = -1;
  #escapedTag = -1;
  #bracket = -1;
  #option = -1;
  #word = -1;
  #capitals = -1;
  #wide = -1;
  #wideBytes = -1;

  constructor(text: string) {
    this.text = text;
  }

  /** `@`, or its URL escape `%40` */
  at(from: number): number {
    if (this.#at < from) this.#at = this.#next('@', from);
    if (this.#coded < from) this.#coded = this.#next('%40', from);
    return Math.min(this.#at, this.#coded);
  }

  address(from: number): number {
    return this.#address >= from ? this.#address : (this.#address = this.#next('://', from));
  }

  privateKey(from: number): number {
    return this.#key >= from ? this.#key : (this.#key = this.#next('-----BEGIN ', from));
  }

  privateKeyEnd(from: number): number {
    return this.#keyEnd >= from ? this.#keyEnd : (this.#keyEnd = this.#next('-----END ', from));
  }

  media(from: number): number {
    if (this.#media >= from) return this.#media;
    // Searches for the beginning only: for a longer text the engine uses another algorithm, which is slower here.
    let at = this.#next(';base', from);
    while (at < none && !this.text.startsWith('64,', at + 5)) at = this.#next(';base', at + 1);
    return (this.#media = at);
  }

  /** `:` or `=` */
  sign(from: number): number {
    if (this.#colon < from) this.#colon = this.#next(':', from);
    if (this.#equals < from) this.#equals = this.#next('=', from);
    return Math.min(this.#colon, this.#equals);
  }

  /** `%2B`: a plus sign as a URL escape. */
  plus(from: number): number {
    if (this.#plus >= from) return this.#plus;
    let at = this.#next('%2', from);
    while (at < none && (this.text.charCodeAt(at + 2) | 0x20) !== 0x62) at = this.#next('%2', at + 1);
    return (this.#plus = at);
  }

  /** `</` */
  endTag(from: number): number {
    return this.#endTag >= from ? this.#endTag : (this.#endTag = this.#next('</', from));
  }

  /** `&lt;/`: the same, escaped for HTML. */
  escapedTag(from: number): number {
    return this.#escapedTag >= from ? this.#escapedTag : (this.#escapedTag = this.#next('&lt;/', from));
  }

  /** The first bytes of a full-width character, or the decoded digit. */
  wide(from: number): number {
    if (this.#wideBytes < from) this.#wideBytes = this.#next('\u00ef\u00bc', from);
    if (this.#wide < from) this.#wide = this.#search(wideDigit, from);
    return Math.min(this.#wide, this.#wideBytes);
  }

  /** An opening bracket. */
  bracket(from: number): number {
    return this.#bracket >= from ? this.#bracket : (this.#bracket = this.#next('(', from));
  }

  /** A dash. */
  option(from: number): number {
    return this.#option >= from ? this.#option : (this.#option = this.#next('-', from));
  }

  /** The last four letters of `password`, the rarest ones of the word. */
  password(from: number): number {
    if (this.#word < from) this.#word = this.#next('word', from);
    if (this.#capitals < from) this.#capitals = this.#next('WORD', from);
    return Math.min(this.#word, this.#capitals);
  }

  /** A backslash. */
  escape(from: number): number {
    return this.#escape >= from ? this.#escape : (this.#escape = this.#next('\\', from));
  }

  digits(from: number): number {
    return this.#digits >= from ? this.#digits : (this.#digits = this.#search(digits, from));
  }

  #search(pattern: RegExp, from: number): number {
    pattern.lastIndex = from;
    return pattern.exec(this.text)?.index ?? none;
  }

  #next(text: string, from: number): number {
    const found = this.text.indexOf(text, from);
    return found < 0 ? none : found;
  }
}

const none = Number.POSITIVE_INFINITY;
