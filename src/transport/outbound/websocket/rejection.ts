import { tryParseObject } from '../../../core/json/scan.ts';
import type { IncomingMessage } from 'node:http';
import { GatewayError, type ProviderFault } from '../../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { SecretRedactor } from '../../../core/secrets/redactor.ts';
import { isErrorStatus } from '../../../core/http/status.ts';

/** Maximum bytes read of a refusal. Error messages are shorter. */
const readLimit = 64 * 1024;
/** Maximum characters shown of a text that is not JSON. */
const shownLimit = 200;

/** Converts an HTTP response to a WebSocket upgrade into an error with the provider's status and message. Never rejects. */
export async function readRejection(response: IncomingMessage, redactor: SecretRedactor | undefined): Promise<GatewayError> {
  const bytes = await bytesOf(response);
  // Mask before truncating: a truncated secret would no longer be found.
  const text = (redactor?.whole(bytes) ?? bytes).subarray(0, readLimit).toString('utf8');
  const status = response.statusCode ?? 502;
  const fault = faultOf(text);
  const detail = fault === undefined ? '' : `: ${fault.message}`;
  return new GatewayError('provider_error', {
    message: `The provider rejected the WebSocket with status ${status}${detail}`,
    // Other statuses are not errors that a client could understand.
    status: isErrorStatus(status) ? status : 502,
    source: 'provider',
    provider: fault,
  });
}

function bytesOf(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let size = 0;
    const done = (): void => resolve(Buffer.concat(pieces));
    response.on('data', (chunk: Buffer) => {
      pieces.push(chunk);
      size += chunk.length;
      if (size > readLimit) response.destroy();
    });
    response.on('end', done).on('error', done).on('close', done);
  });
}

function faultOf(text: string): ProviderFault | undefined {
  if (text.trim() === '') return undefined;
  const value = tryParseObject(text);
  // HTML or plain text: show its beginning.
  if (value === undefined) return { message: text.slice(0, shownLimit) };
  const error = isJsonObject(value['error']) ? value['error'] : value;
  return { message: textAt(error, 'message') ?? text.slice(0, shownLimit), ...optional(error) };
}

function optional(error: JsonObject): Partial<ProviderFault> {
  const code = textAt(error, 'code');
  const type = textAt(error, 'type');
  const param = textAt(error, 'param');
  return { ...(code === undefined ? {} : { code }), ...(type === undefined ? {} : { type }), ...(param === undefined ? {} : { param }) };
}

function textAt(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === 'string' ? value : undefined;
}
