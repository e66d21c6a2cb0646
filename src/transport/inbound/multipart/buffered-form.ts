import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { MemoryReservation } from '../../../core/memory/budget.ts';
import { GatewayError } from '../../../core/error.ts';

/** Maximum bytes held in memory before they are moved to a file. */
const memoryLimit = 1024 * 1024;
/** Bytes per read of the file. */
const readSize = 128 * 1024;

/**
 * The bytes of a form that was read completely. The temporary file is unlinked right after it was opened, so it
 * disappears however the process ends. If the system does not permit that, it is deleted when the form is closed.
 */
export class FormBuffer {
  size = 0;
  readonly #dir: string;
  readonly #hold: MemoryReservation;
  #memory: Buffer[] = [];
  #file: FileHandle | undefined;
  #fileToDelete: string | undefined;
  #isClosed = false;

  /**
   * @param dir directory of the temporary file
   * @param hold counts the memory used; must not be used elsewhere at the same time
   */
  constructor(dir: string, hold: MemoryReservation) {
    this.#dir = dir;
    this.#hold = hold;
  }

  /** @throws GatewayError `overloaded`, or `internal` if writing to disk fails */
  async add(chunk: Buffer): Promise<void> {
    const at = this.size;
    this.size += chunk.length;
    if (this.#file === undefined) {
      this.#hold.take(chunk.length);
      this.#memory.push(chunk);
      if (this.size > memoryLimit) await this.#spill();
    } else await this.#write(this.#file, chunk, at);
  }

  /** Yields all bytes from the start, at each call. */
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

  /** The request has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#memory = [];
    this.#hold.set(0);
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
    if (this.#fileToDelete !== undefined) await unlink(this.#fileToDelete).catch(() => {});
  }

  async #spill(): Promise<void> {
    const path = join(this.#dir, `gateway-form-${randomUUID()}`);
    try {
      this.#file = await open(path, 'wx+', 0o600);
      await unlink(path).catch(() => {
        this.#fileToDelete = path;
      });
    } catch (cause) {
      throw storageFault(cause);
    }
    const whole = Buffer.concat(this.#memory);
    this.#memory = [];
    await this.#write(this.#file, whole, 0);
    this.#hold.set(0);
    // The client disconnected while the file was being created.
    if (this.#isClosed) await this.close();
  }

  async #write(file: FileHandle, chunk: Buffer, at: number): Promise<void> {
    try {
      for (let done = 0; done < chunk.length; ) done += (await file.write(chunk, done, chunk.length - done, at + done)).bytesWritten;
    } catch (cause) {
      throw storageFault(cause);
    }
  }
}

function storageFault(cause: unknown): GatewayError {
  return new GatewayError('internal', { message: 'The form could not be kept in a temporary file.', cause });
}
