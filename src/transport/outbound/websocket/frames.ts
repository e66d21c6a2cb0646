import type { TextMessageAssembler } from './messages.ts';

/** No close frame was received (RFC 6455 7.1.5). */
export const abnormalClose = 1006;
/** A close frame without a code. */
const noCode = 1005;
const closeOpcode = 8;

/**
 * Parses the WebSocket frames of one direction without changing or storing them: counts frames and reads the code of a
 * close frame. Accepts bytes split at any position.
 */
export class FrameCounter {
  /** Frames whose header was parsed, including control frames and continuations. */
  frames = 0;
  /** 1006 until a close frame with its code was received. */
  closeCode = abnormalClose;
  /** Bytes of the incomplete header. */
  readonly #header = new Uint8Array(14);
  #headerLength = 0;
  /** Payload bytes of the current frame that are not received yet. */
  #remaining = 0;
  #close: number[] | undefined;
  #mask = 0;
  readonly #messages: TextMessageAssembler | undefined;

  /** @param messages assembles text messages from the same frames */
  constructor(messages?: TextMessageAssembler) {
    this.#messages = messages;
  }

  /** True between frames, where the gateway may write a frame of its own. */
  get isAtBoundary(): boolean {
    return this.#headerLength === 0 && this.#remaining === 0;
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) at = this.#remaining > 0 ? this.#payload(chunk, at) : this.#head(chunk, at);
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
    this.#remaining = short === 126 ? view.getUint16(2) : short === 127 ? Number(view.getBigUint64(2)) : short;
    this.#mask = isMasked ? view.getUint16(size - 4) : 0;
    this.#headerLength = 0;
    this.frames += 1;
    this.#close = (view.getUint8(0) & 0x0f) === closeOpcode ? [] : undefined;
    if (this.#close !== undefined && this.#remaining === 0) this.closeCode = noCode;
    this.#messages?.frame(view.getUint8(0), isMasked);
    if (this.#remaining === 0) this.#messages?.endOfFrame();
  }

  #payload(chunk: Buffer, at: number): number {
    const consumed = Math.min(this.#remaining, chunk.length - at);
    const close = this.#close;
    if (close !== undefined) {
      for (let i = at; i < at + consumed && close.length < 2; i += 1) close.push(chunk[i] ?? 0);
      if (close.length === 2) this.closeCode = (((close[0] ?? 0) << 8) | (close[1] ?? 0)) ^ this.#mask;
    }
    this.#remaining -= consumed;
    if (this.#messages !== undefined) {
      this.#messages.payload(chunk.subarray(at, at + consumed));
      if (this.#remaining === 0) this.#messages.endOfFrame();
    }
    return at + consumed;
  }
}

/** Makes a close frame. Frames to a server must be masked; an all-zero mask is allowed (RFC 6455 5.3). */
export function closeFrame(code: number, masked: boolean): Buffer {
  const payload = [code >> 8, code & 255];
  return Buffer.from(masked ? [0x88, 0x82, 0, 0, 0, 0, ...payload] : [0x88, 0x02, ...payload]);
}
