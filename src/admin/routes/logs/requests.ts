import { GatewayError } from '../../../core/error.ts';
import { bodyParts } from '../../../core/logs/reader.ts';
import { logReply, logJson, jsonReply, notFound } from './log-reply.ts';
import { type AdminCall, type AdminReply, type AdminRoute, logsOf, numberIn } from '../route.ts';
import { filterOf } from './content.ts';

const [rowsBegin, rowsEnd] = [Buffer.from('{"rows":'), Buffer.from('}\n')];

export const requestRoutes: readonly AdminRoute[] = [
  {
    method: 'GET',
    path: '/api/requests',
    role: 'viewer',
    about: 'Records, newest first, one page at a time.',
    query: { q: 'a filter', before: '`next` of the page before', limit: 'rows, 1 to 500 (default 100)' },
    returns: '`SearchPage`',
    handle: async (call) => {
      const { query, user } = call;
      const before = query.get('before') ?? undefined;
      return logReply(call, ['search', { query: filterOf(user, query), before, limit: numberIn(query, 'limit', 100, [1, 500]) }]);
    },
  },
  {
    method: 'GET',
    path: '/api/requests/{id}',
    role: 'viewer',
    about: 'One record, without bodies. A viewer sees the names of headers, not their values.',
    returns: '`StoredRecord`',
    handle: (call) => logReply(call, ['get', call.params['id'] ?? '']),
  },
  {
    method: 'GET',
    path: '/api/requests/{id}/body',
    role: 'operator',
    about: 'A stored body as raw bytes. An upstream body that is stored as differences from the request is returned complete.',
    query: { part: '`request` (default), `upstream` or `response`' },
    returns: 'the bytes, as `application/octet-stream`',
    handle: body,
  },
  {
    method: 'GET',
    path: '/api/traces/{id}',
    role: 'viewer',
    about: 'All records of a trace, oldest first, at most 1,000.',
    returns: '`{rows: LogRow[]}`',
    handle: async (call) => jsonReply(Buffer.concat([rowsBegin, await logJson(call, ['trace', call.params['id'] ?? '']), rowsEnd])),
  },
];

async function body(call: AdminCall): Promise<AdminReply> {
  const part = bodyParts.find((one) => one === (call.query.get('part') ?? 'request'));
  if (part === undefined)
    throw new GatewayError('invalid_value', { message: '"part" is not one of request, upstream, response.', param: 'part' });
  const id = call.params['id'] ?? '';
  const kept = await logsOf(call).body(id, part);
  const bytes = kept ?? (part === 'upstream' ? await (await call.subject.explainer()).upstreamBody(id) : undefined);
  if (bytes === undefined) throw notFound(id, part);
  return { bytes, headers: { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' } };
}
