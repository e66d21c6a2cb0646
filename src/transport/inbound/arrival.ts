import type { IncomingMessage } from 'node:http';
import type { RequestHead } from '../../core/http/request.ts';
import type { Clock } from '../../core/context.ts';
import { knownPaths } from '../../core/endpoint.ts';
import { fromUnknown, GatewayError } from '../../core/error.ts';
import { nearest } from '../../core/text/nearest.ts';
import { gatewayText } from '../../core/http/header-text.ts';
import { pathFault } from '../../core/http/plain-path.ts';
import { plainQuery, withoutParameters } from '../../core/http/query.ts';
import { parseTraceparent } from '../../core/http/trace.ts';
import { type HeaderNames, RequestHeaderBag } from './header-bag.ts';
import type { Ids } from './ids.ts';
import { parseMetadata } from './metadata.ts';
import { privacyFault, checkUnknownHeaders } from './unknown-headers.ts';
import { useAbsoluteTarget } from './request-target.ts';
import { type MatchedRoute, matchRoute } from './routes.ts';

/** The head of a request after parsing. */
export interface ParsedHead {
  readonly path: string;
  readonly query: string;
  readonly method: string;
  readonly matched: MatchedRoute | undefined;
  readonly bag: RequestHeaderBag;
  readonly names: HeaderNames;
  readonly peer: string | undefined;
  readonly at: number;
  readonly arrivedAt: number;
}

/** Source of a head: a network request, or a hypothetical one to be explained. */
export type HeadSource = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/** @param key an API key that was sent outside the headers */
export function readHead(request: HeadSource, names: HeaderNames, clock: Clock, key?: string): ParsedHead {
  useAbsoluteTarget(request);
  const url = request.url ?? '/';
  const path = pathOf(url);
  const method = request.method ?? 'GET';
  return {
    path,
    query: queryOf(url),
    method,
    matched: matchRoute(method, path),
    bag: new RequestHeaderBag(request, names, key),
    names,
    peer: request.socket.remoteAddress,
    at: clock.now(),
    arrivedAt: clock.monotonic(),
  };
}

export function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

/** Returns the query of a target, without `?` and without credentials. */
export function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : withoutCredentials(url.slice(mark + 1));
}

/** Source of IDs and of the only random number of a request. */
export interface ArrivalDeps {
  readonly ids: Ids;
  random(): number;
}

/** Converts a head for the pipeline. `fault` is the first error in its headers. */
export function arrivalOf(
  head: ParsedHead,
  deps: ArrivalDeps,
): { readonly arrival: RequestHead; readonly fault: GatewayError | undefined } {
  let metadata: Readonly<Record<string, string>> = {};
  const { unknownNames } = head.bag;
  const found = unknownNames === undefined ? undefined : checkUnknownHeaders(unknownNames, head.names);
  let fault = found?.fault ?? (head.bag.hasGateway ? privacyFault(head.bag) : undefined);
  try {
    metadata = parseMetadata(head.bag.gateway('metadata'));
  } catch (thrown) {
    fault ??= fromUnknown(thrown);
  }
  const arrival: RequestHead = {
    id: deps.ids.request(head.at),
    endpoint: head.matched?.endpoint ?? 'relay',
    method: head.method,
    path: head.matched?.path ?? head.path,
    pathModel: head.matched?.model,
    params: head.matched?.params ?? {},
    query: head.matched?.path === undefined ? head.query : plainQuery(head.query),
    headers: head.bag,
    at: head.at,
    arrivedAt: head.arrivedAt,
    peer: head.peer,
    random: deps.random(),
    traceId: gatewayText(head.bag, 'traceId') || (parseTraceparent(head.bag.get('traceparent'))?.traceId ?? deps.ids.trace()),
    metadata,
    warnings: found?.warnings,
  };
  return { arrival, fault };
}

/** Methods that may be relayed. TRACE is not forwarded, because its response contains the request with its credentials (RFC 9110 9.3.8). */
export const relayedMethods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Path of the OpenAPI document, which is served like a file. */
const descriptionPath = '/openapi.json';
const readMethods: readonly string[] = ['GET', 'HEAD'];

export const isApiDescriptionRequest = ({ path, method }: ParsedHead): boolean => path === descriptionPath && readMethods.includes(method);

/** Returns the error for a head without a route. */
export function routeFault(head: ParsedHead): GatewayError | undefined {
  if (head.path === descriptionPath) return notAllowed(head, readMethods);
  if (!relayedMethods.includes(head.method)) return notAllowed(head, relayedMethods);
  return head.matched === undefined ? noRoute(head) : undefined;
}

function notAllowed({ method, path }: ParsedHead, allow: readonly string[]): GatewayError {
  return new GatewayError('method_not_allowed', {
    message: `The gateway does not support ${method} "${path}".`,
    hint: `Methods: ${allow.join(', ')}.`,
    allow,
  });
}

function noRoute(head: ParsedHead): GatewayError {
  const fault = pathFault(head.path);
  if (fault !== undefined)
    return new GatewayError('route_not_found', { message: `The path ${fault}.`, hint: 'Encode each name in the path once.' });
  const near = nearest(head.path, knownPaths) ?? (head.path.startsWith('/v1') ? undefined : nearest(`/v1${head.path}`, knownPaths));
  return new GatewayError('route_not_found', {
    message: `There is no route ${head.method} "${head.path}".${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    hint:
      head.path === '/metrics'
        ? 'Metrics are served on server.probe_listen and on the admin listener.'
        : "Routes begin with /v1: set the client's base URL to one that ends in /v1.",
  });
}

/**
 * Query parameters that carry client credentials. They are not forwarded: requests to the provider are signed with the
 * gateway's own credential.
 */
const credentialParameters: readonly string[] = [
  'api-key',
  'api_key',
  'apikey',
  'x-api-key',
  'key',
  'access_token',
  'access-token',
  'auth_token',
  'subscription-key',
  'ocp-apim-subscription-key',
  'sig',
];

/** Removes credentials from a query. A gateway key in the query (WebSockets in browsers) is passed to `auth` with the headers. */
function withoutCredentials(query: string): string {
  return /key|sig|token|%/i.test(query) ? withoutParameters(query, credentialParameters) : query;
}
