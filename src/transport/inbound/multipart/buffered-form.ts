import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hold } from '../../../core/memory/budget.ts';
import { GatewayError } from '../../../core/error.ts';

/** What is held in memory before it goes to a file. */
const memoryLimit = 1024 * 1024;
/** Bytes of one read of the file. */
const readSize = 128 * 1024;

/**
 * The bytes of a form that was read to its end. The file has no name from the moment it is open, so nothing of it is
 * left behind however the process ends; where a system forbids that, it goes when the form is closed.
 */
export class BufferedBytes {
  size = 0;
  readonly #dir: string;
  readonly #hold: Hold;
  #memory: Buffer[] = [];
  #file: FileHandle | undefined;
  #named: string | undefined;
  #isClosed = false;

  /**
   * @param dir for the temporary file
   * @param hold counts what is in memory; nothing else may use it meanwhile
   */
  constructor(dir: string, hold: Hold) {
    this.#dir = dir;
    this.#hold = hold;
  }

  /** @throws GatewayError `overloaded`, and `internal` when the disk does not take it */
  async add(chunk: Buffer): Promise<void> {
    const at = this.size;
    this.size += chunk.length;
    if (this.#file === undefined) {
      this.#hold.take(chunk.length);
      this.#memory.push(chunk);
      if (this.size > memoryLimit) await this.#spill();
    } else await this.#write(this.#file, chunk, at);
  }

  /** From the beginning, each time it is called. */
  async *chunks(): AsyncGenerator<Buffer> {
    const file = this.#file;
    if (file === undefined) {
      yield* this.#memory;
      return;
    }
    for (let at = 0; at < this.size; ) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(readSize), 0, Math.min(readSize, this.size - at), at);
      if (bytesRead === 0) throw new Error('the temporary file of a form is shorter than what was written');
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** The request is over. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#memory = [];
    this.#hold.set(0);
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
    if (this.#named !== undefined) await unlink(this.#named).catch(() => {});
  }

  async #spill(): Promise<void> {
    const path = join(this.#dir, `gateway-form-${randomUUID()}`);
    try {
      this.#file = await open(path, 'wx+', 0o600);
      await unlink(path).catch(() => {
        this.#named = path;
      });
    } catch (cause) {
      throw notKept(cause);
    }
    const whole = Buffer.concat(this.#memory);
    this.#memory = [];
    await this.#write(this.#file, whole, 0);
    this.#hold.set(0);
    // The client left while the file was being made.
    if (this.#isClosed) await this.close();
  }

  async #write(file: FileHandle, chunk: Buffer, at: number): Promise<void> {
    try {
      for (let done = 0; done < chunk.length; ) done += (await file.write(chunk, done, chunk.length - done, at + done)).bytesWritten;
    } catch (cause) {
      throw notKept(cause);
    }
  }
}

function notKept(cause: unknown): GatewayError {
  return new GatewayError('internal', { message: 'The form could not be kept in a temporary file.', cause });
}
