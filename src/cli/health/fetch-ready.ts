import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { tryParseObject } from '../../core/json/scan.ts';
import type { JsonObject } from '../../core/json/merge.ts';
import type { HealthTarget } from './target.ts';
import { errorCode } from '../../core/text/error-code.ts';
import { request as requestHttp } from '../../core/node-http.ts';
import { connectionReasons } from '../text.ts';

/** Response of `/readyz`, or the reason why there is none, as a sentence. */
export type ReadyResponse = { readonly status: number; readonly body: JsonObject } | { readonly fault: string };

/** Largest body, in bytes. The body of a gateway has a few hundred bytes. */
const maxBytes = 64 * 1024;

/** Sends one request. The time limit covers the whole exchange, and redirects are not followed. */
export async function fetchReady(target: HealthTarget, timeoutMs: number): Promise<ReadyResponse> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await sent(target, signal);
    const text = await textWithin(response);
    const body = text === undefined ? undefined : tryParseObject(text);
    // Every response of a gateway has a status text.
    if (typeof body?.['status'] !== 'string') return { fault: `HTTP ${response.statusCode} without the response body of a gateway` };
    return { status: response.statusCode ?? 0, body };
  } catch (error) {
    return { fault: signal.aborted ? `no response within ${timeoutMs} ms` : reasonOf(error) };
  }
}

async function sent({ isTls, address, path }: HealthTarget, signal: AbortSignal): Promise<IncomingMessage> {
  const options: RequestOptions = { ...address, path, signal, agent: false, headers: { accept: 'application/json', connection: 'close' } };
  const send = isTls ? (await import('node:https')).request : requestHttp;
  return new Promise((resolve, reject) => {
    const request: ClientRequest = send(options, resolve);
    request.on('error', reject);
    request.end();
  });
}

/** Text of a response; undefined if it is too long. */
async function textWithin(response: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function reasonOf(error: unknown): string {
  const code = errorCode(error);
  return connectionReasons[code] ?? (error instanceof Error && error.message !== '' ? error.message : code);
}
