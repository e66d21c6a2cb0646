import { objectIn } from '../../../core/json/scan.ts';
import type { IncomingMessage } from 'node:http';
import { GatewayError, type ProviderFault } from '../../../core/error.ts';
import { isPlain, type Plain } from '../../../core/json/merge.ts';
import type { SecretRedactor } from '../../../core/secrets/redactor.ts';
import { isErrorStatus } from '../../../core/http/status.ts';

/** Maximum bytes read of a refusal. Error messages are shorter. */
const readLimit = 64 * 1024;
/** Maximum characters shown of a text that is not JSON. */
const shownLimit = 200;

/** Converts an HTTP response to a WebSocket upgrade into an error with the provider's status and message. Never rejects. */
export async function readRefusal(answer: IncomingMessage, redactor: SecretRedactor | undefined): Promise<GatewayError> {
  const bytes = await bytesOf(answer);
  // Mask before truncating: a truncated secret would no longer be found.
  const text = (redactor?.whole(bytes) ?? bytes).subarray(0, readLimit).toString('utf8');
  const status = answer.statusCode ?? 502;
  const fault = faultOf(text);
  const said = fault === undefined ? '' : `: ${fault.message}`;
  return new GatewayError('provider_error', {
    message: `The provider rejected the WebSocket with status ${status}${said}`,
    // Other statuses are not errors that a client could understand.
    status: isErrorStatus(status) ? status : 502,
    source: 'provider',
    provider: fault,
  });
}

function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let size = 0;
    const done = (): void => resolve(Buffer.concat(pieces));
    answer.on('data', (chunk: Buffer) => {
      pieces.push(chunk);
      size += chunk.length;
      if (size > readLimit) answer.destroy();
    });
    answer.on('end', done).on('error', done).on('close', done);
  });
}

function faultOf(text: string): ProviderFault | undefined {
  if (text.trim() === '') return undefined;
  const value = objectIn(text);
  // HTML or plain text: show its beginning.
  if (value === undefined) return { message: text.slice(0, shownLimit) };
  const error = isPlain(value['error']) ? value['error'] : value;
  return { message: textAt(error, 'message') ?? text.slice(0, shownLimit), ...optional(error) };
}

function optional(error: Plain): Partial<ProviderFault> {
  const code = textAt(error, 'code');
  const type = textAt(error, 'type');
  const param = textAt(error, 'param');
  return { ...(code === undefined ? {} : { code }), ...(type === undefined ? {} : { type }), ...(param === undefined ? {} : { param }) };
}

function textAt(object: Plain, key: string): string | undefined {
  const value = object[key];
  return typeof value === 'string' ? value : undefined;
}
