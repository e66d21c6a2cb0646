import { type Endpoint, endpoints, type EndpointTraits, traitsOf } from '../../src/core/endpoint.ts';
import type { Request } from './rig.ts';

/** Every route there is: one that is added to the table of endpoints is among them by being there. */
export interface Route {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly method: string;
  readonly path: string;
  readonly body: EndpointTraits['body'];
  /** It is called by a request that runs a model. */
  readonly runs: boolean;
}

const tabled: readonly Route[] = (Object.entries(endpoints) as [Endpoint, EndpointTraits][]).flatMap(([endpoint, traits]) =>
  traits.routes.map(([method, template]) => {
    const path = `/v1/${template.replace('{id}', endpoint.startsWith('prompts') ? 'p1' : 'id-1')}`;
    return { name: `${method} ${path}`, endpoint, method, path, body: traits.body, runs: method === 'POST' && !template.includes('{id}') };
  }),
);

const relayedBy = (method: string, path: string): Route => ({
  name: `${method} ${path}`,
  endpoint: 'relay',
  method,
  path,
  body: 'passing',
  runs: true,
});

const relayed: readonly Route[] = [
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'HEAD', 'OPTIONS'].map((method) => relayedBy(method, '/v1/something/else')),
  relayedBy('POST', '/v1/uploads'),
  relayedBy('POST', '/v1/messages/batches'),
  relayedBy('PUT', '/v1/chat/completions'),
  relayedBy('PATCH', '/v1/responses'),
  relayedBy('DELETE', '/v1/embeddings'),
];

/** The same in the layout of deployments: behind a name where a model runs, and behind the prefix alone. */
const deployed: readonly Route[] = [...tabled, ...relayed].flatMap((route) => {
  const behind = (prefix: string): Route => {
    const path = route.path.replace('/v1/', prefix);
    return { ...route, path, name: `${route.method} ${path}` };
  };
  const isSample = ['chat/completions', 'images/edits', 'files', 'relay', 'realtime'].includes(route.endpoint);
  const isNamed = route.runs && route.endpoint !== 'relay' && traitsOf(route.endpoint).baseModel !== true;
  return [...(isNamed ? [behind('/openai/deployments/small-1/')] : []), ...(isSample ? [behind('/openai/')] : [])];
});

/** The WebSockets last: they are asked for by an upgrade. */
export const routes: readonly Route[] = [...tabled, ...relayed, ...deployed];

const upgrade = {
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** What every request to this route needs. */
export const headersOf = ({ endpoint }: Route): Readonly<Record<string, string>> => (endpoint === 'realtime' ? upgrade : {});

export const jsonType = { 'content-type': 'application/json' };

/** A small form in the usual spelling. */
export const formType = { 'content-type': 'multipart/form-data; boundary=xyz' };
export interface Part {
  readonly head: string;
  readonly value: string;
}
export const field = (name: string, value: string): Part => ({ head: `Content-Disposition: form-data; name="${name}"`, value });
export const file = (name: string, value: string, filename = 'a.png'): Part => ({
  head: `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: application/octet-stream`,
  value,
});
export const formOf = (parts: readonly Part[]): string =>
  `${parts.map(({ head, value }) => `--xyz\r\n${head}\r\n\r\n${value}\r\n`).join('')}--xyz--\r\n`;

/** Fields that each route's body needs beside its model, so that only rules can refuse it. */
const needed = {
  messages: [],
  input: 'x',
  prompt: 'x',
  max_tokens: 5,
  training_file: 'file-1',
  input_file_id: 'file-1',
  endpoint: '/v1/chat/completions',
  completion_window: '24h',
};

/** The JSON text of a body with these members, `needed` ones behind them. Prompts routes take variables. */
export function jsonWith({ endpoint }: Route, members: string): string {
  const rest = endpoint.startsWith('prompts') ? '"variables":{}' : JSON.stringify(needed).slice(1, -1);
  return `{${members === '' ? '' : `${members},`}${rest}}`;
}

/** The ordinary request to a route, with this model where it has a place for one. */
export function plainRequest(route: Route, model: string): Request {
  const { method, path } = route;
  const headers = headersOf(route);
  if (route.endpoint === 'realtime') return { method, path: `${path}?model=${model}`, headers };
  if (route.body === 'json') {
    const modelHeader = { 'x-gateway-provider-model': model };
    return {
      method,
      path,
      headers: { ...headers, ...jsonType, ...modelHeader },
      body: jsonWith(route, `"model":${JSON.stringify(model)}`),
    };
  }
  if (route.body !== 'form') return { method, path, headers };
  const parts =
    route.endpoint === 'files'
      ? [field('purpose', 'batch'), file('file', JSON.stringify({ body: { model, messages: [] } }), 'rows.jsonl')]
      : [field('model', model), field('prompt', 'x'), file('image', 'png')];
  return { method, path, headers: { ...headers, ...formType }, body: formOf(parts) };
}
