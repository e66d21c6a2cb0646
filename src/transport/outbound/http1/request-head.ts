import type { HeaderPairs } from '../../../core/http/headers.ts';
import { invalidValueCharacter, invalidNameCharacter } from '../../wire/field-text.ts';

/** Methods written here, and whether a request with that method is expected to have a body. */
const methods: ReadonlyMap<string, boolean> = new Map([
  ['POST', true],
  ['PUT', true],
  ['PATCH', true],
  ['GET', false],
  ['DELETE', false],
  ['HEAD', false],
]);

/** Headers that depend on the connection or the body, and `expect`, which needs an interim response. They are not written here. */
const reserved: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

const notPath = /[^\x21-\xff]/;

/** The header last written at this position. */
interface HeaderLine {
  readonly name: string;
  readonly value: string;
  readonly text: string;
}

/** Maximum cached paths. Paths can contain ids of objects. */
const pathLimit = 64;
/** Maximum size of a cached head, in bytes: paths, headers and origins can be chosen by requests. */
const headLimit = 8 * 1024;

/** Writes the request heads of one origin. It recognizes lines that it checked and wrote before by comparison. */
export class RequestHeadWriter {
  readonly #host: string;
  readonly #known = new Map<string, PathHead>();

  /** @param host of the origin, including its port if that is not the default one */
  constructor(host: string) {
    this.#host = host;
  }

  /** Number of cached heads. */
  get size(): number {
    return this.#known.size;
  }

  /**
   * @param length bytes of the body
   * @returns the head with its empty line, one character per byte; undefined for a request that is not plain
   */
  write(method: string, path: string, headers: HeaderPairs, length: number): string | undefined {
    const known = this.#known.get(path);
    const lines = known !== undefined && known.method === method ? known : this.#create(method, path);
    const head = lines?.write(headers, length);
    if (head === undefined || head.length > headLimit) this.#known.delete(path);
    return head;
  }

  #create(method: string, path: string): PathHead | undefined {
    const expectsBody = methods.get(method);
    if (expectsBody === undefined || !path.startsWith('/') || notPath.test(path)) return undefined;
    // A server may respond to HEAD with a body anyway, which would be taken for the next response.
    const start = `${method} ${path} HTTP/1.1\r\nhost: ${this.#host}\r\nconnection: ${method === 'HEAD' ? 'close' : 'keep-alive'}\r\n`;
    const lines = new PathHead(method, start, expectsBody);
    if (this.#known.size >= pathLimit) this.#known.clear();
    this.#known.set(path, lines);
    return lines;
  }
}

class PathHead {
  readonly method: string;
  readonly #start: string;
  readonly #expectsBody: boolean;
  readonly #lines: HeaderLine[] = [];
  /** The last head written, up to the length of the body. */
  #text: string;

  constructor(method: string, start: string, expectsBody: boolean) {
    this.method = method;
    this.#start = start;
    this.#expectsBody = expectsBody;
    this.#text = start;
  }

  write(headers: HeaderPairs, length: number): string | undefined {
    if (length > 0 && !this.#expectsBody) return undefined;
    if (!this.#isSame(headers)) {
      const isPlain = this.#rewrite(headers);
      if (!isPlain) return undefined;
    }
    return this.#expectsBody ? `${this.#text}content-length: ${length}\r\n\r\n` : `${this.#text}\r\n`;
  }

  #isSame(headers: HeaderPairs): boolean {
    const lines = this.#lines;
    if (headers.length !== lines.length * 2) return false;
    for (let index = 0; index < lines.length; index += 1) {
      const line = lines[index] as HeaderLine;
      if (line.value !== headers[index * 2 + 1] || line.name !== headers[index * 2]) return false;
    }
    return true;
  }

  /** Returns false if a header is not plain. undici then writes the request, or rejects it. */
  #rewrite(headers: HeaderPairs): boolean {
    const lines = this.#lines;
    let text = this.#start;
    let index = 0;
    for (let at = 0; at + 1 < headers.length; at += 2, index += 1) {
      const name = headers[at] as string;
      const value = headers[at + 1] as string;
      let line = lines[index];
      if (line?.value !== value || line.name !== name) {
        if (!isPlain(name, value)) {
          lines.length = index;
          this.#text = text;
          return false;
        }
        line = { name, value, text: `${name}: ${value}\r\n` };
        lines[index] = line;
      }
      text += line.text;
    }
    lines.length = index;
    this.#text = text;
    return true;
  }
}

function isPlain(name: string, value: string): boolean {
  return (
    name !== '' &&
    !invalidNameCharacter.test(name) &&
    !reserved.has(name.toLowerCase()) &&
    typeof value === 'string' &&
    !invalidValueCharacter.test(value)
  );
}
