import { json, type ScriptedUpstream, type SeenRequest, startUpstream } from '../support/upstream.ts';
import { ObjectStore, type Problem, problem, type Row } from './object-store.ts';
import { mediaOf } from './media.ts';
import { type Result, type ParsedRequest, serve } from './serve.ts';

/** The only dated API version that this resource supports. */
export const datedVersion = '2024-10-21';
/** The names of the deployments of this resource. */
export const deployments = { batch: 'dep-batch', speech: 'dep.speech' } as const;

/**
 * Azure OpenAI: both URL forms, `api-key`, its own words in objects and errors. It refuses what
 * the real one refuses: `/deployments/` on routes of the resource, a version where none is allowed, a bearer that is a key.
 */
export async function startAzure(key: string): Promise<ScriptedUpstream & { store: ObjectStore }> {
  const store = new ObjectStore(['created', 'pending', 'running', 'succeeded']);
  const upstream = await startUpstream(async (response, request) => {
    const read = readUrl(request, key);
    if ('problem' in read) {
      json(response, read.problem.status, { error: envelope(read.problem) });
      return;
    }
    const { parsed, deployment, isDated } = read;
    if (mediaOf(response, parsed, deployments.speech, deployment)) return;
    const wrong = deployment === undefined ? wrongWords(parsed, isDated) : problem(404, '404', 'Resource not found');
    const result: Result = wrong ?? (await serve(store, parsed)) ?? problem(404, '404', 'Resource not found');
    if ('bytes' in result) response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(result.bytes);
    else if ('problem' in result) json(response, result.problem.status, { error: envelope(result.problem) });
    else json(response, result.status ?? 200, inOwnWords(result.value), result.status === 201 ? { location: `${request.url}/x` } : {});
  });
  return Object.assign(upstream, { store });
}

interface Read {
  readonly parsed: ParsedRequest;
  readonly deployment: string | undefined;
  readonly isDated: boolean;
}

function readUrl({ method, url, body, headers, rawHeaders }: SeenRequest, key: string): Read | { problem: Problem } {
  if (headers['api-key'] !== key || headers.authorization !== undefined)
    return problem(401, '401', 'Access denied due to invalid subscription key.');
  if (rawHeaders.some((name) => /^x-(?:gateway|portkey)-/i.test(name))) return problem(400, 'BadRequest', 'A header of the gateway.');
  const { pathname, searchParams: query } = new URL(url, 'http://upstream.invalid');
  const [, openai, ...rest] = pathname.split('/').map(decodeURIComponent);
  if (openai !== 'openai') return problem(404, '404', 'Resource not found');
  const isDated = rest[0] !== 'v1';
  const version = query.get('api-version');
  if (isDated && version !== datedVersion) return problem(404, '404', 'Resource not found');
  if (!isDated && version !== null) return problem(400, 'BadRequest', 'api-version query parameter is not allowed when using /v1 path');
  const [scope, name] = rest;
  const deployment = scope === 'deployments' ? name : undefined;
  const parts = rest.slice(deployment === undefined ? (isDated ? 0 : 1) : 2);
  return { parsed: { method, parts, query, body, contentType: headers['content-type'] ?? '' }, deployment, isDated };
}

/** Batches and their lines contain `/chat/completions` on dated versions, `/v1/chat/completions` on v1, and a deployment. */
function wrongWords({ method, parts, body }: ParsedRequest, isDated: boolean): { problem: Problem } | undefined {
  if (method !== 'POST' || parts.length > 1) return undefined;
  const prefix = isDated ? '/chat' : '/v1/chat';
  const text = body.toString('utf8');
  if (parts[0] === 'batches') {
    const endpoint = String((JSON.parse(text) as Row)['endpoint']);
    return endpoint.startsWith(prefix) ? undefined : problem(400, 'invalidPayload', `The endpoint ${endpoint} is not known.`, 'endpoint');
  }
  if (parts[0] !== 'files') return undefined;
  for (const [, line] of text.matchAll(/^(\{"custom_id".*"url".*\})\r?$/gm)) {
    const { url, body: requestBody } = JSON.parse(line ?? '') as { url: string; body: { model: string } };
    if (!url.startsWith(prefix)) return problem(400, 'url_mismatch', `The url ${url} is not that of the batch.`);
    if (requestBody.model !== deployments.batch)
      return problem(400, 'model_not_found', `The deployment ${requestBody.model} is not there.`);
  }
  return undefined;
}

/** No `type` and no `param`. Unknown ids are `notFound`. */
const envelope = ({ message, code, param, status }: Problem): object => ({
  code: status === 404 && code !== 'batch_not_found' ? 'notFound' : code,
  message,
  ...(param === null ? {} : { target: param }),
  innererror: { code: 'x' },
});

/** Objects like in the examples of the service: capitals, dates, and no cursors in lists. */
function inOwnWords(value: unknown): unknown {
  const { data, object } = value as Row;
  if (object === 'list') return { object, data: (data as Row[]).map(inOwnWords), has_more: (value as Row)['has_more'] };
  const { organization_id: organisation_id, ...row } = value as Row;
  const out: Record<string, unknown> = organisation_id === undefined ? row : { ...row, organisation_id };
  for (const [key, each] of Object.entries(out))
    if (key.endsWith('_at') && typeof each === 'number') out[key] = new Date(each * 1000).toISOString();
  if (typeof out['status'] === 'string') out['status'] = out['status'].replace(/^./, (first) => first.toUpperCase());
  if (out['level'] === 'warn') out['level'] = 'warning';
  if (object === 'batch' && out['status'] === 'Validating') out['request_counts'] = null;
  if (object === 'batch' && out['errors'] !== null)
    out['errors'] = { object: 'list', data: [{ code: 'invalid_json_line', message: 'not JSON', line: '3' }] };
  return out;
}
