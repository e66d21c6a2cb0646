import { appendBytes } from '../../../core/memory/byte-pieces.ts';

/** Characters at the start of a message that identify its kind. */
const beginningLength = 512;

/** Maximum bytes of a message that is read. */
const longest = 1024 * 1024;

const textOpcode = 1;
const firstControlOpcode = 8;

/** Reads selected messages of one direction. */
export interface MessageReader {
  /** True if the text message that begins like this should be read. */
  reads(beginning: string): boolean;
  /** @param text undefined for a selected message that is too long */
  read(text: string | undefined): void;
}

/**
 * Assembles those text messages of a WebSocket that the reader selects by their beginning (RFC 6455 5.4). Accepts frames
 * split at any position. Compressed and masked messages are not read.
 */
export class TextMessageAssembler {
  readonly #reader: MessageReader;
  #pieces: Buffer[] = [];
  #size = 0;
  /** State of the current message: `unknown` until enough of it was received. */
  #state: 'unknown' | 'wanted' | 'passed' = 'passed';
  #isControl = false;
  #isFinal = false;

  constructor(reader: MessageReader) {
    this.#reader = reader;
  }

  /** @param first first byte of the frame: FIN, RSV1–3 and the opcode (RFC 6455 5.2) */
  frame(first: number, isMasked: boolean): void {
    const opcode = first & 0x0f;
    this.#isControl = opcode >= firstControlOpcode;
    if (this.#isControl) return;
    this.#isFinal = (first & 0x80) !== 0;
    if (opcode === 0) return;
    this.#pieces = [];
    this.#size = 0;
    this.#state = opcode === textOpcode && (first & 0x70) === 0 && !isMasked ? 'unknown' : 'passed';
  }

  payload(bytes: Buffer): void {
    if (this.#isControl || this.#state === 'passed') return;
    appendBytes(this.#pieces, bytes);
    this.#size += bytes.length;
    if (this.#state === 'unknown' && this.#size >= beginningLength) this.#selectMessage();
    if (this.#size > longest) this.#tooLong();
  }

  /** Called after the last byte of a frame. */
  endOfFrame(): void {
    if (this.#isControl || !this.#isFinal) return;
    if (this.#state === 'unknown') this.#selectMessage();
    if (this.#state !== 'wanted') return;
    const text = Buffer.concat(this.#pieces).toString('utf8');
    this.#ignoreMessage();
    this.#reader.read(text);
  }

  #selectMessage(): void {
    const beginning = Buffer.concat(this.#pieces, Math.min(this.#size, beginningLength)).toString('latin1');
    if (this.#reader.reads(beginning)) this.#state = 'wanted';
    else this.#ignoreMessage();
  }

  #tooLong(): void {
    if (this.#state !== 'wanted') return;
    this.#ignoreMessage();
    this.#reader.read(undefined);
  }

  #ignoreMessage(): void {
    this.#state = 'passed';
    this.#pieces = [];
  }
}
