import { malformed, misframed, WireFault } from '../../wire/fault.ts';
import { headLimit, notText, notToken, trimmed } from '../../wire/field-text.ts';

/** What stands before the body of an answer. */
export interface AnswerHead {
  readonly status: number;
  /** By lower-case name; values of the same name are joined with `, `. */
  readonly headers: Record<string, string>;
  /** The declared `content-length`. */
  readonly length: number | undefined;
  /** `close`: a transfer coding that only the end of the connection delimits. */
  readonly coding: 'chunked' | 'close' | undefined;
  /** The connection may serve another request, as far as the head says. */
  readonly isKept: boolean;
  /** Seconds of `keep-alive: timeout=N`. */
  readonly keepSeconds: number | undefined;
}

/** Headers that decide about the connection or the body. */
type Role = 'content-length' | 'transfer-encoding' | 'connection' | 'keep-alive' | undefined;

interface Name {
  readonly lower: string;
  readonly role: Role;
}

/** A line that stood at its place in an earlier head: most lines of a provider's answers are the same each time. */
interface KnownLine {
  /** With its line end. */
  readonly line: string;
  /** The name and its colon, as written. */
  readonly start: string;
  readonly name: Name;
  readonly value: string;
}

/** Names that are remembered; a provider that sends a new one each time is read all the same. */
const nameLimit = 256;
const lineLimit = 64;

const roles: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive']);

/**
 * Reads heads of answers, strictly: what RFC 9112 forbids is refused, never repaired, so that no other parser on the way
 * can have seen another message. One for each origin: lines that were read before are recognised by comparison.
 */
export class HeadParser {
  readonly #names = new Map<string, Name>();
  readonly #lines: (KnownLine | undefined)[] = [];

  /**
   * @param text the whole head, one character a byte, with the end of its last line and without the empty one
   * @throws WireFault
   */
  parse(text: string): AnswerHead {
    const first = text.indexOf('\r\n');
    const status = statusOf(text, first);
    const fields = new Fields(text.charCodeAt(7) === 0x31);
    let at = first + 2;
    for (let place = 0; at < text.length; place += 1) {
      const known = this.#lines[place];
      const line = known !== undefined && text.startsWith(known.line, at) ? known : this.#read(text, at, place, known);
      fields.add(line.name, line.value);
      at += line.line.length;
    }
    return fields.head(status);
  }

  #read(text: string, at: number, place: number, known: KnownLine | undefined): KnownLine {
    const end = text.indexOf('\r\n', at);
    const isSameName = known !== undefined && text.startsWith(known.start, at);
    const colon = isSameName ? at + known.start.length - 1 : text.indexOf(':', at);
    if (colon <= at || colon > end) throw malformed('a header line has no name');
    const name = isSameName ? known.name : this.#name(text.slice(at, colon));
    const value = trimmed(text, colon + 1, end);
    if (notText.test(value)) throw malformed('a header has a control character');
    // Some take the tab for a part of the coding's name, and read frames as content.
    if (name.role === 'transfer-encoding' && text.charCodeAt(end - 1) === 0x09) throw malformed('an unusual transfer coding');
    const line = { line: text.slice(at, end + 2), start: text.slice(at, colon + 1), name, value };
    if (place < lineLimit) this.#lines[place] = line;
    return line;
  }

  #name(written: string): Name {
    const known = this.#names.get(written);
    if (known !== undefined) return known;
    if (notToken.test(written)) throw malformed('the name of a header is not a token');
    const lower = written.toLowerCase();
    const name: Name = { lower, role: roles.has(lower) ? (lower as Role) : undefined };
    if (this.#names.size < nameLimit) this.#names.set(written, name);
    return name;
  }
}

/** The headers of one answer, and what they say about its body and its connection. */
class Fields {
  readonly #isOne: boolean;
  readonly #headers: Record<string, string> = {};
  #size = 0;
  #length: number | undefined;
  #coding: AnswerHead['coding'];
  #closes = false;
  #asksToKeep = false;
  #keepSeconds: number | undefined;

  /** @param isOne HTTP/1.1, as against 1.0 */
  constructor(isOne: boolean) {
    this.#isOne = isOne;
  }

  add(name: Name, value: string): void {
    this.#size += name.lower.length + value.length;
    if (this.#size >= headLimit) throw new WireFault('UPSTREAM_HEAD_TOO_LARGE', 'the head is too large');
    if (name.role !== undefined) this.#decide(name.role, value);
    const headers = this.#headers;
    const before = headers[name.lower];
    if (before === undefined) headers[name.lower] = value;
    else if (Object.hasOwn(headers, name.lower)) headers[name.lower] = `${before}, ${value}`;
    else Object.defineProperty(headers, name.lower, { value, enumerable: true, configurable: true, writable: true });
  }

  head(status: number): AnswerHead {
    if (this.#coding !== undefined && this.#length !== undefined) throw misframed('a length and a transfer coding');
    // A message of HTTP/1.0 that is chunked is read, and its connection ends with it (RFC 9112 6.1).
    const isKept = !this.#closes && (this.#isOne || (this.#asksToKeep && this.#coding === undefined));
    return { status, headers: this.#headers, length: this.#length, coding: this.#coding, isKept, keepSeconds: this.#keepSeconds };
  }

  #decide(role: NonNullable<Role>, value: string): void {
    switch (role) {
      case 'content-length':
        if (this.#length !== undefined || !/^\d{1,15}$/.test(value)) throw misframed('the content-length is not one number');
        this.#length = Number(value);
        return;
      case 'transfer-encoding':
        if (this.#coding !== undefined) throw malformed('two transfer codings');
        this.#coding = codingOf(value);
        return;
      case 'connection':
        for (const option of value.toLowerCase().split(',')) {
          if (option.trim() === 'close') this.#closes = true;
          else if (option.trim() === 'keep-alive') this.#asksToKeep = true;
        }
        return;
      case 'keep-alive': {
        const seconds = /timeout=\s*(\d{1,9})/.exec(value)?.[1];
        if (seconds !== undefined) this.#keepSeconds ??= Number(seconds);
      }
    }
  }
}

function codingOf(value: string): 'chunked' | 'close' {
  const lower = value.toLowerCase();
  if (lower === 'chunked') return 'chunked';
  // Chunked below or beside another coding is read differently by every parser.
  if (lower === '' || lower.includes('chunked') || lower.includes(',')) throw malformed('an unusual transfer coding');
  return 'close';
}

/** `HTTP/1.1 200` and a reason, which may be missing and means nothing. */
function statusOf(text: string, end: number): number {
  if (!/^HTTP\/1\.[01] [1-9]\d\d(?: |\r\n)/.test(text) || notText.test(text.slice(0, end))) throw malformed('not a status line');
  return Number(text.slice(9, 12));
}
