const frameMagic = 0xfd2fb528;
/** The last four bits are arbitrary (RFC 8878 3.1.2). */
const skippableMagic = 0x184d2a50;
/** Sizes of optional header fields, by their code in the frame's descriptor (RFC 8878 3.1.1.1). */
const contentSizes = [0, 2, 4, 8] as const;
const dictionarySizes = [0, 1, 2, 4] as const;

/**
 * Returns whether the bytes end at the end of a frame. The decoder of Node 22 does not detect a truncated frame.
 *
 * @param bytes concatenated zstd frames; only frame headers and block headers are read
 */
export function endsWithFrame(bytes: Buffer): boolean {
  let at = 0;
  while (at < bytes.length) {
    const end = endOfFrame(bytes, at);
    if (end === undefined) return false;
    at = end;
  }
  return at === bytes.length;
}

/** Returns the end of a frame; undefined if it is incomplete or not a frame. */
function endOfFrame(bytes: Buffer, start: number): number | undefined {
  if (start + 8 > bytes.length) return undefined;
  const magic = bytes.readUInt32LE(start);
  if ((magic & 0xfffffff0) >>> 0 === skippableMagic) return start + 8 + bytes.readUInt32LE(start + 4);
  if (magic !== frameMagic) return undefined;
  const descriptor = bytes[start + 4] as number;
  const isSingle = (descriptor & 0x20) !== 0;
  const contentSize = contentSizes[descriptor >> 6] || (isSingle ? 1 : 0);
  const header = 5 + (isSingle ? 0 : 1) + (dictionarySizes[descriptor & 3] as number) + contentSize;
  const end = endOfBlocks(bytes, start + header);
  return end === undefined || (descriptor & 4) === 0 ? end : end + 4;
}

/** RFC 8878 3.1.1.2: a block header of three bytes has the last-block flag, the block type and the block size. */
function endOfBlocks(bytes: Buffer, start: number): number | undefined {
  for (let at = start; at + 3 <= bytes.length; ) {
    const head = bytes.readUIntLE(at, 3);
    const isRepeated = ((head >> 1) & 3) === 1;
    at += 3 + (isRepeated ? 1 : head >> 3);
    if ((head & 1) === 1) return at;
  }
  return undefined;
}
