import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { GatewayError } from '../../core/error.ts';
import { answerLimits } from '../../core/json-limits.ts';
import { flawOf } from '../../core/json-scan.ts';
import type { Tap } from '../../core/tap.ts';
import { invalid } from './faults.ts';

/** A whole JSON answer is held in memory up to this size; larger ones flow (decisions D20). */
export const wholeLimit = 1024 * 1024;

/** What a compressed answer may grow to. */
const decompressedLimit = 64 * 1024 * 1024;

/**
 * Undoes a content-encoding that the provider used although none was asked for.
 * @throws GatewayError `upstream_invalid`
 */
export function decompress(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return body;
  const limit = { maxOutputLength: decompressedLimit };
  try {
    if (encoding === 'gzip' || encoding === 'x-gzip') return gunzipSync(body, limit);
    if (encoding === 'br') return brotliDecompressSync(body, limit);
    if (encoding === 'deflate') return inflateSync(body, limit);
    if (encoding === 'zstd') return zstdDecompressSync(body, limit);
  } catch (cause) {
    throw new GatewayError('upstream_invalid', {
      message: `The provider's answer could not be decompressed (${encoding}).`,
      source: 'provider',
      cause,
    });
  }
  throw new GatewayError('upstream_invalid', {
    message: `The provider's answer has the unknown content-encoding "${encoding}".`,
    source: 'provider',
  });
}

/**
 * Why a whole answer with a 2xx status is not one, or undefined when it is (design.md 4): it must be one JSON value,
 * and not an error object in disguise.
 */
export function faultOfWhole(body: Buffer, contentType: string, tap: Tap): GatewayError | undefined {
  if (body.length === 0) return invalid('The provider answered 200 with an empty body.');
  const text = body.toString('utf8');
  const flaw = flawOf(text, answerLimits);
  if (flaw?.code === 'json_too_complex') return invalid(`The provider's answer is too complex. ${flaw.message}`);
  if (flaw !== undefined) {
    // Plain text and subtitles under the wrong type; what is wrong comes as an object or a page.
    if (tap.form === 'bytes' && !contentType.includes('html') && !/^\s*[{[]/.test(text)) return undefined;
    return invalid(
      contentType.includes('html')
        ? `The provider answered an HTML page where ${tap.form === 'bytes' ? 'sound or text' : 'JSON'} was expected.`
        : `The provider's answer is not whole JSON (${body.length} bytes, content-type "${contentType}").`,
    );
  }
  const fault = tap.whole(text);
  if (fault === undefined) return undefined;
  return new GatewayError('upstream_invalid', {
    message: `The provider answered an error with status 200: ${fault.message}`,
    source: 'provider',
    provider: fault,
  });
}

/** The check for a body that is too large to hold: it must at least close what it opened. */
export function endsLikeJson(last: Buffer): boolean {
  let at = last.length - 1;
  while (at >= 0 && (last[at] === 0x0a || last[at] === 0x0d || last[at] === 0x20)) at -= 1;
  return last[at] === 0x7d || last[at] === 0x5d;
}
