import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type Decoded, decodeFrame, decodeHead } from '../../decode.ts';

/** A block is closed when it holds so many records or bytes: records are alike, and alike things are small together. */
export const blockRecords = 128;
export const blockBytes = 256 * 1024;

/** Smaller ones are stored as they are: setting up the compressor would cost more than the bytes. */
const leastCompressed = 8 * 1024;
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const zstdMagic = 0xfd2fb528;

/** Frames, one behind the other, as they lie in the spool. */
export function packBlock(frames: readonly Buffer[]): Buffer {
  const bytes = frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames);
  return bytes.length < leastCompressed ? bytes : zstdCompressSync(bytes, options);
}

export function unpackBlock(packed: Uint8Array): Buffer {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  // A frame begins with a brace.
  return bytes.length >= 4 && bytes.readUInt32LE(0) === zstdMagic ? zstdDecompressSync(bytes) : bytes;
}

/** The frame that begins at an offset of an unpacked block. */
export function frameAt(block: Buffer, start: number): (Decoded & { state: 'whole' }) | undefined {
  const decoded = decodeFrame(block, start);
  return decoded.state === 'whole' ? decoded : undefined;
}

/** The same, without its messages: half of the work where only a row is made of it. */
export function headAt(block: Buffer, start: number): (Decoded & { state: 'whole' }) | undefined {
  const decoded = decodeHead(block, start);
  return decoded.state === 'whole' ? decoded : undefined;
}

/** Rows of a block, in their order. */
export function packSeqs(seqs: readonly number[]): Uint8Array {
  return new Uint8Array(Float64Array.from(seqs).buffer);
}

export function seqsIn(packed: Uint8Array): Float64Array {
  // A copy: numbers may not begin at any byte.
  return new Float64Array(packed.slice().buffer);
}
