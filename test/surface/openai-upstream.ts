import { json, type ScriptedUpstream, type SeenRequest, startUpstream } from '../support/upstream.ts';
import { ObjectStore, type Problem, problem } from './object-store.ts';
import { mediaOf } from './media.ts';
import { type Result, type ParsedRequest, serve } from './serve.ts';

/** The only model for speech, transcription and images. */
export const mediaModel = 'm-media';

/** OpenAI for these routes: base `/v1`, bearer token, its own error format. It rejects what the real service rejects. */
export async function startOpenAi(key: string): Promise<ScriptedUpstream & { store: ObjectStore }> {
  const store = new ObjectStore(['validating_files', 'queued', 'running', 'succeeded']);
  const upstream = await startUpstream(async (response, request) => {
    const parsed = parseRequest(request);
    const rejection = refusal(request, parsed, key);
    if (rejection === undefined && mediaOf(response, parsed, mediaModel)) return;
    const result: Result = rejection ?? (await serve(store, parsed)) ?? problem(404, 'unknown_url', `Unknown request URL: ${request.url}`);
    if ('bytes' in result) response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(result.bytes);
    else if ('problem' in result) json(response, result.problem.status, { error: envelope(result.problem) });
    else json(response, 200, result.value);
  });
  return Object.assign(upstream, { store });
}

function parseRequest({ method, url, body, headers }: SeenRequest): ParsedRequest {
  const { pathname, searchParams } = new URL(url, 'http://upstream.invalid');
  const parts = pathname.split('/').slice(2).map(decodeURIComponent);
  return { method, parts, query: searchParams, body, contentType: headers['content-type'] ?? '' };
}

function refusal({ url, headers, rawHeaders }: SeenRequest, parsed: ParsedRequest, key: string): { problem: Problem } | undefined {
  if (headers.authorization !== `Bearer ${key}`) return problem(401, 'invalid_api_key', 'Incorrect API key provided.');
  if (headers['api-key'] !== undefined) return problem(401, 'two_keys', 'Two credentials.');
  if (rawHeaders.some((name) => /^x-(?:gateway|portkey)-/i.test(name))) return problem(400, 'foreign_header', 'A header of the gateway.');
  if (!url.startsWith('/v1/')) return problem(404, 'unknown_url', `Unknown request URL: ${url}`);
  if (parsed.query.has('api-version')) return problem(400, 'unknown_parameter', "Unknown parameter: 'api-version'.", 'api-version');
  return undefined;
}

const envelope = ({ message, code, param }: Problem) => ({ message, type: 'invalid_request_error', param, code });
