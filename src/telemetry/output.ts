import { JsonBytes } from '../core/json/bytes.ts';
import type { Mask } from '../core/secrets/mask.ts';

/** The final destination of the text. Writes without waiting, one write at a time. */
export interface Destination {
  write(text: Buffer): void;
  /** Resolves when everything is written, or the reader accepts no more data. */
  flush(): Promise<void>;
}

/** Limits, in milliseconds and bytes, for buffering lines that can wait. */
const maxDelayMs = 50;
const maxBuffered = 128 * 1024;
/** Larger than `maxBuffered`, because lines are added until the end of the event loop turn. */
const blockSize = maxBuffered * 1.5;

/** Collects lines and writes them together, with secrets masked. */
export class Output {
  mask: Mask | undefined;
  readonly #destination: Destination;
  readonly #lines = new JsonBytes(blockSize);
  #turn: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** True while a line is being written. Other lines are buffered in `#deferred` until it is complete. */
  #isOpen = false;
  #deferred = '';

  constructor(destination: Destination) {
    this.#destination = destination;
  }

  /** Writes in this turn of the event loop, with all buffered lines. @param line with its line feed */
  write(line: string): void {
    if (this.#isOpen) this.#deferred += line;
    else this.#lines.json(line);
    this.#turn ??= setImmediate(this.#flushBuffer);
  }

  /** Writes within 50 ms, or with a line that does not wait. @param write appends a whole line; must not call `writeLater` */
  writeLater(write: (lines: JsonBytes) => void): void {
    const { length } = this.#lines;
    this.#isOpen = true;
    try {
      write(this.#lines);
    } catch (error) {
      this.#lines.cut(length);
      throw error;
    } finally {
      this.#isOpen = false;
      if (this.#deferred !== '') this.#writeDeferred();
    }
    if (this.#lines.length > maxBuffered) this.#turn ??= setImmediate(this.#flushBuffer);
    else this.#timer ??= setTimeout(this.#flushBuffer, maxDelayMs);
  }

  /** Writes immediately, after the buffered lines. @param lines complete lines with masked secrets */
  forwardLines(lines: Buffer): void {
    this.#flushBuffer();
    this.#destination.write(lines);
  }

  async flush(): Promise<void> {
    this.#flushBuffer();
    await this.#destination.flush();
  }

  #writeDeferred(): void {
    this.#lines.json(this.#deferred);
    this.#deferred = '';
  }

  readonly #flushBuffer = (): void => {
    if (this.#isOpen) return;
    clearImmediate(this.#turn);
    clearTimeout(this.#timer);
    this.#turn = undefined;
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    // A copy: the buffer is reused while this is written.
    const bytes = Buffer.from(this.#lines.copyFrom(0).buffer);
    this.#lines.reuse();
    this.#destination.write(this.#masked(bytes));
  };

  /** Masks secrets. The bytes are searched for all secrets at once; only if one is found, the text is searched for each. */
  #masked(bytes: Buffer): Buffer {
    const { mask } = this;
    return mask === undefined || mask.bytes(bytes) === bytes ? bytes : Buffer.from(mask.text(bytes.toString('utf8')));
  }
}
