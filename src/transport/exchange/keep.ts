import type { KeptBody } from '../../core/plan.ts';

/** Numbers in the list of times: those of the pieces after them are not noted. */
const mostTimes = 2 * 1024;

/** Keeps the first bytes of an answer for the record, by reference, with the time at which each piece came. */
export class Keeper implements KeptBody {
  readonly pieces: Buffer[] = [];
  readonly times: number[] = [];
  size = 0;
  #room: number;

  /** @param room bytes to keep at the most */
  constructor(room: number) {
    this.#room = room;
  }

  add(chunk: Buffer, atMs: number): void {
    if (this.#room > 0) {
      const piece = chunk.length > this.#room ? chunk.subarray(0, this.#room) : chunk;
      this.pieces.push(piece);
      if (this.times.length < mostTimes) this.times.push(this.size, atMs);
      this.#room -= piece.length;
    }
    this.size += chunk.length;
  }
}
