/** Pieces of this size or larger are not joined, in bytes. */
const maxJoinedSize = 16 * 1024;

/**
 * Appends bytes to a list of pieces. Small pieces are joined with others of about their size, so that a body which
 * arrives byte by byte does not become millions of buffers, and each byte is copied only a few times.
 */
export function appendBytes(pieces: Buffer[], piece: Buffer): void {
  let joined = piece;
  for (let last = pieces.at(-1); last !== undefined && canJoin(last.length, joined.length); last = pieces.at(-1)) {
    pieces.pop();
    joined = Buffer.concat([last, joined]);
  }
  pieces.push(joined);
}

const canJoin = (last: number, next: number): boolean => last < maxJoinedSize && next < maxJoinedSize && last <= next * 2;

/** Runs of pieces are joined up to this size, in bytes. */
const maxRunSize = 64 * 1024;

/** Joins each run of small pieces: writing millions of short lines one by one would block the process for seconds. */
export function joinRuns(pieces: Buffer[]): Buffer[] {
  if (pieces.length < 2) return pieces;
  const joined: Buffer[] = [];
  let [start, size] = [0, 0];
  for (const [i, { length }] of pieces.entries()) {
    if (i > start && size + length > maxRunSize) {
      joined.push(joinRun(pieces.slice(start, i)));
      [start, size] = [i, 0];
    }
    size += length;
  }
  joined.push(joinRun(pieces.slice(start)));
  return joined;
}

const joinRun = (run: readonly Buffer[]): Buffer => (run.length === 1 && run[0] !== undefined ? run[0] : Buffer.concat(run));

/** Bytes of all pieces together. */
export function sizeOfPieces(pieces: readonly Buffer[]): number {
  let size = 0;
  for (const piece of pieces) size += piece.length;
  return size;
}
