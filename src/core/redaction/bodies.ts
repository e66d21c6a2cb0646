import { sizeOfPieces } from '../memory/byte-pieces.ts';
import type { Edit } from './edits.ts';
import { type ByteSource, type Redacted, type Redaction, type BodyRedactor, type ResponseBody, type TooLargeBody } from './index.ts';
import type { Counts } from './rules.ts';

/**
 * An unmasked body: a request as text with one character per byte, or a response with the times of its pieces (pairs of
 * offset and time). `upstream` is a request without a preview. `preview` is a request of which only the preview (the last
 * user message) is needed. `value` is JSON that is part of the record itself.
 */
export type UnmaskedBody =
  | { readonly kind: 'request' | 'upstream' | 'preview' | 'value'; readonly text: string; readonly source?: ByteSource }
  | { readonly kind: 'response'; readonly body: ResponseBody; readonly times: readonly number[] };

/** A masked body, which may be stored. */
export interface MaskedBody {
  readonly bytes: Buffer;
  readonly isCut: boolean;
  /** The times, with offsets in the masked bytes. */
  readonly times: readonly number[] | null;
  /** The last user message. */
  readonly preview: string | null;
  /** The edits of a large request that mostly repeats earlier ones. */
  readonly edits?: readonly Edit[] | undefined;
}

/** The bodies of one record, whose masking takes too long for the event loop that serves requests. */
export interface MaskingJob {
  readonly redactor: BodyRedactor;
  /** Maximum bytes kept of one body. */
  readonly limit: number;
  readonly bodies: readonly UnmaskedBody[];
  /** Total bytes of the bodies. */
  readonly size: number;
  /** Called once. @param masked in the order of `bodies`; undefined if masking failed, in which case no body may be kept */
  done(masked: readonly (MaskedBody | TooLargeBody)[] | undefined, counts: Counts): void;
}

export const sizeOf = (body: UnmaskedBody): number => (body.kind === 'response' ? sizeOfPieces(body.body.pieces) : body.text.length);

/** Masks one body of a record. */
export function maskBody(redaction: Redaction, unmasked: UnmaskedBody): MaskedBody | TooLargeBody {
  switch (unmasked.kind) {
    case 'request':
    case 'upstream': {
      const { body, preview, edits } = redaction.request(unmasked.text, unmasked.source, unmasked.kind === 'request');
      return body === 'too-large' ? body : { bytes: body.bytes, isCut: body.isCut, times: null, preview, edits };
    }
    case 'preview':
      return { ...nothing, preview: redaction.preview(unmasked.text) };
    case 'value':
      return { ...nothing, bytes: Buffer.from(redaction.json(unmasked.text), 'latin1') };
    case 'response':
      return maskResponse(redaction, unmasked);
    default:
      return unmasked satisfies never;
  }
}

function maskResponse(redaction: Redaction, { body, times }: Extract<UnmaskedBody, { kind: 'response' }>): MaskedBody | TooLargeBody {
  const masked = redaction.response(body);
  if (masked === 'too-large') return masked;
  return { bytes: masked.bytes, isCut: masked.isCut, times: times.length === 0 ? null : movedTimes(times, masked), preview: null };
}

const nothing: MaskedBody = Object.freeze({ bytes: Buffer.alloc(0), isCut: false, times: null, preview: null });

/** The offsets at which the pieces of a stream begin in its masked text. */
function movedTimes(times: readonly number[], { moved, bytes }: Redacted): readonly number[] {
  const out: number[] = [];
  for (let i = 0; i + 1 < times.length; i += 2) {
    const offset = moved(times[i] as number);
    if (offset < bytes.length || bytes.length === 0) out.push(offset, times[i + 1] as number);
  }
  return out;
}
