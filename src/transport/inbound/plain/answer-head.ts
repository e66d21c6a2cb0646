import type { HeaderPairs } from '../../../core/http/headers.ts';
import { STATUS_CODES } from '../../../core/node-http.ts';

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

/** Names that were found to be tokens, so that each is looked at once; other people's names are without number. */
const mostNames = 512;
const token = /^[\w!#$%&'*+.^`|~-]+$/;
/** What `node:http` refuses in a value. */
const broken = /[^\t\x20-\x7e\x80-\xff]/;

/** Seconds for which a connection is kept between two requests. */
export const keptSeconds = 75;

/** Writes the heads of answers as `node:http` does. */
export class AnswerHeads {
  readonly #now: () => number;
  readonly #names = new Set<string>();
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
    let text = this.#statusLine(status) + this.#lines(headers, found);
    if (more !== undefined) text += this.#lines(more, found);
    const hasBody = status !== 204 && status !== 304;
    const isFramed = hasBody && found.length === undefined;
    if (!found.hasDate) text += this.#dateLine();
    text += found.isLast ? 'Connection: close\r\n' : kept;
    return { text: text + (isFramed ? framedEnd : '\r\n'), length: found.length, isFramed, hasBody, isLast: found.isLast };
  }

  #lines(headers: HeaderPairs, found: Found): string {
    let text = '';
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const name = headers[i] as string;
      const value = headers[i + 1] as string;
      if (!this.#names.has(name)) this.#checkName(name);
      if (value === undefined || broken.test(value)) throw new TypeError(`Invalid value of the header "${name}"`);
      if (this.#isLeftOut(name, value, found)) continue;
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

  #checkName(name: string): void {
    if (!token.test(name)) throw new TypeError(`Invalid name of a header: ${JSON.stringify(name)}`);
    if (this.#names.size < mostNames) this.#names.add(name);
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

const kept = `Connection: keep-alive\r\nKeep-Alive: timeout=${keptSeconds}\r\n`;
const framedEnd = 'Transfer-Encoding: chunked\r\n\r\n';
