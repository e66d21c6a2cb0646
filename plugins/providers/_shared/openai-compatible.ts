import { type BodyPatch, emptyBody, type EmptyBody, type JsonBody } from '#core/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import type { HeaderPairs } from '#core/headers.ts';
import type { Call, CommonSettings, Operation, UpstreamAddress, UpstreamRequest } from '#core/provider.ts';
import type { Tap } from '#core/tap.ts';
import { segment } from './address.ts';
import { ChatTap } from './chat-tap.ts';
import { dropExtensions } from './extensions.ts';
import { ImageTap } from './image-tap.ts';
import { JsonTap } from './json-tap.ts';
import { ResponsesTap } from './responses-tap.ts';

type ACall<Settings> = Call<Settings & CommonSettings>;

/** What differs between services that speak the format of openai-and-others.md Part 1. */
export interface OpenAiCompatible<Settings> {
  /** Where a route goes. `route` stands behind `/v1/` and is encoded; the query is the address's business. */
  address(call: ACall<Settings>, route: string): UpstreamAddress;
  /** What happens to the gateway's own body fields when the entry doesn't say. */
  extensions(settings: Settings & CommonSettings): 'drop' | 'pass';
  /** Headers of the service, beside content type, accept and credential. */
  headers?(call: ACall<Settings>): HeaderPairs;
  /** Name to write into the body, or undefined to leave the body's own. Without this: `call.model` where one is set. */
  bodyModel?(call: ACall<Settings>, route: string, body: JsonBody): string | undefined;
  /** Endpoints that the service doesn't have. */
  without?: readonly Endpoint[];
}

/** Endpoints of the format, with the tap that watches their answers. */
const taps = {
  'chat/completions': () => new ChatTap(),
  completions: () => new ChatTap(),
  embeddings: () => new JsonTap(),
  'images/generations': () => new ImageTap(),
  moderations: () => new JsonTap(),
  responses: () => new ResponsesTap(),
  'responses/input_tokens': () => new JsonTap(),
  'responses/compact': () => new ResponsesTap(),
  'responses/{id}': () => new ResponsesTap(),
  'responses/{id}/cancel': () => new ResponsesTap(),
  'responses/{id}/input_items': () => new JsonTap(),
  models: () => new JsonTap(),
} as const satisfies { readonly [E in Endpoint]?: () => Tap };

type Served = keyof typeof taps;

/** The operations of a service that speaks the client's own format: its bytes pass, only `model` is written anew. */
export function openaiCompatible<Settings>(service: OpenAiCompatible<Settings>): { readonly [E in Endpoint]?: Operation<Settings> } {
  const operations: { [E in Endpoint]?: Operation<Settings> } = {};
  for (const endpoint of Object.keys(taps) as Served[]) {
    if (service.without?.includes(endpoint) === true) continue;
    operations[endpoint] = { request: (body, call) => requestOf(service, endpoint, body, call), tap: taps[endpoint] };
  }
  return Object.freeze(operations);
}

function requestOf<Settings>(
  service: OpenAiCompatible<Settings>,
  endpoint: Served,
  body: JsonBody | EmptyBody,
  call: ACall<Settings>,
): UpstreamRequest {
  const route = endpoint.includes('{id}') ? endpoint.replace('{id}', () => segment(call.params['id'] ?? '')) : endpoint;
  const address = service.address(call, route);
  const headers: HeaderPairs = ['accept', call.stream ? 'text/event-stream' : 'application/json', ...(service.headers?.(call) ?? [])];
  if (body.kind === 'none') return { ...address, method: call.method, headers, body: emptyBody, dropped: [] };
  headers.push('content-type', 'application/json');
  const drops = endpoint === 'chat/completions' && (call.settings.extensions ?? service.extensions(call.settings)) === 'drop';
  const cleaned = drops ? dropExtensions(body) : { body, dropped: [] };
  return {
    ...address,
    method: call.method,
    headers,
    body: cleaned.body.edit(modelPatch(service, route, cleaned.body, call)),
    dropped: cleaned.dropped,
  };
}

/** Empty when the body names the right model already: then no byte of it changes. */
function modelPatch<Settings>(service: OpenAiCompatible<Settings>, route: string, body: JsonBody, call: ACall<Settings>): BodyPatch {
  const model = service.bodyModel === undefined ? call.model : service.bodyModel(call, route, body);
  if (model === undefined || model === '' || body.peek('model') === model) return unchanged;
  return new Map([['model', model]]);
}

const unchanged: BodyPatch = new Map();

/** Those headers of the caller that a service understands, by name. */
export function callerHeaders(call: Pick<Call, 'header'>, names: readonly string[]): HeaderPairs {
  const pairs: HeaderPairs = [];
  for (const name of names) {
    const value = call.header(name);
    if (value !== undefined && value !== '') pairs.push(name, value);
  }
  return pairs;
}
