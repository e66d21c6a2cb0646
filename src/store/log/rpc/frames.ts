/** The contents of a frame in a pipe: a call, the start data of a process, one of the forms of a reply, or a report. */
export const frameKinds = { json: 0, bytes: 1, nothing: 2, error: 3, problems: 4 } as const;
export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

/** Maximum payload of one frame, in bytes. */
export const maxPayload = 128 * 1024 * 1024;

/** The length of the payload (4 bytes), the number of the call (4), and the kind (1). */
const headBytes = 9;

export interface RpcFrame {
  readonly id: number;
  readonly kind: number;
  /** The buffer is not shared. */
  readonly payload: Buffer;
}

export function frameHead(id: number, kind: FrameKind, length: number): Buffer {
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32LE(length, 0);
  head.writeUInt32LE(id, 4);
  head.writeUInt8(kind, 8);
  return head;
}

export function jsonFrame(id: number, kind: FrameKind, value: unknown): Buffer {
  const payload = Buffer.from(JSON.stringify(value));
  return Buffer.concat([frameHead(id, kind, payload.length), payload]);
}

/** Assembles frames from the pieces read from a pipe. Each byte is copied once. */
export class FrameDecoder {
  readonly #onFrame: (frame: RpcFrame) => void;
  readonly #head = Buffer.alloc(headBytes);
  #headRead = 0;
  #payload: Buffer | undefined;
  #read = 0;

  constructor(onFrame: (frame: RpcFrame) => void) {
    this.#onFrame = onFrame;
  }

  /** @throws Error for an invalid frame */
  push(piece: Buffer): void {
    for (let at = 0; at < piece.length; ) {
      const payload = this.#payload;
      const copied = payload === undefined ? piece.copy(this.#head, this.#headRead, at) : piece.copy(payload, this.#read, at);
      at += copied;
      if (payload === undefined) this.#headRead += copied;
      else this.#read += copied;
      if (this.#headRead === headBytes) this.#finish();
    }
  }

  #finish(): void {
    const length = this.#head.readUInt32LE(0);
    if (length > maxPayload) throw new Error(`a frame of ${length} bytes`);
    // Allocate the exact size, not shared, because ownership of the payload is passed on.
    const payload = (this.#payload ??= Buffer.allocUnsafeSlow(length));
    if (this.#read < length) return;
    this.#payload = undefined;
    [this.#headRead, this.#read] = [0, 0];
    this.#onFrame({ id: this.#head.readUInt32LE(4), kind: this.#head.readUInt8(8), payload });
  }
}
