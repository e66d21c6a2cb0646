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
