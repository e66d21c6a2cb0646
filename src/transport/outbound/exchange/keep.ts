import type { Budget } from '../../../core/memory/budget.ts';
import type { KeptBody } from '../../../core/plan.ts';

/** Numbers in the list of times: those of the pieces after them are not noted. */
const mostTimes = 2 * 1024;
/** Bytes: pieces of this size and more are kept as they are, smaller ones behind the first are copied together. */
const large = 16 * 1024;
/** Bytes of the first block for small pieces; each further one is as large as all before it. */
const firstBlock = 4096;

/**
 * Keeps the first bytes of an answer for the record, with the time at which each piece came. A stream is hundreds of
 * small pieces, each of which costs more than it holds: they are copied into blocks. Where the budget has no room for
 * another block, the rest is not kept.
 */
export class Keeper implements KeptBody {
  readonly times: number[] = [];
  size = 0;
  readonly #budget: Budget;
  /** Whole blocks, and large pieces between them. */
  readonly #blocks: Buffer[] = [];
  #block: Buffer | undefined;
  /** Bytes of the last block that are written. */
  #used = 0;
  #room: number;
  /** Bytes that count against the budget. */
  #counted = 0;

  /** @param room bytes to keep at most */
  constructor(room: number, budget: Budget) {
    this.#room = room;
    this.#budget = budget;
  }

  get pieces(): readonly Buffer[] {
    return this.#block === undefined ? this.#blocks : [...this.#blocks, this.#block.subarray(0, this.#used)];
  }

  add(chunk: Buffer, atMs: number): void {
    if (this.#room > 0) {
      const piece = chunk.length > this.#room ? chunk.subarray(0, this.#room) : chunk;
      // The first as it is, too: most whole answers are one piece.
      const kept = piece.length >= large || this.#counted === 0 ? this.#refer(piece) : this.#copy(piece);
      if (kept > 0 && this.times.length < mostTimes) this.times.push(this.size, atMs);
      this.#room = kept < piece.length ? 0 : this.#room - kept;
    }
    this.size += chunk.length;
  }

  /** Nothing more comes, and what was kept counts no longer: the record takes it. */
  end(): void {
    this.#budget.give(this.#counted);
    this.#counted = 0;
    this.#room = 0;
  }

  #refer(piece: Buffer): number {
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

  /** A new block; undefined where the budget has no room for it. */
  #open(): Buffer | undefined {
    const size = Math.min(Math.max(firstBlock, this.#counted), large, this.#room);
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
    this.#counted += bytes;
    return true;
  }
}
