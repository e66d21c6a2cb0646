import type { RequestBody, RequestHead } from '../http/request.ts';
import { traitsOf } from '../endpoint.ts';
import { GatewayError } from '../error.ts';
import { modelInQuery } from '../http/models-in-query.ts';

/** Maximum length of a model name, in characters: resource identifiers of cloud services are the longest ones. */
const longestModel = 2048;

/**
 * Returns the model named in a request, wherever its route has it; '' if none is named yet.
 *
 * @throws GatewayError `string_above_max_length`
 */
export function requestedModelIn({ endpoint, params, query, headers, pathModel }: RequestHead, body: RequestBody): string {
  const { modelInPath, modelByHeader } = traitsOf(endpoint);
  if (modelInPath === true) return params['id'] ?? '';
  const named = requestedModelOf(body, query);
  if (named !== '') return named;
  if (pathModel !== undefined) return withinLength(pathModel);
  if (modelByHeader !== true) return named;
  return withinLength(headers.gateway('providerModel') ?? '');
}

/**
 * Returns the model as the client wrote it in body, form or query; '' if there is none, or only after the file of a
 * form.
 *
 * @throws GatewayError `string_above_max_length`
 */
export function requestedModelOf(body: RequestBody, query: string): string {
  const named = body.kind === 'json' ? body.peek('model') : body.kind === 'form' ? body.fields.get('model') : undefined;
  if (typeof named === 'string') return withinLength(named);
  return body.kind === 'json' || query === '' ? '' : withinLength(modelInQuery(query));
}

/** True if the client requested a stream. Fields of a form or query are text, and some clients write `True`. */
export function requestsStream(body: RequestBody, query: string): boolean {
  if (body.kind === 'json') return body.peek('stream') === true;
  if (body.kind === 'form' && isTrue(body.fields.get('stream'))) return true;
  return query.includes('stream=') && isTrue(new URLSearchParams(query).get('stream'));
}

/**
 * True if the client requested a stream in any way: speech is streamed with `stream_format`. Only the record needs this, because a
 * service may return plain audio.
 */
export const requestsEvents = (ctx: { readonly stream: boolean; readonly endpoint: string; readonly body: RequestBody }): boolean =>
  ctx.stream || (ctx.endpoint === 'audio/speech' && ctx.body.kind === 'json' && ctx.body.peek('stream_format') === 'sse');

const isTrue = (text: string | null | undefined): boolean => typeof text === 'string' && /^\s*true\s*$/i.test(text);

/** Limits the length, because the name is used in headers, records and errors. */
function withinLength(model: string): string {
  if (model.length <= longestModel) return model;
  throw new GatewayError('string_above_max_length', {
    message: `The model name is ${model.length} characters long; the limit is ${longestModel}.`,
    param: 'model',
    hint: 'Send a model name in "model".',
  });
}
