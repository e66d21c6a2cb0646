import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { endsWithFrame } from './zstd-frames.ts';

/** Codings of one body: more than one is rare, more than two are somebody's trap. */
const mostCodings = 2;

/** Why bytes are not what their `content-encoding` says. */
export class DecodeFault extends Error {
  readonly kind: 'unknown' | 'broken' | 'too-large';
  /** The coding, or the whole list where that is at fault. */
  readonly coding: string;

  constructor(kind: DecodeFault['kind'], coding: string, cause?: unknown) {
    super(`${kind}: ${coding}`, { cause });
    this.kind = kind;
    this.coding = coding;
  }
}

/** The codings of a `content-encoding`, in the order in which they were applied; none for `identity`. */
export function codingsOf(header: string | undefined): readonly string[] {
  if (header === undefined || header === '' || header === 'identity') return [];
  return header.split(',', mostCodings + 1).flatMap((each) => {
    const name = each.trim().toLowerCase();
    return name === '' || name === 'identity' ? [] : name;
  });
}

/**
 * Undoes content codings off the main thread. Nothing grows beyond `limit` bytes, not even between two codings: it stops
 * where it would.
 *
 * @param grew told of bytes as they are made, those between two codings included; what it throws ends the work
 * @throws DecodeFault, and what `grew` throws
 */
export async function decode(
  bytes: Buffer,
  codings: readonly string[],
  limit: number,
  grew: (bytes: number) => void = () => {},
): Promise<Buffer> {
  if (codings.length > mostCodings) throw new DecodeFault('unknown', codings.join(', '));
  let out = bytes;
  for (const coding of codings.toReversed()) {
    const open = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
    if (open === undefined) throw new DecodeFault('unknown', coding.slice(0, 40));
    if (coding === 'zstd' && !endsWithFrame(out)) throw new DecodeFault('broken', coding);
    const decoder = open();
    const pieces: Buffer[] = [];
    let size = 0;
    decoder.end(out);
    try {
      for await (const piece of decoder as AsyncIterable<Buffer>) {
        size += piece.length;
        if (size > limit) throw new DecodeFault('too-large', coding);
        grew(piece.length);
        pieces.push(piece);
      }
    } catch (thrown) {
      throw thrown === decoder.errored ? new DecodeFault('broken', coding, thrown) : thrown;
    }
    out = Buffer.concat(pieces, size);
  }
  return out;
}

/** Bytes that are made in one step of the thread pool. */
const chunkSize = 64 * 1024;

/** Windows of more than 8 MB are not for HTTP (RFC 9659): a frame could ask for 128 MB of memory. */
const zstdWindow = { [constants.ZSTD_d_windowLogMax]: 23 };

/** Names of codings that are read (RFC 9110 8.4.1, RFC 7932, RFC 8878). */
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ chunkSize }),
  'x-gzip': () => createGunzip({ chunkSize }),
  deflate: () => createInflate({ chunkSize }),
  br: () => createBrotliDecompress({ chunkSize }),
  zstd: () => createZstdDecompress({ chunkSize, params: zstdWindow }),
};

/** For hints. */
export const knownCodings: readonly string[] = Object.keys(decoders).filter((name) => !name.startsWith('x-'));

/** True where `decode` knows each coding of a list, and the list is not too long. */
export const isDecodable = (codings: readonly string[]): boolean =>
  codings.length <= mostCodings && codings.every((coding) => Object.hasOwn(decoders, coding));
