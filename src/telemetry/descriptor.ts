import { constants, fstatSync, openSync, write } from 'node:fs';
import type { Destination } from './output.ts';

/** Maximum number of bytes buffered for a slow reader; further text is dropped. */
const maxBuffered = 8 * 1024 * 1024;
/** How long `flush` waits for a stalled reader, in milliseconds. */
const flushMs = 1000;
/** Delay before the next write to a stalled reader, in milliseconds. */
const retryMs = 50;

const lineEnd = Buffer.from('\n');

/** Errors after which the reader never reads again. */
const closedCodes: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EBADF', 'ECONNRESET']);

/**
 * Writes to a descriptor from the thread pool, one write at a time. A stalled reader must not block the gateway, as a write to
 * `process.stdout` on a pipe would. Text that a full disk rejects is lost, and the next write is tried.
 */
export class DescriptorWriter implements Destination {
  readonly #fd: number;
  readonly #onLost: (writes: number) => void;
  #queue: Buffer[] = [];
  /** Bytes in the queue and in the current write. */
  #pendingBytes = 0;
  /** The unwritten rest of the current write. */
  #rest: Buffer | undefined;
  #droppedWrites = 0;
  #endsLine = true;
  /** Only a part of a line was written: the next text begins a new line. */
  #isCut = false;
  #isClosed = false;
  #onIdle: (() => void)[] = [];

  /** @param onLost called with the number of dropped writes as soon as one succeeds again */
  constructor(fd: number, onLost: (writes: number) => void) {
    this.#fd = privateDescriptor(fd);
    this.#onLost = onLost;
  }

  write(text: string | Buffer): void {
    if (this.#isClosed) return;
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    if (this.#pendingBytes + bytes.length > maxBuffered) {
      this.#droppedWrites += 1;
      return;
    }
    this.#queue.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#rest === undefined) this.#next();
  }

  flush(): Promise<void> {
    if (this.#rest === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, flushMs);
      this.#onIdle.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #next(): void {
    if (this.#isCut) {
      this.#isCut = false;
      this.#queue.unshift(lineEnd);
      this.#pendingBytes += lineEnd.length;
    }
    this.#rest = this.#queue.length === 1 ? this.#queue[0] : Buffer.concat(this.#queue);
    this.#queue = [];
    this.#send();
  }

  readonly #send = (): void => {
    if (this.#rest !== undefined) write(this.#fd, this.#rest, this.#onWritten);
  };

  readonly #onWritten = (error: NodeJS.ErrnoException | null, taken: number): void => {
    const rest = this.#rest ?? Buffer.alloc(0);
    if (error === null) {
      this.#pendingBytes -= taken;
      if (taken > 0) this.#endsLine = rest[taken - 1] === lineEnd[0];
      this.#rest = rest.subarray(taken);
      if (this.#rest.length > 0) this.#send();
      else this.#done(true);
    } else if (error.code === 'EAGAIN') {
      setTimeout(this.#send, retryMs).unref();
    } else {
      this.#pendingBytes -= rest.length;
      this.#droppedWrites += 1;
      this.#isCut = !this.#endsLine;
      this.#isClosed = closedCodes.has(error.code);
      this.#done(false);
    }
  };

  #done(isTaken: boolean): void {
    this.#rest = undefined;
    if (this.#isClosed) this.#queue = [];
    if (this.#queue.length > 0) {
      this.#next();
      return;
    }
    for (const resolve of this.#onIdle.splice(0)) resolve();
    if (!isTaken || this.#droppedWrites === 0) return;
    const lost = this.#droppedWrites;
    this.#droppedWrites = 0;
    this.#onLost(lost);
  }
}

/**
 * Opens a private descriptor for a pipe, if the system allows it. Other processes that share the first descriptor can make it
 * blocking, and a blocking write would prevent the process from exiting.
 */
function privateDescriptor(fd: number): number {
  try {
    if (fstatSync(fd).isFIFO()) return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // No /proc, or a pipe of another user: use the descriptor as given.
  }
  return fd;
}
