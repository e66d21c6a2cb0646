import type { MemoryBudget } from '../../../core/memory/budget.ts';
import type { KeptBody } from '../../../core/plan.ts';

/** Maximum numbers in the list of times. The times of later pieces are not recorded. */
const maxTimes = 2 * 1024;
/** Size in bytes from which pieces are kept by reference. Smaller ones, except the first, are copied into shared blocks. */
const large = 16 * 1024;
/** Size in bytes of the first block for small pieces. Each later block is as large as everything kept before it, up to `large`. */
const firstBlock = 4096;

/**
 * Keeps the first bytes of a response for the record, with the arrival time of each piece. A stream has hundreds of small
 * pieces, each with more overhead than content, so they are copied into blocks. When the budget allows no further block,
 * the rest is not kept.
 */
export class BodyRecorder implements KeptBody {
  readonly times: number[] = [];
  size = 0;
  contentType = '';
  readonly #budget: MemoryBudget;
  /** Full blocks, and the large pieces between them. */
  readonly #blocks: Buffer[] = [];
  #block: Buffer | undefined;
  /** Bytes used in the last block. */
  #used = 0;
  #remaining: number;
  /** Bytes that count against the budget. */
  #reservedBytes = 0;

  /** @param maxBytes maximum bytes to keep */
  constructor(maxBytes: number, budget: MemoryBudget) {
    this.#remaining = maxBytes;
    this.#budget = budget;
  }

  get pieces(): readonly Buffer[] {
    return this.#block === undefined ? this.#blocks : [...this.#blocks, this.#block.subarray(0, this.#used)];
  }

  add(chunk: Buffer, atMs: number): void {
    if (this.#remaining > 0) {
      const piece = chunk.length > this.#remaining ? chunk.subarray(0, this.#remaining) : chunk;
      // Keep the first piece by reference too: most whole responses are one piece.
      const added = piece.length >= large || this.#reservedBytes === 0 ? this.#addReference(piece) : this.#copy(piece);
      if (added > 0 && this.times.length < maxTimes) this.times.push(this.size, atMs);
      this.#remaining = added < piece.length ? 0 : this.#remaining - added;
    }
    this.size += chunk.length;
  }

  /** No more bytes follow. The kept bytes no longer count here, because the record takes them over. */
  end(): void {
    this.#budget.give(this.#reservedBytes);
    this.#reservedBytes = 0;
    this.#remaining = 0;
  }

  #addReference(piece: Buffer): number {
    if (!this.#take(piece.length)) return 0;
    this.#close();
    this.#blocks.push(piece);
    return piece.length;
  }

  #copy(piece: Buffer): number {
    let done = 0;
    while (done < piece.length) {
      const block = this.#block !== undefined && this.#used < this.#block.length ? this.#block : this.#open();
      if (block === undefined) return done;
      const copied = piece.copy(block, this.#used, done);
      this.#used += copied;
      done += copied;
    }
    return done;
  }

  /** Returns a new block, or undefined if the budget does not allow one. */
  #open(): Buffer | undefined {
    const size = Math.min(Math.max(firstBlock, this.#reservedBytes), large, this.#remaining);
    if (!this.#take(size)) return undefined;
    this.#close();
    this.#block = Buffer.allocUnsafeSlow(size);
    return this.#block;
  }

  #close(): void {
    if (this.#block !== undefined) this.#blocks.push(this.#block.subarray(0, this.#used));
    this.#block = undefined;
    this.#used = 0;
  }

  #take(bytes: number): boolean {
    if (!this.#budget.take(bytes)) return false;
    this.#reservedBytes += bytes;
    return true;
  }
}
