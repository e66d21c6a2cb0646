import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type Decoded, decodeFrame, decodeHead } from '../../decode.ts';

/** A block is closed at this many records or bytes. Records are similar, so they compress well together. */
export const blockRecords = 128;
export const blockBytes = 256 * 1024;

/** Blocks below this many bytes are stored uncompressed, because setting up the compressor would cost more. */
const minCompressedBytes = 8 * 1024;
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const zstdMagic = 0xfd2fb528;

/** Packs frames, one after another, in the form that they have in the spool. */
export function packBlock(frames: readonly Buffer[]): Buffer {
  const bytes = frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames);
  return bytes.length < minCompressedBytes ? bytes : zstdCompressSync(bytes, options);
}

/** Empty if the bytes are damaged. SQLite notices damage of its own pages only, and one block must not hide the others. */
export function unpackBlock(packed: Uint8Array): Buffer {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  // A frame begins with a brace, so it cannot be confused with compressed data.
  if (bytes.length < 4 || bytes.readUInt32LE(0) !== zstdMagic) return bytes;
  try {
    return zstdDecompressSync(bytes);
  } catch {
    return Buffer.alloc(0);
  }
}

/** The frame at an offset of an unpacked block. */
export function frameAt(block: Buffer, start: number): (Decoded & { state: 'whole' }) | undefined {
  const decoded = decodeFrame(block, start);
  return decoded.state === 'whole' ? decoded : undefined;
}

/** Like `frameAt`, but without the messages: half of the work if only a row is needed. */
export function headAt(block: Buffer, start: number): (Decoded & { state: 'whole' }) | undefined {
  const decoded = decodeHead(block, start);
  return decoded.state === 'whole' ? decoded : undefined;
}

/** Packs the numbers of a block's rows, in order. */
export function packSeqs(seqs: readonly number[]): Uint8Array {
  return new Uint8Array(Float64Array.from(seqs).buffer);
}

export function seqsIn(packed: Uint8Array): Float64Array {
  // Copy it, because a Float64Array needs an aligned offset.
  return new Float64Array(packed.slice().buffer);
}
