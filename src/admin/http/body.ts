import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../core/error.ts';
import { requestLimits } from '../../core/json/limits.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { parseJson } from '../../core/json/scan.ts';
import { formatSize } from '../../core/text/units.ts';

/** Maximum body size, in bytes. A client that has not signed in sends only a token. */
export const maxBodySize = { signedIn: 1024 * 1024, anonymous: 16 * 1024 } as const;

/**
 * Reads a JSON object; an empty body gives an empty object.
 *
 * @param maxBytes bytes
 * @throws GatewayError `invalid_json`, `body_too_large`, `unsupported_media_type`
 */
export async function readObject(request: IncomingMessage, maxBytes: number): Promise<JsonObject> {
  const text = await readText(request, maxBytes);
  if (text === '') return {};
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\b/i.test(type))
    throw new GatewayError('unsupported_media_type', { message: 'The body needs the content type application/json.' });
  const value = parseBody(text);
  if (!isJsonObject(value)) throw new GatewayError('invalid_json', { message: 'The body is not a JSON object.' });
  return value;
}

function parseBody(text: string): unknown {
  try {
    return parseJson(text, requestLimits);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw new GatewayError('invalid_json', { message: 'The body is not JSON.', cause: error });
  }
}

async function readText(request: IncomingMessage, maxBytes: number): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

const tooLarge = (maxBytes: number): GatewayError =>
  new GatewayError('body_too_large', {
    message: `The body is larger than ${formatSize(maxBytes)}.`,
    hint: 'Send a smaller body. This limit cannot be changed.',
  });
