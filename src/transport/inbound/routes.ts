import { type Endpoint, type EndpointTraits, endpoints, servesHead, traitsOf } from '../../core/endpoint.ts';
import { pathFault, plainPath, plainWord } from '../../core/http/plain-path.ts';

/** One modelled route: what is not in the table of endpoints and begins with `/v1/` is relayed. */
interface Row {
  readonly endpoint: Endpoint;
  readonly method: string;
  /** Path behind `/v1/`; `{id}` stands for one segment. */
  readonly template: string;
  /** The id is all that follows, slashes included: names of models hold some, and not every client encodes them. */
  readonly idIsRest: boolean;
}

/** The WebSocket comes as an upgrade, never as a request. */
const rows: readonly Row[] = (Object.entries(endpoints) as [Endpoint, EndpointTraits][]).flatMap(([endpoint, { routes }]) =>
  endpoint === 'realtime'
    ? []
    : routes.flatMap(([method, template]) => {
        const row = { endpoint, method, template, idIsRest: endpoint === 'models/{id}' };
        return method === 'GET' && servesHead(endpoint) ? [row, { ...row, method: 'HEAD' }] : [row];
      }),
);

/**
 * What stands before a template. Libraries of the messages API add `/v1` themselves, so that a base URL with or
 * without it has to do.
 */
const places = (template: string): readonly string[] => (template.startsWith('messages') ? ['/v1/', '/', '/v1/v1/'] : ['/v1/']);

/** Where a request goes inside the gateway. */
export interface Matched {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  /** The same path as ours, where it came in the layout of deployments; undefined for our own. */
  readonly path: string | undefined;
  /** The deployment that such a path names. */
  readonly model: string | undefined;
}

const noParams: Readonly<Record<string, string>> = Object.freeze({});
const plainly = (endpoint: Endpoint, params: Readonly<Record<string, string>>): Matched => ({
  endpoint,
  params,
  path: undefined,
  model: undefined,
});
const exact: ReadonlyMap<string, Matched> = new Map(
  rows
    .filter((row) => !row.template.includes('{'))
    .flatMap(({ endpoint, method, template }) =>
      places(template).map((place) => [`${method} ${place}${template}`, plainly(endpoint, noParams)]),
    ),
);
const withId = rows.filter((row) => row.template.includes('{')).map((row) => ({ ...row, segments: row.template.split('/') }));
const relayed = plainly('relay', noParams);

/**
 * Finds the endpoint of a method and path (no query). Undefined outside `/v1/` and `/openai/`, for a path that services might resolve to
 * another one, and for an id that is not percent-encoded text.
 */
export function matchRoute(method: string, path: string): Matched | undefined {
  const hit = exact.get(`${method} ${path}`);
  if (hit !== undefined) return hit;
  if (path.startsWith(deploymentsPrefix)) return inDeployments(method, path);
  if (!path.startsWith('/v1/') || path.length === 4 || pathFault(path) !== undefined) return undefined;
  const segments = path.slice(4).split('/');
  const found = byId(method, segments) ?? respelled(method, segments);
  return found === badId ? undefined : (found ?? relayed);
}

const deploymentsPrefix = '/openai/';
const deployments = 'deployments/';

/**
 * The layout of clients of deployments (Azure OpenAI, REST API reference): every path behind `/openai/`, with `v1/` or
 * without, and where a model runs, behind `/openai/deployments/NAME/`. The name may hold slashes: not every client
 * encodes them.
 */
function inDeployments(method: string, path: string): Matched | undefined {
  const rest = path.slice(deploymentsPrefix.length);
  if (!rest.startsWith(deployments)) {
    const own = rest.startsWith('v1/') ? `/${rest}` : `/v1/${rest}`;
    const matched = matchRoute(method, own);
    return matched === undefined ? undefined : { ...matched, path: own };
  }
  if (pathFault(path) !== undefined) return undefined;
  for (const words of [2, 1]) {
    const cut = lastWords(rest, words);
    const own = `/v1/${rest.slice(cut)}`;
    const matched = cut <= deployments.length ? undefined : exact.get(`${method} ${own}`);
    if (matched === undefined || traitsOf(matched.endpoint).baseModel === true) continue;
    const model = decode(rest.slice(deployments.length, cut - 1));
    return model === badId || model === '' ? undefined : { ...matched, path: own, model };
  }
  return undefined;
}

/** Where the last words of a path begin. */
function lastWords(path: string, count: number): number {
  let at = path.length;
  for (let words = 0; words < count && at > 0; words += 1) at = path.lastIndexOf('/', at - 1);
  return at + 1;
}

/** A WebSocket is asked for at `/v1/realtime`, or at one of these paths by clients of deployments. */
export const isRealtime = (path: string): boolean =>
  path === '/v1/realtime' || path === '/openai/realtime' || path === '/openai/v1/realtime';

function byId(method: string, segments: readonly string[]): Matched | typeof badId | undefined {
  for (const route of withId) {
    const count = route.segments.length;
    if (route.method !== method || (route.idIsRest ? segments.length < count : segments.length !== count)) continue;
    const id = idOf(route.segments, route.idIsRest ? [...segments.slice(0, count - 1), segments.slice(count - 1).join('/')] : segments);
    if (id === badId) return badId;
    if (id !== undefined) return plainly(route.endpoint, { id });
  }
  return undefined;
}

/**
 * Many servers read `//chat/`, `%63hat` and `Chat` like `chat`: what they would take for a modelled route is one here as
 * well, since what is relayed shows neither model nor lines to the rules that depend on them.
 */
function respelled(method: string, segments: readonly string[]): Matched | typeof badId | undefined {
  const named = segments.filter((segment) => segment !== '');
  return exact.get(`${method} ${plainPath(`/v1/${named.join('/')}`)}`) ?? byId(method, named);
}

/** The template fits, but nobody can say what its id is. */
const badId = Symbol('bad id');

function idOf(template: readonly string[], segments: readonly string[]): string | typeof badId | undefined {
  let id: string | typeof badId | undefined;
  for (const [i, part] of template.entries()) {
    const segment = segments[i] ?? '';
    if (part !== '{id}') {
      if (part !== segment && part !== plainWord(segment)) return undefined;
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
