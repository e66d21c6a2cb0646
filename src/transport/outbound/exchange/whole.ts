import { faultError, GatewayError } from '../../../core/error.ts';
import { answerLimits } from '../../../core/json/limits.ts';
import { flawOf } from '../../../core/json/scan.ts';
import type { Tap } from '../../../core/tap.ts';
import { formatSize } from '../../../core/text/units.ts';
import { decode, DecodeFault } from '../../wire/decode.ts';
import { invalid } from './faults.ts';

/** A whole JSON answer is held in memory up to this size; larger ones flow. */
export const wholeLimit = 1024 * 1024;

/**
 * Undoes a content-encoding that the provider used although none was asked for.
 *
 * @param limit bytes that it may grow to
 * @param grew told of bytes as they are made; what it throws ends the work
 * @throws GatewayError `upstream_invalid`, and what `grew` throws
 */
export async function decompress(body: Buffer, codings: readonly string[], limit: number, grew: (bytes: number) => void): Promise<Buffer> {
  try {
    return await decode(body, codings, limit, grew);
  } catch (thrown) {
    if (!(thrown instanceof DecodeFault)) throw thrown;
    const { kind, coding } = thrown;
    const message = {
      unknown: `The provider's response has the unknown content-encoding "${coding}".`,
      broken: `The provider's response could not be decompressed (${coding}).`,
      'too-large': `The provider's response is larger than ${formatSize(limit)} when it is decompressed (${coding}).`,
    }[kind];
    throw new GatewayError('upstream_invalid', { message, source: 'provider', cause: thrown });
  }
}

/**
 * Why a whole answer with a 2xx status is not one, or undefined when it is: it must be one JSON value,
 * and not an error object in disguise.
 */
export function faultOfWhole(body: Buffer, contentType: string, tap: Tap): GatewayError | undefined {
  if (body.length === 0) return invalid('The provider returned 200 with an empty body.');
  const text = body.toString('utf8');
  const flaw = flawOf(text, answerLimits);
  if (flaw?.code === 'json_too_complex') return invalid(`The provider's response is too complex. ${flaw.message}`);
  if (flaw !== undefined) {
    // Plain text and subtitles under the wrong type; what is wrong comes as an object or a page.
    if (tap.form === 'bytes' && !contentType.includes('html') && !/^\s*[{[]/.test(text)) return undefined;
    return invalid(
      contentType.includes('html')
        ? `The provider returned an HTML page instead of ${tap.form === 'bytes' ? 'audio or text' : 'JSON'}.`
        : `The provider's response is not complete JSON (${body.length} bytes, content-type "${contentType}").`,
    );
  }
  const fault = tap.whole(text);
  if (fault === undefined) {
    // Balanced, and still no JSON to whoever parsed it.
    return tap.complete ? undefined : invalid(`The provider's response is not a JSON object (${body.length} bytes).`);
  }
  return faultError(fault);
}

/** The check for a body that is too large to hold: it must at least close what it opened. */
export function endsLikeJson(last: Buffer): boolean {
  let at = last.length - 1;
  while (at >= 0 && (last[at] === 0x0a || last[at] === 0x0d || last[at] === 0x20)) at -= 1;
  return last[at] === 0x7d || last[at] === 0x5d;
}
