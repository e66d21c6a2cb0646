import { isUtf8 } from 'node:buffer';

/** Block size for locating an invalid byte. */
const block = 64 * 1024;

/** Returns the offset of the first byte that is not valid UTF-8; undefined if all are. Linear time for any input. */
export function firstNotUtf8(bytes: Buffer): number | undefined {
  if (isUtf8(bytes)) return undefined;
  for (let from = 0; from < bytes.length; ) {
    const end = startOfCharacter(bytes, Math.min(from + block, bytes.length));
    if (!isUtf8(bytes.subarray(from, end))) return firstIn(bytes, from, end);
    from = end;
  }
  return bytes.length;
}

/** Returns the last position up to `at` where a character may start. Longer runs of continuation bytes are invalid, and are not skipped. */
function startOfCharacter(bytes: Buffer, at: number): number {
  for (let back = 0; back < 4; back += 1) if (at === bytes.length || ((bytes[at - back] ?? 0) & 0xc0) !== 0x80) return at - back;
  return at;
}

function firstIn(bytes: Buffer, from: number, end: number): number {
  for (let at = from; at < end; ) {
    const next = at + lengthOf(bytes[at] ?? 0);
    if (next > end || !isUtf8(bytes.subarray(at, next))) return at;
    at = next;
  }
  return end;
}

/** Length in bytes of the character that starts with this byte. */
const lengthOf = (first: number): number => (first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4);
