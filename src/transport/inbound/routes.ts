import { type Endpoint, type EndpointTraits, endpoints, servesHead, traitsOf } from '../../core/endpoint.ts';
import { pathFault, plainPath, plainSegment } from '../../core/http/plain-path.ts';

/** One defined route. Any other path under `/v1/` is relayed. */
interface RouteRow {
  readonly endpoint: Endpoint;
  readonly method: string;
  /** Path after `/v1/`; `{id}` matches one segment. */
  readonly template: string;
  /** The ID is the rest of the path, including slashes: model names may contain them, and not every client encodes them. */
  readonly idIsRest: boolean;
}

/** Without the realtime endpoint, which is reached by an upgrade, never by a normal request. */
const rows: readonly RouteRow[] = (Object.entries(endpoints) as [Endpoint, EndpointTraits][]).flatMap(([endpoint, { routes }]) =>
  endpoint === 'realtime'
    ? []
    : routes.flatMap(([method, template]) => {
        const row = { endpoint, method, template, idIsRest: traitsOf(endpoint).modelInPath === true };
        return method === 'GET' && servesHead(endpoint) ? [row, { ...row, method: 'HEAD' }] : [row];
      }),
);

/** Prefixes of a template. Client libraries of the messages API add `/v1` themselves, so a base URL without it must work. */
const pathPrefixes = (template: string): readonly string[] => (template.startsWith('messages') ? ['/v1/', '/'] : ['/v1/']);

/** A path of such a library with a base URL that ends in `/v1`. */
const doubledPrefix = /^\/v1(?=\/v1\/(?!v1\/).)/;

/** The endpoint that handles a request. */
export interface MatchedRoute {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  /** The equivalent path of a request in the deployments layout or with `/v1/` twice; undefined for other requests. */
  readonly path: string | undefined;
  /** The deployment named in such a path. */
  readonly model: string | undefined;
}

const noParams: Readonly<Record<string, string>> = Object.freeze({});
const routeMatch = (endpoint: Endpoint, params: Readonly<Record<string, string>>): MatchedRoute => ({
  endpoint,
  params,
  path: undefined,
  model: undefined,
});
const exact: ReadonlyMap<string, MatchedRoute> = new Map(
  rows
    .filter((row) => !row.template.includes('{'))
    .flatMap(({ endpoint, method, template }) =>
      pathPrefixes(template).map((prefix) => [`${method} ${prefix}${template}`, routeMatch(endpoint, noParams)]),
    ),
);
const routesWithId = rows.filter((row) => row.template.includes('{')).map((row) => ({ ...row, segments: row.template.split('/') }));
const relayed = routeMatch('relay', noParams);

/**
 * Finds the endpoint for a method and path (without query). Returns undefined outside `/v1/` and `/openai/`, for a path
 * that providers might resolve to another one, and for an ID with invalid percent-encoding.
 */
export function matchRoute(method: string, path: string): MatchedRoute | undefined {
  const hit = exact.get(`${method} ${path}`);
  if (hit !== undefined) return hit;
  if (path.startsWith(deploymentsPrefix)) return matchDeploymentPath(method, path);
  if (doubledPrefix.test(path)) return matchEquivalent(method, path.slice(3));
  if (!path.startsWith('/v1/') || path.length === 4 || pathFault(path) !== undefined) return undefined;
  const deployment = path.startsWith(deployments, 4) ? matchDeployment(method, path.slice(4)) : undefined;
  if (deployment !== undefined) return deployment;
  const segments = path.slice(4).split('/');
  const found = byId(method, segments) ?? matchNormalized(method, segments);
  return found === badId ? undefined : (found ?? relayed);
}

const deploymentsPrefix = '/openai/';
const deployments = 'deployments/';

/**
 * Path layout of clients of deployments (Azure OpenAI, REST API reference): every path under `/openai/`, with or
 * without `v1/`, and, for calls to a model, under `/openai/deployments/NAME/`. The name may contain slashes, because
 * not every client encodes them. Clients whose base URL ends in `/v1` send `/v1/deployments/NAME/`.
 */
function matchDeploymentPath(method: string, path: string): MatchedRoute | undefined {
  const rest = path.slice(deploymentsPrefix.length);
  if (!rest.startsWith(deployments)) {
    return matchEquivalent(method, rest.startsWith('v1/') ? `/${rest}` : `/v1/${rest}`);
  }
  return pathFault(path) === undefined ? matchDeployment(method, rest) : undefined;
}

/** @param rest the path from `deployments/` */
function matchDeployment(method: string, rest: string): MatchedRoute | undefined {
  for (const segmentCount of [2, 1]) {
    const cut = lastSegments(rest, segmentCount);
    const canonicalPath = `/v1/${rest.slice(cut)}`;
    const matched = cut <= deployments.length ? undefined : exact.get(`${method} ${canonicalPath}`);
    if (matched === undefined || traitsOf(matched.endpoint).baseModel === true) continue;
    const model = decode(rest.slice(deployments.length, cut - 1));
    return model === badId || model === '' ? undefined : { ...matched, path: canonicalPath, model };
  }
  return undefined;
}

/** Finds the endpoint for the equivalent path of a request. */
function matchEquivalent(method: string, path: string): MatchedRoute | undefined {
  const matched = matchRoute(method, path);
  return matched === undefined ? undefined : { ...matched, path };
}

/** Returns the start of the last segments of a path. */
function lastSegments(path: string, count: number): number {
  let at = path.length;
  for (let skipped = 0; skipped < count && at > 0; skipped += 1) at = path.lastIndexOf('/', at - 1);
  return at + 1;
}

/** WebSockets are accepted at `/v1/realtime`, and at two other paths for clients of deployments. */
export const isRealtime = (path: string): boolean =>
  path === '/v1/realtime' || path === '/openai/realtime' || path === '/openai/v1/realtime';

function byId(method: string, segments: readonly string[]): MatchedRoute | typeof badId | undefined {
  for (const route of routesWithId) {
    const count = route.segments.length;
    if (route.method !== method || (route.idIsRest ? segments.length < count : segments.length !== count)) continue;
    const id = idOf(route.segments, route.idIsRest ? [...segments.slice(0, count - 1), segments.slice(count - 1).join('/')] : segments);
    if (id === badId) return badId;
    if (id !== undefined) return routeMatch(route.endpoint, { id });
  }
  return undefined;
}

/**
 * Many servers treat `//chat/`, `%63hat` and `Chat` like `chat`. A path that they would map to a defined route is
 * mapped here as well, because relayed requests bypass the rules for models and lines.
 */
function matchNormalized(method: string, segments: readonly string[]): MatchedRoute | typeof badId | undefined {
  const named = segments.filter((segment) => segment !== '');
  return exact.get(`${method} ${plainPath(`/v1/${named.join('/')}`)}`) ?? byId(method, named);
}

/** The template matches, but the ID has an invalid encoding. */
const badId = Symbol('bad id');

function idOf(template: readonly string[], segments: readonly string[]): string | typeof badId | undefined {
  let id: string | typeof badId | undefined;
  for (const [i, part] of template.entries()) {
    const segment = segments[i] ?? '';
    if (part !== '{id}') {
      if (part !== segment && part !== plainSegment(segment)) return undefined;
      continue;
    }
    id = decode(segment);
    if (id === '') return undefined;
  }
  return id;
}

function decode(segment: string): string | typeof badId {
  try {
    return decodeURIComponent(segment);
  } catch {
    return badId;
  }
}
