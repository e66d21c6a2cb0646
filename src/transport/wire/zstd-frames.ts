const frameMagic = 0xfd2fb528;
/** The last four bits are free (RFC 8878 3.1.2). */
const skippableMagic = 0x184d2a50;
/** Bytes of fields whose size a frame's descriptor says (RFC 8878 3.1.1.1). */
const contentSizes = [0, 2, 4, 8] as const;
const dictionarySizes = [0, 1, 2, 4] as const;

/**
 * Do the bytes end where a frame ends? The decoder of Node 22 takes a frame that is cut for a whole one.
 *
 * @param bytes zstd frames one behind the other; only their headers are read, and those of their blocks
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

/** Undefined where it has none, or is no frame. */
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

/** RFC 8878 3.1.1.2: three bytes say whether a block is the last one, of which type it is, and its size. */
function endOfBlocks(bytes: Buffer, start: number): number | undefined {
  for (let at = start; at + 3 <= bytes.length; ) {
    const head = bytes.readUIntLE(at, 3);
    const isRepeated = ((head >> 1) & 3) === 1;
    at += 3 + (isRepeated ? 1 : head >> 3);
    if ((head & 1) === 1) return at;
  }
  return undefined;
}
