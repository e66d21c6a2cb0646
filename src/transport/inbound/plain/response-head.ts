import type { HeaderPairs } from '../../../core/http/headers.ts';
import { STATUS_CODES } from '../../../core/node-http.ts';
import { invalidValueCharacter, invalidNameCharacter } from '../../wire/field-text.ts';

/** A serialized response head, and the framing of its body. */
export interface WrittenHead {
  readonly text: string;
  /** Value of `content-length`; undefined if there is none. */
  readonly length: number | undefined;
  /** The body uses chunked transfer coding. */
  readonly isChunked: boolean;
  readonly hasBody: boolean;
  /** The connection closes after this response. */
  readonly isLast: boolean;
}

/** The last line written for a valid header name. */
interface CachedLine {
  /** The header affects framing or the connection: it is evaluated each time. */
  readonly isFraming: boolean;
  /** Null if no value is cached. */
  value: string | null;
  /** The serialized line, cached from the second occurrence of the value on; otherwise ''. */
  text: string;
}

/** Maximum number of cached names, since names from providers are unlimited, and maximum length of a cached value. */
const maxNames = 256;
const longestKept = 256;
const framing: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);

/** Keep-alive timeout between two requests, in seconds. */
export const keepAliveSeconds = 75;

/** Serializes response heads as `node:http` does. */
export class ResponseHeadWriter {
  readonly #now: () => number;
  readonly #lines = new Map<string, CachedLine>();
  readonly #statusLines = new Map<number, string>();
  #second = -1;
  #date = '';

  /** @param now Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws TypeError for an invalid name or value */
  write(status: number, headers: HeaderPairs, more: HeaderPairs | undefined, isLast: boolean): WrittenHead {
    const found: FramingState = { length: undefined, hasDate: false, isLast };
    let text = this.#statusLine(status) + this.#textOf(headers, found);
    if (more !== undefined) text += this.#textOf(more, found);
    const hasBody = status !== 204 && status !== 304;
    const isChunked = hasBody && found.length === undefined;
    if (!found.hasDate) text += this.#dateLine();
    text += found.isLast ? 'Connection: close\r\n' : keepAliveLines;
    return { text: text + (isChunked ? chunkedEnd : '\r\n'), length: found.length, isChunked: isChunked, hasBody, isLast: found.isLast };
  }

  #textOf(headers: HeaderPairs, found: FramingState): string {
    let text = '';
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const name = headers[i] as string;
      const value = headers[i + 1] as string;
      const line = this.#lines.get(name) ?? this.#addName(name);
      if (line.value !== value) {
        if (value === undefined || invalidValueCharacter.test(value)) throw new TypeError(`Invalid value of the header "${name}"`);
        line.value = value.length <= longestKept ? value : null;
        line.text = '';
      } else if (!line.isFraming) {
        text += line.text === '' ? (line.text = flatten(`${name}: ${value}\r\n`)) : line.text;
        continue;
      }
      if (line.isFraming && this.#isSetByConnection(name, value, found)) continue;
      text += `${name}: ${value}\r\n`;
    }
    return text;
  }

  /** Evaluates headers that affect framing. Returns true for those that this connection sets itself. */
  #isSetByConnection(name: string, value: string, found: FramingState): boolean {
    switch (name.length) {
      case 4:
        if (name.toLowerCase() === 'date') found.hasDate = true;
        return false;
      case 10:
        if (name.toLowerCase() !== 'connection') return name.toLowerCase() === 'keep-alive';
        if (/\bclose\b/i.test(value)) found.isLast = true;
        return true;
      case 14:
        if (name.toLowerCase() === 'content-length') found.length = Number(value);
        return false;
      case 17:
        return name.toLowerCase() === 'transfer-encoding';
      default:
        return false;
    }
  }

  #addName(name: string): CachedLine {
    if (name === '' || invalidNameCharacter.test(name)) throw new TypeError(`Invalid name of a header: ${JSON.stringify(name)}`);
    const line: CachedLine = { isFraming: framing.has(name.toLowerCase()), value: null, text: '' };
    if (this.#lines.size < maxNames) this.#lines.set(name, line);
    return line;
  }

  #statusLine(status: number): string {
    let line = this.#statusLines.get(status);
    if (line === undefined) {
      line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
      this.#statusLines.set(status, line);
    }
    return line;
  }

  #dateLine(): string {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
    }
    return this.#date;
  }
}

interface FramingState {
  length: number | undefined;
  hasDate: boolean;
  isLast: boolean;
}

/** Flattens a concatenated string: V8 would otherwise traverse its pieces at every write. */
function flatten(text: string): string {
  text.charCodeAt(0);
  return text;
}

const keepAliveLines = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n`;
const chunkedEnd = 'Transfer-Encoding: chunked\r\n\r\n';
