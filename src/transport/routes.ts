import type { Endpoint } from '../core/endpoint.ts';

/** One modelled route: what is not in this table and begins with `/v1/` is relayed. */
interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path behind `/v1/`; `{id}` stands for one segment. */
  readonly template: Endpoint;
  /** The id is all that follows, slashes included: names of models hold some, and not every client encodes them. */
  readonly idIsRest?: true;
}

const routes: readonly Route[] = [
  { method: 'POST', template: 'chat/completions' },
  { method: 'POST', template: 'completions' },
  { method: 'POST', template: 'embeddings' },
  { method: 'POST', template: 'images/generations' },
  { method: 'POST', template: 'moderations' },
  { method: 'POST', template: 'responses' },
  { method: 'POST', template: 'responses/input_tokens' },
  { method: 'POST', template: 'responses/compact' },
  { method: 'GET', template: 'responses/{id}' },
  { method: 'DELETE', template: 'responses/{id}' },
  { method: 'POST', template: 'responses/{id}/cancel' },
  { method: 'GET', template: 'responses/{id}/input_items' },
  { method: 'POST', template: 'messages' },
  { method: 'POST', template: 'messages/count_tokens' },
  { method: 'GET', template: 'models' },
  { method: 'GET', template: 'models/{id}', idIsRest: true },
];

/**
 * What stands before a template. Libraries of the messages API add `/v1` themselves, so that a base URL with or
 * without it has to do.
 */
const places = (template: Endpoint): readonly string[] => (template.startsWith('messages') ? ['/v1/', '/', '/v1/v1/'] : ['/v1/']);

/** Where a request goes inside the gateway. */
export interface Matched {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
}

const noParams: Readonly<Record<string, string>> = Object.freeze({});
const exact: ReadonlyMap<string, Matched> = new Map(
  routes
    .filter((route) => !route.template.includes('{'))
    .flatMap(({ method, template }) =>
      places(template).map((place) => [`${method} ${place}${template}`, { endpoint: template, params: noParams }]),
    ),
);
const withId = routes.filter((route) => route.template.includes('{')).map((route) => ({ ...route, segments: route.template.split('/') }));
const relayed: Matched = { endpoint: 'relay', params: noParams };

/** Finds the endpoint of a method and path (no query). Undefined outside `/v1/`. */
export function matchRoute(method: string, path: string): Matched | undefined {
  const hit = exact.get(`${method} ${path}`);
  if (hit !== undefined) return hit;
  if (!path.startsWith('/v1/') || path.length === 4) return undefined;
  const segments = path.slice(4).split('/');
  for (const route of withId) {
    const count = route.segments.length;
    if (route.method !== method || (route.idIsRest === true ? segments.length < count : segments.length !== count)) continue;
    const id = idOf(
      route.segments,
      route.idIsRest === true ? [...segments.slice(0, count - 1), segments.slice(count - 1).join('/')] : segments,
    );
    if (id !== undefined) return { endpoint: route.template, params: { id } };
  }
  return relayed;
}

function idOf(template: readonly string[], segments: readonly string[]): string | undefined {
  let id: string | undefined;
  for (const [i, part] of template.entries()) {
    const segment = segments[i] ?? '';
    if (part !== '{id}') {
      if (part !== segment) return undefined;
      continue;
    }
    id = decode(segment);
    if (id === undefined || id === '') return undefined;
  }
  return id;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The modelled paths, for the nearest name in a `route_not_found`. */
export const knownPaths: readonly string[] = [...new Set(routes.map((route) => `/v1/${route.template}`))];
