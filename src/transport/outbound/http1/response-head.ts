import { malformed, invalidLength } from '../../wire/fault.ts';
import { endsWithTab, invalidValueCharacter, invalidNameCharacter, trimBlanks } from '../../wire/field-text.ts';

/** The status line and headers of a response. */
export interface ResponseHead {
  readonly status: number;
  /** By lower-case name. Values of the same name are joined with `, `. */
  readonly headers: Record<string, string>;
  /** The declared Content-Length. */
  readonly length: number | undefined;
  /** `close`: a transfer coding that only the end of the connection delimits. */
  readonly coding: 'chunked' | 'close' | undefined;
  /** True if the head allows the connection to serve another request. */
  readonly isReusable: boolean;
  /** Seconds of `keep-alive: timeout=N`. */
  readonly keepAliveSeconds: number | undefined;
}

/** Headers that affect the connection or the framing of the body. */
type HeaderRole = 'content-length' | 'transfer-encoding' | 'connection' | 'keep-alive' | undefined;

interface HeaderName {
  readonly lower: string;
  readonly role: HeaderRole;
}

/** A header line seen at the same position in an earlier head. Most lines of a provider's responses repeat. */
interface KnownLine {
  /** Including its line end. */
  readonly line: string;
  /** The name and its colon, as written. */
  readonly start: string;
  readonly name: HeaderName;
  readonly value: string;
}

/** A parameter of its own: another one may end with its name. */
const keepAliveTimeout = /(?:^|,)[\t ]*timeout=\s*(\d{1,9})/i;

/** Maximum cached names. Names beyond the limit are parsed each time. */
const nameLimit = 256;
const lineLimit = 64;

const roles: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive']);

/**
 * Parses response heads strictly: it rejects what RFC 9112 forbids and repairs nothing, so that no other parser on the
 * path can have read a different message. There is one parser per origin, and it recognizes repeated lines by comparison.
 */
export class ResponseHeadParser {
  readonly #names = new Map<string, HeaderName>();
  readonly #lines: (KnownLine | undefined)[] = [];

  /**
   * @param text the whole head, one character per byte, with the end of its last line and without the empty line
   * @throws WireFault
   */
  parse(text: string): ResponseHead {
    const first = text.indexOf('\r\n');
    const status = statusOf(text, first);
    const fields = new ResponseFields(text.charCodeAt(7) === 0x31);
    let at = first + 2;
    for (let index = 0; at < text.length; index += 1) {
      const known = this.#lines[index];
      const line = known !== undefined && text.startsWith(known.line, at) ? known : this.#read(text, at, index, known);
      fields.add(line.name, line.value);
      at += line.line.length;
    }
    return fields.head(status);
  }

  #read(text: string, at: number, index: number, known: KnownLine | undefined): KnownLine {
    const end = text.indexOf('\r\n', at);
    const isSameName = known !== undefined && text.startsWith(known.start, at);
    const colon = isSameName ? at + known.start.length - 1 : text.indexOf(':', at);
    if (colon <= at || colon > end) throw malformed('a header line has no name');
    const name = isSameName ? known.name : this.#name(text.slice(at, colon));
    const value = trimBlanks(text, colon + 1, end);
    if (invalidValueCharacter.test(value)) throw malformed('a header has a control character');
    // Some parsers treat the tab as part of the coding's name, and would read the chunk framing as content.
    if (name.role === 'transfer-encoding' && endsWithTab(text, end)) throw malformed('an unusual transfer coding');
    const line = { line: text.slice(at, end + 2), start: text.slice(at, colon + 1), name, value };
    if (index < lineLimit) this.#lines[index] = line;
    return line;
  }

  #name(written: string): HeaderName {
    const known = this.#names.get(written);
    if (known !== undefined) return known;
    if (invalidNameCharacter.test(written)) throw malformed('the name of a header is not a token');
    const lower = written.toLowerCase();
    const name: HeaderName = { lower, role: roles.has(lower) ? (lower as HeaderRole) : undefined };
    if (this.#names.size < nameLimit) this.#names.set(written, name);
    return name;
  }
}

/** The headers of one response, and what they mean for its body and its connection. */
class ResponseFields {
  readonly #isHttp11: boolean;
  readonly #headers: Record<string, string> = {};
  #length: number | undefined;
  #coding: ResponseHead['coding'];
  #closes = false;
  #keepsAlive = false;
  #keepAliveSeconds: number | undefined;

  /** @param isHttp11 true for HTTP/1.1, false for HTTP/1.0 */
  constructor(isHttp11: boolean) {
    this.#isHttp11 = isHttp11;
  }

  add(name: HeaderName, value: string): void {
    if (name.role !== undefined) this.#applyRole(name.role, value);
    const headers = this.#headers;
    const before = headers[name.lower];
    if (before === undefined) headers[name.lower] = value;
    else if (Object.hasOwn(headers, name.lower)) headers[name.lower] = `${before}, ${value}`;
    else Object.defineProperty(headers, name.lower, { value, enumerable: true, configurable: true, writable: true });
  }

  head(status: number): ResponseHead {
    if (this.#coding !== undefined && this.#length !== undefined) throw invalidLength('a length and a transfer coding');
    // A chunked HTTP/1.0 message is accepted, and the connection is closed after it (RFC 9112 6.1).
    const isReusable = !this.#closes && (this.#isHttp11 || (this.#keepsAlive && this.#coding === undefined));
    return {
      status,
      headers: this.#headers,
      length: this.#length,
      coding: this.#coding,
      isReusable: isReusable,
      keepAliveSeconds: this.#keepAliveSeconds,
    };
  }

  #applyRole(role: NonNullable<HeaderRole>, value: string): void {
    switch (role) {
      case 'content-length':
        if (this.#length !== undefined || !/^\d{1,15}$/.test(value)) throw invalidLength('the content-length is not one number');
        this.#length = Number(value);
        return;
      case 'transfer-encoding':
        if (this.#coding !== undefined) throw malformed('two transfer codings');
        this.#coding = codingOf(value);
        return;
      case 'connection':
        for (const option of value.toLowerCase().split(',')) {
          if (option.trim() === 'close') this.#closes = true;
          else if (option.trim() === 'keep-alive') this.#keepsAlive = true;
        }
        return;
      case 'keep-alive': {
        const seconds = keepAliveTimeout.exec(value)?.[1];
        if (seconds !== undefined) this.#keepAliveSeconds = Math.min(Number(seconds), this.#keepAliveSeconds ?? Number(seconds));
      }
    }
  }
}

function codingOf(value: string): 'chunked' | 'close' {
  const lower = value.toLowerCase();
  if (lower === 'chunked') return 'chunked';
  // Parsers disagree on chunked combined with another coding.
  if (lower === '' || lower.includes('chunked') || lower.includes(',')) throw malformed('an unusual transfer coding');
  return 'close';
}

/** `HTTP/1.1 200` and an optional reason phrase, which is ignored. */
function statusOf(text: string, end: number): number {
  if (!/^HTTP\/1\.[01] [1-9]\d\d(?: |\r\n)/.test(text) || invalidValueCharacter.test(text.slice(0, end)))
    throw malformed('not a status line');
  return Number(text.slice(9, 12));
}
