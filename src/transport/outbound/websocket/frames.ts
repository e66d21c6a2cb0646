import type { TextMessages } from './messages.ts';

/** No close frame was seen (RFC 6455 7.1.5). */
export const abnormalClose = 1006;
/** A close frame without a code. */
const noCode = 1005;
const closeOpcode = 8;

/**
 * Walks over the WebSocket frames of one direction without changing or keeping them: counts them and reads the code
 * of a close frame. Takes bytes in any split.
 */
export class FrameCounter {
  /** Frames whose header was seen, control frames and continuations included. */
  frames = 0;
  /** 1006 until a close frame was seen whole. */
  closeCode = abnormalClose;
  /** Bytes of the header in progress. */
  readonly #header = new Uint8Array(14);
  #headerLength = 0;
  /** Payload bytes of the frame in progress that are still to come. */
  #left = 0;
  #close: number[] | undefined;
  #mask = 0;
  readonly #messages: TextMessages | undefined;

  /** @param messages are put together from the same frames */
  constructor(messages?: TextMessages) {
    this.#messages = messages;
  }

  /** True between frames: a frame of ours may be written here. */
  get isAtBoundary(): boolean {
    return this.#headerLength === 0 && this.#left === 0;
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) at = this.#left > 0 ? this.#payload(chunk, at) : this.#head(chunk, at);
  }

  #head(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length) {
      this.#header[this.#headerLength] = chunk[at] ?? 0;
      this.#headerLength += 1;
      at += 1;
      if (this.#headerLength >= 2 && this.#headerLength === this.#headerSize()) {
        this.#begin();
        break;
      }
    }
    return at;
  }

  #headerSize(): number {
    const second = this.#header[1] ?? 0;
    const length = second & 0x7f;
    return 2 + (length === 126 ? 2 : length === 127 ? 8 : 0) + ((second & 0x80) === 0 ? 0 : 4);
  }

  #begin(): void {
    const view = new DataView(this.#header.buffer);
    const size = this.#headerLength;
    const isMasked = (view.getUint8(1) & 0x80) !== 0;
    const short = view.getUint8(1) & 0x7f;
    this.#left = short === 126 ? view.getUint16(2) : short === 127 ? Number(view.getBigUint64(2)) : short;
    this.#mask = isMasked ? view.getUint16(size - 4) : 0;
    this.#headerLength = 0;
    this.frames += 1;
    this.#close = (view.getUint8(0) & 0x0f) === closeOpcode ? [] : undefined;
    if (this.#close !== undefined && this.#left === 0) this.closeCode = noCode;
    this.#messages?.frame(view.getUint8(0), isMasked);
    if (this.#left === 0) this.#messages?.endOfFrame();
  }

  #payload(chunk: Buffer, at: number): number {
    const taken = Math.min(this.#left, chunk.length - at);
    const close = this.#close;
    if (close !== undefined) {
      for (let i = at; i < at + taken && close.length < 2; i += 1) close.push(chunk[i] ?? 0);
      if (close.length === 2) this.closeCode = (((close[0] ?? 0) << 8) | (close[1] ?? 0)) ^ this.#mask;
    }
    this.#left -= taken;
    if (this.#messages !== undefined) {
      this.#messages.payload(chunk.subarray(at, at + taken));
      if (this.#left === 0) this.#messages.endOfFrame();
    }
    return at + taken;
  }
}

/** A close frame of ours; towards a server it must be masked, and a mask of zeros is a mask (RFC 6455 5.3). */
export function closeFrame(code: number, masked: boolean): Buffer {
  const payload = [code >> 8, code & 255];
  return Buffer.from(masked ? [0x88, 0x82, 0, 0, 0, 0, ...payload] : [0x88, 0x02, ...payload]);
}
