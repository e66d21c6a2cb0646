import { type Endpoint, traitsOf } from '../endpoint.ts';
import type { RequestBody } from '../http/request.ts';
import type { GatewayError } from '../error.ts';

/** `creates`: creates an object in one account; `names`: refers to one by ID; undefined: leaves no object behind. */
export type RouteState = 'creates' | 'names' | undefined;

/** First segments after `/v1/` of relayed routes with stored objects; the first two where others store nothing. */
const collections: ReadonlySet<string> = new Set([
  'assistants',
  'audio/voice_consents',
  'audio/voices',
  'batches',
  'chat',
  'chatkit',
  'containers',
  'conversations',
  'evals',
  'files',
  'fine_tuning',
  'messages',
  'realtime',
  'responses',
  'skills',
  'threads',
  'uploads',
  'vector_stores',
  'videos',
]);

/** Collections whose second segment is part of the name: `fine_tuning/jobs`, `messages/batches`, `realtime/calls`. */
const nested: ReadonlySet<string> = new Set(['chat', 'chatkit', 'fine_tuning', 'messages', 'realtime']);

interface RouteFacts {
  readonly endpoint: Endpoint;
  readonly method: string;
  /** As sent, including `/v1/`. */
  readonly path: string;
  readonly body: RequestBody;
}

/**
 * Returns whether a route belongs to one account, so that a retry could repeat its effect or use the wrong account. A
 * response counts as created only if the request asks to store it; by default it is not read again.
 */
export function stateOf(route: RouteFacts): RouteState {
  const traits = traitsOf(route.endpoint);
  if (traits.state !== undefined) return traits.state;
  if (route.endpoint === 'responses' && route.body.kind === 'json') {
    return route.body.peek('store') === true || route.body.peek('background') === true ? 'creates' : undefined;
  }
  return route.endpoint === 'relay' ? stateOfPath(route.method, route.path) : undefined;
}

function stateOfPath(method: string, path: string): RouteState {
  const [, , first = '', second, third] = path.split('/');
  const isPair = collections.has(`${first}/${second}`);
  if (!isPair && !collections.has(first)) return undefined;
  const id = isPair || nested.has(first) ? third : second;
  if (id !== undefined && id !== '') return 'names';
  return method === 'POST' ? 'creates' : undefined;
}

/**
 * True for an error of the gateway which means that an object cannot exist at this provider: the route is not
 * supported, or the ID has another format. Another account may have the object.
 */
export const cannotExistAtProvider = ({ code, status }: GatewayError): boolean =>
  code === 'unsupported_endpoint' || code === 'object_not_found' || (code === 'invalid_value' && status === 404);
