import { type Endpoint, traitsOf } from '../endpoint.ts';
import type { RequestBody } from '../json/body.ts';
import type { GatewayError } from '../error.ts';

/** `creates`: makes an object in one account; `names`: names one by id; undefined: a call that leaves nothing behind. */
export type RouteState = 'creates' | 'names' | undefined;

/** First segments behind `/v1/` of relayed routes that keep objects. */
const collections: ReadonlySet<string> = new Set([
  'assistants',
  'batches',
  'chat',
  'containers',
  'conversations',
  'evals',
  'files',
  'fine_tuning',
  'messages',
  'responses',
  'threads',
  'uploads',
  'vector_stores',
  'videos',
]);

/** Of these the second segment names the collection: `fine_tuning/jobs`, `messages/batches`. */
const nested: ReadonlySet<string> = new Set(['chat', 'fine_tuning', 'messages']);

interface RouteFacts {
  readonly endpoint: Endpoint;
  readonly method: string;
  /** As sent, with `/v1/`. */
  readonly path: string;
  readonly body: RequestBody;
}

/**
 * Whether a route belongs to one account, so that a second try could do its work twice or look in the wrong place.
 * A response is created only where the body asks to keep it: by default nobody reads it again.
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
  if (!collections.has(first)) return undefined;
  const id = nested.has(first) ? third : second;
  if (id !== undefined && id !== '') return 'names';
  return method === 'POST' ? 'creates' : undefined;
}

/**
 * A refusal of our own that says an object named by id can't be at this provider: it has no such route, or its ids look
 * different. Another account may have it.
 */
export const isNotHere = ({ code, status }: GatewayError): boolean =>
  code === 'unsupported_endpoint' || code === 'object_not_found' || (code === 'invalid_value' && status === 404);
