import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { endsWithFrame } from './zstd-frames.ts';

/** Maximum number of codings of a body: more than one is rare, and more than two suggest an attack. */
const maxCodings = 2;

/** Error for bytes that do not match their `content-encoding`. */
export class DecodeFault extends Error {
  readonly kind: 'unknown' | 'broken' | 'too-large';
  /** The coding, or the whole list if the list is the problem. */
  readonly coding: string;

  constructor(kind: DecodeFault['kind'], coding: string, cause?: unknown) {
    super(`${kind}: ${coding}`, { cause });
    this.kind = kind;
    this.coding = coding;
  }
}

/** Parses a `content-encoding` into codings in the order in which they were applied; empty for `identity`. */
export function codingsOf(header: string | undefined): readonly string[] {
  if (header === undefined || header === '' || header === 'identity') return [];
  const named = header.split(',').flatMap((each) => {
    const name = each.trim().toLowerCase();
    return name === '' || name === 'identity' ? [] : name;
  });
  return named.slice(0, maxCodings + 1);
}

/**
 * Decodes content codings off the main thread. Stops before any result, including intermediate ones, exceeds `limit`
 * bytes.
 *
 * @param onOutput called with the size of each piece of output, including intermediate ones; an error thrown by it aborts
 * decoding
 * @throws DecodeFault, and what `onOutput` throws
 */
export async function decode(
  bytes: Buffer,
  codings: readonly string[],
  limit: number,
  onOutput: (bytes: number) => void = () => {},
): Promise<Buffer> {
  if (codings.length > maxCodings) throw new DecodeFault('unknown', codings.join(', '));
  let out = bytes;
  for (const coding of codings.toReversed()) {
    const createDecoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
    if (createDecoder === undefined) throw new DecodeFault('unknown', coding.slice(0, 40));
    if (coding === 'zstd' && !endsWithFrame(out)) throw new DecodeFault('broken', coding);
    const decoder = createDecoder();
    const pieces: Buffer[] = [];
    let size = 0;
    decoder.end(out);
    try {
      for await (const piece of decoder as AsyncIterable<Buffer>) {
        size += piece.length;
        if (size > limit) throw new DecodeFault('too-large', coding);
        onOutput(piece.length);
        pieces.push(piece);
      }
    } catch (thrown) {
      throw thrown === decoder.errored ? new DecodeFault('broken', coding, thrown) : thrown;
    }
    out = Buffer.concat(pieces, size);
  }
  return out;
}

/** Output bytes per step of the thread pool. */
const chunkSize = 64 * 1024;

/** Windows of more than 8 MB are not permitted in HTTP (RFC 9659): a frame could otherwise require 128 MB of memory. */
const zstdWindow = { [constants.ZSTD_d_windowLogMax]: 23 };

/** Supported codings (RFC 9110 8.4.1, RFC 7932, RFC 8878). */
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ chunkSize }),
  'x-gzip': () => createGunzip({ chunkSize }),
  deflate: () => createInflate({ chunkSize }),
  br: () => createBrotliDecompress({ chunkSize }),
  zstd: () => createZstdDecompress({ chunkSize, params: zstdWindow }),
};

/** Names shown in hints. */
export const knownCodings: readonly string[] = Object.keys(decoders).filter((name) => !name.startsWith('x-'));

/** True if `decode` supports each coding of a list, and the list is not too long. */
export const isDecodable = (codings: readonly string[]): boolean =>
  codings.length <= maxCodings && codings.every((coding) => Object.hasOwn(decoders, coding));
