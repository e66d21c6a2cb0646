import type { HeaderPairs } from '../../../core/http/headers.ts';
import { STATUS_CODES } from '../../../core/node-http.ts';
import { notText, notToken } from '../../wire/field-text.ts';

/** A head that is ready to be sent, and how its body is framed. */
export interface AnswerHead {
  readonly text: string;
  /** Bytes that it says will follow; undefined where it does not. */
  readonly length: number | undefined;
  /** The body leaves in chunks. */
  readonly isFramed: boolean;
  readonly hasBody: boolean;
  /** The connection ends behind it. */
  readonly isLast: boolean;
}

/** What was written last under a name that was found to be a token. */
interface Line {
  /** Says something of the message or its connection: looked at each time. */
  readonly isFraming: boolean;
  /** Null where none is kept. */
  value: string | null;
  /** The line, once the same value came a second time; else ''. */
  text: string;
}

/** Names that are known, since other people's are without number, and characters of a value that is kept. */
const mostNames = 256;
const longestKept = 256;
const framing: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);

/** Seconds for which a connection is kept between two requests. */
export const keptSeconds = 75;

/** Writes the heads of answers as `node:http` does. */
export class AnswerHeads {
  readonly #now: () => number;
  readonly #lines = new Map<string, Line>();
  readonly #statusLines = new Map<number, string>();
  #second = -1;
  #date = '';

  /** @param now Unix milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws TypeError for a name or a value that would be read as something else */
  write(status: number, headers: HeaderPairs, more: HeaderPairs | undefined, isLast: boolean): AnswerHead {
    const found: Found = { length: undefined, hasDate: false, isLast };
    let text = this.#statusLine(status) + this.#textOf(headers, found);
    if (more !== undefined) text += this.#textOf(more, found);
    const hasBody = status !== 204 && status !== 304;
    const isFramed = hasBody && found.length === undefined;
    if (!found.hasDate) text += this.#dateLine();
    text += found.isLast ? 'Connection: close\r\n' : kept;
    return { text: text + (isFramed ? framedEnd : '\r\n'), length: found.length, isFramed, hasBody, isLast: found.isLast };
  }

  #textOf(headers: HeaderPairs, found: Found): string {
    let text = '';
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const name = headers[i] as string;
      const value = headers[i + 1] as string;
      const line = this.#lines.get(name) ?? this.#open(name);
      if (line.value !== value) {
        if (value === undefined || notText.test(value)) throw new TypeError(`Invalid value of the header "${name}"`);
        line.value = value.length <= longestKept ? value : null;
        line.text = '';
      } else if (!line.isFraming) {
        text += line.text === '' ? (line.text = inOnePiece(`${name}: ${value}\r\n`)) : line.text;
        continue;
      }
      if (line.isFraming && this.#isLeftOut(name, value, found)) continue;
      text += `${name}: ${value}\r\n`;
    }
    return text;
  }

  /** Notes what the header says of the message. True for those that this connection has its own of. */
  #isLeftOut(name: string, value: string, found: Found): boolean {
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

  #open(name: string): Line {
    if (name === '' || notToken.test(name)) throw new TypeError(`Invalid name of a header: ${JSON.stringify(name)}`);
    const line: Line = { isFraming: framing.has(name.toLowerCase()), value: null, text: '' };
    if (this.#lines.size < mostNames) this.#lines.set(name, line);
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

interface Found {
  length: number | undefined;
  hasDate: boolean;
  isLast: boolean;
}

/** A text that was put together is walked piece by piece whenever it is written, until somebody looks into it. */
function inOnePiece(text: string): string {
  text.charCodeAt(0);
  return text;
}

const kept = `Connection: keep-alive\r\nKeep-Alive: timeout=${keptSeconds}\r\n`;
const framedEnd = 'Transfer-Encoding: chunked\r\n\r\n';
