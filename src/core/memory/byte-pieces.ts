/** Bytes: pieces of this size and more stay as they are. */
const large = 16 * 1024;

/**
 * Adds bytes to a list of them. Small pieces are joined with those of about their size, so that a body which comes byte
 * by byte is no list of millions of buffers, and each byte is copied a few times at most.
 */
export function appendBytes(pieces: Buffer[], piece: Buffer): void {
  let joined = piece;
  for (let last = pieces.at(-1); last !== undefined && fit(last.length, joined.length); last = pieces.at(-1)) {
    pieces.pop();
    joined = Buffer.concat([last, joined]);
  }
  pieces.push(joined);
}

const fit = (last: number, next: number): boolean => last < large && next < large && last <= next * 2;
