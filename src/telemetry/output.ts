import { JsonBytes } from '../core/json/bytes.ts';
import type { Mask } from '../core/secrets/mask.ts';

/** What takes the text in the end: writes without waiting, one write in flight. */
export interface Destination {
  write(text: Buffer): void;
  /** Resolves when all is written, or its reader takes nothing any more. */
  flush(): Promise<void>;
}

/** Milliseconds and bytes for which lines that can wait do so. */
const longestWait = 50;
const mostWaiting = 128 * 1024;
/** Lines are added until the turn of the event loop ends. */
const blockSize = mostWaiting * 1.5;

/** Gathers lines and hands them on together, secrets hidden. */
export class Output {
  mask: Mask | undefined;
  readonly #destination: Destination;
  readonly #lines = new JsonBytes(blockSize);
  #turn: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** A line is being written: what comes meanwhile waits behind it, whole. */
  #isOpen = false;
  #behind = '';

  constructor(destination: Destination) {
    this.#destination = destination;
  }

  /** Handed on in this turn of the event loop, with all that waits. @param line with its line feed */
  write(line: string): void {
    if (this.#isOpen) this.#behind += line;
    else this.#lines.json(line);
    this.#turn ??= setImmediate(this.#handOn);
  }

  /** Handed on soon: in 50 ms, or with a line that does not wait. @param write appends a whole line, and is not called again in it */
  later(write: (lines: JsonBytes) => void): void {
    const { length } = this.#lines;
    this.#isOpen = true;
    try {
      write(this.#lines);
    } catch (error) {
      this.#lines.cut(length);
      throw error;
    } finally {
      this.#isOpen = false;
      if (this.#behind !== '') this.#catchUp();
    }
    if (this.#lines.length > mostWaiting) this.#turn ??= setImmediate(this.#handOn);
    else this.#timer ??= setTimeout(this.#handOn, longestWait);
  }

  /** Handed on now, behind what waits. @param lines whole ones, in which secrets are hidden already */
  passOn(lines: Buffer): void {
    this.#handOn();
    this.#destination.write(lines);
  }

  async flush(): Promise<void> {
    this.#handOn();
    await this.#destination.flush();
  }

  #catchUp(): void {
    this.#lines.json(this.#behind);
    this.#behind = '';
  }

  readonly #handOn = (): void => {
    if (this.#isOpen) return;
    clearImmediate(this.#turn);
    clearTimeout(this.#timer);
    this.#turn = undefined;
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    // A copy: it is written while others are gathered.
    const bytes = Buffer.from(this.#lines.since(0).buffer);
    this.#lines.reuse();
    this.#destination.write(this.#masked(bytes));
  };

  /** Bytes are searched for all secrets at once; only where one was found it is worth to look for each in the text. */
  #masked(bytes: Buffer): Buffer {
    const { mask } = this;
    return mask === undefined || mask.bytes(bytes) === bytes ? bytes : Buffer.from(mask.text(bytes.toString('utf8')));
  }
}
