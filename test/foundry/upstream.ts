import type { ServerResponse } from 'node:http';
import { events, message } from '../anthropic/sdk-upstream.ts';
import { chunks, completion, json, type ScriptedUpstream, type SeenRequest, sse, startUpstream } from '../support/upstream.ts';

export const key = 'foundry-key-0123456789';
export const ownKey = 'own-key-of-a-deployment-1';
export const token = 'eyJhbGciOi.foundry.token';

/** Which deployments there are, and what each speaks. */
const deployments: Readonly<Record<string, 'models' | 'openai' | 'anthropic'>> = {
  'Llama-3.3-70B': 'models',
  'cohere-embed': 'models',
  'gpt-eu': 'openai',
  'whisper-eu': 'openai',
  'claude-eu': 'anthropic',
};

/** A foundry resource that refuses what the real one refuses: wrong paths, versions, key headers, deployments. */
export const startFoundry = (): Promise<ScriptedUpstream> => startUpstream((response, request) => respond(response, request));

function respond(response: ServerResponse, request: SeenRequest): void {
  const url = new URL(request.url, 'http://foundry');
  const format = /^(?:\/api\/projects\/p1)?\/(models|openai\/v1|anthropic\/v1)\/(.+)$/.exec(url.pathname);
  if (format === null) return refuse(response, 404, '404', 'Resource not found');
  const route = format[2] ?? '';
  const kind = format[1] === 'models' ? 'models' : format[1] === 'openai/v1' ? 'openai' : 'anthropic';
  const wrong = versionProblem(kind, url) ?? headerProblem(kind, request);
  if (wrong !== undefined) return refuse(response, ...wrong);
  if (request.method === 'GET') return lists(response, kind, route);
  const body = bodyOf(request);
  if (deployments[body.model] !== kind)
    return refuse(response, 404, 'DeploymentNotFound', 'The API deployment for this resource does not exist.');
  if (kind === 'anthropic') return anthropic(response, route, body);
  if (body['hologram'] === 'flat') return json(response, 422, { status: 422, code: 'Unprocessable Entity', message: 'not permitted' });
  if (body['hologram'] !== undefined) return unprocessable(response);
  return open(response, kind, route, body);
}

interface Body {
  readonly model: string;
  readonly stream?: boolean;
  readonly [field: string]: unknown;
}

/** JSON, or the name of the model in a form. */
function bodyOf({ headers, body }: SeenRequest): Body {
  if (headers['content-type']?.startsWith('multipart/form-data') !== true) return JSON.parse(body.toString()) as Body;
  return { model: /name="model"\r\n(?:[^\r]+\r\n)*\r\n([^\r]*)\r\n/.exec(body.toString('latin1'))?.[1] ?? '' };
}

type Refusal = readonly [status: number, code: string, message: string];

function versionProblem(kind: string, { searchParams }: URL): Refusal | undefined {
  const version = searchParams.get('api-version');
  if (kind !== 'models') return version === null ? undefined : [400, 'BadRequest', 'api-version query parameter is not allowed'];
  return version === '2024-05-01-preview' ? undefined : [400, 'BadRequest', 'API version not supported'];
}

/** Each format has its own key headers; a token goes alone. */
function headerProblem(kind: string, { headers }: SeenRequest): Refusal | undefined {
  const denied: Refusal = [401, '401', 'Access denied due to invalid subscription key or wrong API endpoint.'];
  const { authorization, 'api-key': apiKey, 'x-api-key': xApiKey } = headers;
  if (Object.keys(headers).some((name) => /^x-(?:gateway|portkey)-/.test(name))) return [400, 'BadRequest', 'a header of the gateway'];
  if (kind === 'anthropic' && headers['anthropic-version'] === undefined)
    return [400, 'BadRequest', 'anthropic-version: header is required'];
  if (kind === 'models' && headers['extra-parameters'] !== 'drop') return [400, 'BadRequest', 'unknown fields are refused'];
  if (authorization === `Bearer ${token}`) return apiKey === undefined && xApiKey === undefined ? undefined : denied;
  if (apiKey !== key && apiKey !== ownKey) return denied;
  const expectedCredentials = { models: [`Bearer ${apiKey}`, undefined], openai: [undefined, undefined], anthropic: [undefined, apiKey] }[
    kind
  ];
  return expectedCredentials?.[0] === authorization && expectedCredentials?.[1] === xApiKey ? undefined : denied;
}

function lists(response: ServerResponse, kind: string, route: string): void {
  if (kind !== 'openai' || route !== 'models') return refuse(response, 404, '404', 'Resource not found');
  return json(response, 200, { object: 'list', data: [{ id: 'gpt-4o-2024-11-20', object: 'model', created: 1, owned_by: 'system' }] });
}

function anthropic(response: ServerResponse, route: string, body: Body): void {
  if (route === 'messages/count_tokens') return json(response, 200, { input_tokens: 17 });
  if (route !== 'messages' || typeof body['max_tokens'] !== 'number')
    return refuse(response, 400, 'BadRequest', 'max_tokens: Field required');
  return body.stream === true ? sse(response, events('claude-sonnet-4-5', true)) : json(response, 200, message('claude-sonnet-4-5', true));
}

function open(response: ServerResponse, kind: string, route: string, body: Body): void {
  const vectors = {
    object: 'list',
    model: 'embed-v3',
    data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
    usage: { prompt_tokens: 1, total_tokens: 1 },
  };
  if (route === 'embeddings' || (kind === 'models' && route === 'images/embeddings')) return json(response, 200, vectors);
  if (kind === 'openai' && route === 'responses')
    return json(response, 200, { id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-4o', output: [] });
  if (kind === 'openai' && /^audio\/|^images\/edits$/.test(route))
    return json(response, 200, { text: 'Hi', created: 1, data: [{ b64_json: 'AA==' }] });
  if (route !== 'chat/completions') return refuse(response, 404, '404', 'Resource not found');
  return body.stream === true ? sse(response, chunks('Hi', ' there')) : json(response, 200, completion(`from ${kind}`));
}

const refuse = (response: ServerResponse, status: number, code: string, message: string): void =>
  json(response, status, { error: { code, message } });

const unprocessable = (response: ServerResponse): void =>
  json(response, 422, {
    status: 422,
    code: 'Unprocessable Entity',
    error: {
      code: 'Invalid input',
      status: 422,
      message: 'Extra inputs are not permitted',
      details: { loc: ['body', 'hologram'], input: 1 },
    },
  });
