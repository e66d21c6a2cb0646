import { faultError, GatewayError } from '../../../core/error.ts';
import { responseLimits } from '../../../core/json/limits.ts';
import { flawOf } from '../../../core/json/scan.ts';
import type { Tap } from '../../../core/tap.ts';
import { formatSize } from '../../../core/text/units.ts';
import { decode, DecodeFault } from '../../wire/decode.ts';
import { invalidResponse } from './faults.ts';

/** A whole JSON response up to this size is held in memory. Larger ones flow. */
export const bufferedResponseLimit = 1024 * 1024;

/**
 * Decodes a content-encoding that the provider used although none was requested.
 *
 * @param limit maximum bytes after decompression
 * @param onOutput called with the number of new bytes; an error it throws stops the work
 * @throws GatewayError `upstream_invalid`, and what `onOutput` throws
 */
export async function decompress(
  body: Buffer,
  codings: readonly string[],
  limit: number,
  onOutput: (bytes: number) => void,
): Promise<Buffer> {
  try {
    return await decode(body, codings, limit, onOutput);
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
 * Returns why a whole response with a 2xx status is invalid, or undefined if it is valid. It must be one JSON value and
 * must not be an error object.
 */
export function wholeResponseFault(status: number, body: Buffer, contentType: string, tap: Tap): GatewayError | undefined {
  if (body.length === 0) return invalidResponse(`The provider returned ${status} with an empty body.${status === 202 ? notReady : ''}`);
  const text = body.toString('utf8');
  const flaw = flawOf(text, responseLimits);
  if (flaw?.code === 'json_too_complex') return invalidResponse(`The provider's response is too complex. ${flaw.message}`);
  if (flaw !== undefined) {
    // Plain text or subtitles with a wrong content type are valid. Errors are sent as an object or an HTML page.
    if (tap.form === 'bytes' && !contentType.includes('html') && !/^\s*[{[]/.test(text)) return undefined;
    if (contentType.includes('html')) return htmlPage(tap.form === 'bytes' ? 'audio or text' : 'JSON');
    return invalidResponse(`The provider's response is not complete JSON (${body.length} bytes, content-type "${contentType}").`);
  }
  const fault = tap.whole(text);
  if (fault === undefined) {
    // Well-formed, but not a JSON object.
    return tap.complete ? undefined : invalidResponse(`The provider's response is not a JSON object (${body.length} bytes).`);
  }
  return faultError(fault);
}

/** JSON begins with none (RFC 8259 8.1), but some proxies add one, and clients may not ignore it. */
export const withoutByteOrderMark = (body: Buffer): Buffer =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;

/** Some services return 202 while a model starts. */
const notReady = ' It has accepted the request, but not finished it, and the gateway does not ask for the result later.';

const htmlPage = (expected: string): GatewayError =>
  new GatewayError('upstream_invalid', {
    message: `The provider returned an HTML page instead of ${expected}.`,
    hint: 'Check the base URL of the provider. A proxy or a login page may have responded in its place.',
    source: 'provider',
  });

/**
 * The check for a body that is too large to hold: it must end with a closing bracket or brace. White space does not count.
 *
 * @param isClosed whether the bytes before `bytes` end so
 */
export function endsWithJsonBracket(bytes: Buffer, isClosed: boolean): boolean {
  let at = bytes.length - 1;
  while (at >= 0 && isJsonSpace(bytes[at])) at -= 1;
  return at < 0 ? isClosed : bytes[at] === 0x7d || bytes[at] === 0x5d;
}

const isJsonSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
