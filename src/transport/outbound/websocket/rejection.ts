import type { IncomingMessage } from 'node:http';
import type { UpstreamReply } from '../../../core/plan.ts';
import type { SecretRedactor } from '../../../core/secrets/redactor.ts';
import { endToEndHeaders } from '../exchange/file-body.ts';
import { joinedHeaders } from './handshake.ts';

/** Maximum bytes read of a rejection. Error messages are shorter. */
const readLimit = 64 * 1024;

/** Reads the HTTP error that a provider sent instead of upgrading the connection. Never rejects. */
export async function readRejection(response: IncomingMessage, redactor: SecretRedactor | undefined): Promise<UpstreamReply> {
  const bytes = await bytesOf(response);
  const headers = endToEndHeaders(joinedHeaders(response.headers));
  return {
    status: response.statusCode ?? 502,
    headers: redactor?.headers(headers) ?? headers,
    // Mask before truncating: a truncated secret would no longer be found.
    body: (redactor?.whole(bytes) ?? bytes).subarray(0, readLimit),
    flow: undefined,
    tap: undefined,
  };
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
