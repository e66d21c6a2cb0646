import { releaseBuffer } from '../../core/memory/release-buffer.ts';
import type { MaskedBody, UnmaskedBody } from '../../core/redaction/bodies.ts';
import type { TooLargeBody } from '../../core/redaction/index.ts';
import type { Counts, RedactionRules } from '../../core/redaction/rules.ts';

/** The rules of a redactor, in a form that can be sent to a thread. */
export interface PostedRules {
  readonly rules: Omit<RedactionRules, 'own'>;
  /** Source text of the user's own patterns. */
  readonly own: readonly string[];
  readonly secrets: readonly string[];
}

/** A body whose bytes were copied into a buffer that is transferred to the thread. */
export type PostedBody =
  | { readonly kind: 'request' | 'upstream' | 'preview' | 'value'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'response';
      readonly bytes: Uint8Array;
      readonly size: number;
      readonly contentType: string;
      readonly isBroken: boolean | undefined;
      readonly times: readonly number[];
    };

export interface PostedJob {
  /** Undefined: use the rules of the previous job. */
  readonly rules: PostedRules | undefined;
  readonly limit: number;
  readonly bodies: readonly PostedBody[];
}

type MaskedHeads = (Omit<MaskedBody, 'bytes'> | TooLargeBody)[];

/** The result. The bytes of each body come last, so that their buffers can be transferred. */
export type PostedMasked = readonly [head: { readonly bodies: MaskedHeads; readonly counts: Counts }, ...bytes: Uint8Array[]];

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * Converts a posted body. A text keeps its buffer, in which it is posted back if nothing is masked; that of a text beyond
 * the limit is released, because only a part of it is kept.
 *
 * @param limit maximum bytes kept of one body
 */
export function toUnmaskedBody(body: PostedBody, limit: number): UnmaskedBody {
  const bytes = bufferOf(body.bytes);
  if (body.kind !== 'response') {
    const text = bytes.toString('latin1');
    if (text.length <= limit) return { kind: body.kind, text, source: { start: (length) => bytes.subarray(0, length) } };
    releaseBuffer(bytes);
    return { kind: body.kind, text };
  }
  const { size, contentType, isBroken, times } = body;
  return { kind: 'response', body: { pieces: [bytes], size, contentType, isBroken }, times };
}

export function toPosted(masked: readonly (MaskedBody | TooLargeBody)[], counts: Counts): PostedMasked {
  const bodies: MaskedHeads = [];
  const all: Uint8Array[] = [];
  for (const one of masked) {
    if (one === 'too-large') bodies.push(one);
    else {
      const { bytes, ...rest } = one;
      bodies.push(rest);
      all.push(bytes);
    }
  }
  return [{ bodies, counts }, ...all];
}

export function fromPosted([{ bodies }, ...all]: PostedMasked): (MaskedBody | TooLargeBody)[] {
  let next = 0;
  return bodies.map((one) => {
    if (one === 'too-large') return one;
    next += 1;
    return { ...one, bytes: bufferOf(all[next - 1] as Uint8Array) };
  });
}
