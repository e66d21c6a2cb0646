import { GatewayError } from '../../../core/error.ts';
import { recordNotFound } from '../../../core/logs/not-found.ts';
import type { LogQuery } from '../../../core/logs/reader.ts';
import { acceptsGzip } from '../../http/accepts-gzip.ts';
import { type AdminCall, type AdminReply, logsOf } from '../route.ts';
import { mayReadContent } from './content.ts';

/** Response of the request log, restricted to what this user may see. The bytes are passed on without being parsed. */
export async function logReply(call: AdminCall, query: LogQuery): Promise<AdminReply> {
  return jsonReply(await logJson(call, query, acceptsGzip(call.request)));
}

export async function logJson(call: AdminCall, query: LogQuery, mayPack = false): Promise<Uint8Array> {
  const bytes = await logsOf(call).json(query, { isBare: !mayReadContent(call.user), mayPack });
  if (bytes === undefined) throw notFound(call.params['id'] ?? '');
  return bytes;
}

export const jsonReply = (bytes: Uint8Array): AdminReply => ({
  bytes,
  headers: { 'content-type': 'application/json; charset=utf-8', ...(isGzipped(bytes) ? { 'content-encoding': 'gzip' } : {}) },
});

const isGzipped = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

export const notFound = (id: string, part?: string): GatewayError =>
  part === undefined
    ? recordNotFound(id)
    : new GatewayError('record_not_found', { message: `The ${part} body of "${id.slice(0, 100)}" is not stored.` });
