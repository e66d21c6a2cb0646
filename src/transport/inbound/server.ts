import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Arrival, Incoming, PendingBody } from '../../core/http/arrival.ts';
import type { Budget } from '../../core/memory/budget.ts';
import type { Client } from '../../core/http/client.ts';
import type { Clock } from '../../core/context.ts';
import { knownPaths, traitsOf } from '../../core/endpoint.ts';
import { fromUnknown, GatewayError } from '../../core/error.ts';
import { nearest } from '../../core/text/nearest.ts';
import { pathFault } from '../../core/http/plain-path.ts';
import { plainQuery, without } from '../../core/http/query.ts';
import { parseTraceparent } from '../../core/http/trace.ts';
import type { KeylessRules } from './keyless-rules.ts';
import { type BodyLimits, ClientBody, type ClientBodyDeps } from './body/client-body.ts';
import type { Cors } from './cors.ts';
import { type HeaderNames, RequestHeaderBag } from './header-bag.ts';
import type { Ids } from './ids.ts';
import { parseMetadata } from '../credentials/metadata.ts';
import { strangeHeaders } from './strange-headers.ts';
import { linger } from './listener/linger.ts';
import { ClientSocket } from './listener/client-socket.ts';
import { NodeClient } from './listener/node-client.ts';
import type { Probes } from './probes.ts';
import { refuseRaw } from './listener/raw-refusal.ts';
import { useAbsoluteTarget } from './request-target.ts';
import { isRealtime, type Matched, matchRoute } from './routes.ts';
import type { Sweeper } from '../outbound/exchange/sweeper.ts';
import { TurnResponse, Turns } from './listener/turns.ts';
import { upgradeOptions } from './listener/upgrades.ts';

/** All request headers together: room for a config with a service account. */
const maxHeaderSize = 64 * 1024;
/** The longest wait for the head of a request, of the first one from the connection on. */
const headTimeoutMs = 10_000;

export interface ServerDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly sweeper: Sweeper;
  /** Counts what is held of bodies that arrive. */
  readonly budget: Budget;
  random(): number;
  /** Told of the bytes of files that pass. */
  passed(bytes: number): void;
  /** Limits and names of the snapshot that is current when a request arrives. */
  limits(): BodyLimits & { readonly names: HeaderNames };
  /** Pages of other origins that may use the gateway; undefined where `server.cors` is not set. */
  cors(): Cors | undefined;
  /** Undefined where callers have to prove who they are. */
  keyless(): KeylessRules | undefined;
  /** The gateway stops: new requests are refused. */
  isDraining(): boolean;
  handle(incoming: Incoming): void;
  /** A throw where no request is yet that could fail on it. */
  onDefect(error: unknown): void;
  /** Answers `GET /openapi.json`: it says nothing of this gateway's configuration, so anybody may read it. */
  describeApi(response: ServerResponse): void;
  /** `/healthz` and `/readyz` for whoever asks: platforms probe the port that they send requests to, without a key. */
  readonly probes: Probes;
}

/** The data listener: hands requests over as soon as their heads are there. Nothing is decided here but what has no route. */
export function createDataServer(deps: ServerDeps): Server {
  const reader = new RequestReader(deps);
  const server = createServer<typeof IncomingMessage, typeof TurnResponse>({
    maxHeaderSize,
    ServerResponse: TurnResponse,
    // Bodies have timeouts of their own.
    requestTimeout: 0,
    headersTimeout: headTimeoutMs,
    connectionsCheckingInterval: 2000,
    keepAliveTimeout: 75_000,
    ...upgradeOptions(),
  });
  server.on('request', (request, response) => reader.http(request, response, false));
  // Without a listener such clients are told to go on before anybody has looked at their keys.
  server.on('checkContinue', (request, response) => reader.http(request, response, true));
  server.on('upgrade', (request, socket, head) => reader.upgrade(request, socket, head));
  server.on('connect', (_request, socket) => refuseRaw(socket, noTunnel()));
  server.on('clientError', answerUnreadable);
  return server;
}

class RequestReader {
  readonly #deps: ServerDeps;
  readonly #bodyDeps: ClientBodyDeps;
  readonly #turns = new Turns();
  readonly #onEarly: (request: IncomingMessage) => void;

  constructor(deps: ServerDeps) {
    this.#deps = deps;
    const { sweeper, clock, passed, budget } = deps;
    this.#bodyDeps = { sweeper, monotonic: clock.monotonic, passed, budget };
    this.#onEarly = (request) => linger(request, sweeper, clock.monotonic);
  }

  /** @param isAwaited the client sends its body only when it is told to */
  http(request: IncomingMessage, response: TurnResponse, isAwaited: boolean): void {
    if (response.socket === null) this.#turns.take(request, response, () => this.#begin(request, response, isAwaited));
    else this.#begin(request, response, isAwaited);
  }

  upgrade(request: IncomingMessage, socket: Duplex, upgradeHead: Buffer): void {
    try {
      this.#upgrade(request, socket, upgradeHead);
    } catch (thrown) {
      this.#deps.onDefect(thrown);
      socket.on('error', () => {}).destroy();
    }
  }

  #begin(request: IncomingMessage, response: ServerResponse, isAwaited: boolean): void {
    try {
      this.#http(request, response, isAwaited);
    } catch (thrown) {
      this.#deps.onDefect(thrown);
      answerDefect(response);
    }
  }

  #http(request: IncomingMessage, response: ServerResponse, isAwaited: boolean): void {
    const deps = this.#deps;
    const limits = deps.limits();
    const head = this.#head(request, limits.names);
    const client = new NodeClient(response, this.#onEarly);
    const { matched } = head;
    const traits = traitsOf(matched?.endpoint ?? 'relay');
    const cors = deps.cors();
    const refused = deps.keyless()?.refusal(request, traits) ?? cors?.refusal(request);
    cors?.show(request, response);
    if (refused === undefined && cors?.answers(request, response) === true) return;
    const body = new ClientBody({ request, response, traits, limits, deps: this.#bodyDeps, isAwaited });
    if (matched === undefined && head.path === '/openapi.json' && head.method === 'GET') {
      deps.describeApi(response);
      return;
    }
    if (matched === undefined && refused === undefined && deps.probes(head.path, request, response)) return;
    if (head.path === '*' && head.method === 'OPTIONS') {
      response.writeHead(204, { allow: [...passed].join(', ') }).end();
      return;
    }
    const refusal = refused ?? this.#refusal(head);
    deps.handle(this.#incoming(head, client, body, refusal));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, upgradeHead: Buffer): void {
    const head = this.#head(request, this.#deps.limits().names, socketKey(request));
    const matched: Matched = { endpoint: 'realtime', params: {}, path: '/v1/realtime', model: undefined };
    const refused =
      this.#deps.keyless()?.refusal(request, undefined) ?? this.#refusal({ ...head, matched: isRealtime(head.path) ? matched : undefined });
    const client = new ClientSocket(request, socket, upgradeHead);
    this.#deps.handle(this.#incoming({ ...head, matched }, client, client, refused));
  }

  #head(request: IncomingMessage, names: HeaderNames, key?: string): Head {
    useAbsoluteTarget(request);
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const query = mark < 0 ? '' : withoutKeys(url.slice(mark + 1));
    const method = request.method ?? 'GET';
    return {
      path,
      query,
      method,
      matched: matchRoute(method, path),
      bag: new RequestHeaderBag(request, names, key),
      names,
      peer: request.socket.remoteAddress,
      at: this.#deps.clock.now(),
      arrivedAt: this.#deps.clock.monotonic(),
    };
  }

  #refusal(head: Head): GatewayError | undefined {
    if (this.#deps.isDraining()) {
      return new GatewayError('draining', {
        message: 'The gateway is shutting down and accepts no new requests.',
        hint: 'Send the request again, to another instance.',
      });
    }
    if (!passed.has(head.method)) return notAllowed(head);
    return head.matched === undefined ? noRoute(head) : undefined;
  }

  #incoming(head: Head, client: Client, body: PendingBody, refusal: GatewayError | undefined): Incoming {
    let fault = refusal;
    let metadata: Readonly<Record<string, string>> = {};
    const { strange } = head.bag;
    const found = strange === undefined ? undefined : strangeHeaders(strange, head.names);
    fault ??= found?.fault;
    try {
      metadata = parseMetadata(head.bag.gateway('metadata'));
    } catch (thrown) {
      fault ??= fromUnknown(thrown);
    }
    const arrival: Arrival = {
      id: this.#deps.ids.request(head.at),
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
      random: this.#deps.random(),
      traceId: head.bag.gateway('traceId') || (parseTraceparent(head.bag.get('traceparent'))?.traceId ?? this.#deps.ids.trace()),
      metadata,
      warnings: found?.warnings,
    };
    return { arrival, client, body, refusal: fault };
  }
}

interface Head {
  readonly path: string;
  readonly query: string;
  readonly method: string;
  readonly matched: Matched | undefined;
  readonly bag: RequestHeaderBag;
  readonly names: HeaderNames;
  readonly peer: string | undefined;
  readonly at: number;
  readonly arrivedAt: number;
}

/** Parameters in which clients send a credential: theirs is none of the provider's business, which is signed with another. */
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

/** A gateway key in the query (browsers on WebSockets) is read by `auth` from the headers' side; no key there goes on. */
function withoutKeys(query: string): string {
  return /key|sig|token|%/i.test(query) ? without(query, credentialParameters) : query;
}

/**
 * Browsers can't set headers on a WebSocket: their key comes in the query or as a subprotocol.
 * It is read here, once, and goes no further.
 */
function socketKey(request: IncomingMessage): string | undefined {
  const mark = request.url?.indexOf('?') ?? -1;
  const inQuery = mark < 0 ? null : new URLSearchParams(request.url?.slice(mark + 1)).get('api-key');
  if (inQuery !== null) return inQuery;
  const protocols = request.headers['sec-websocket-protocol']?.split(',') ?? [];
  const carrier = protocols.map((each) => each.trim()).find((each) => each.startsWith(keyProtocol));
  return carrier?.slice(keyProtocol.length);
}

const keyProtocol = 'openai-insecure-api-key.';

/** Methods that may be relayed. TRACE shows its sender what arrived, credentials included (RFC 9110 9.3.8): it goes no further. */
const passed: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function notAllowed({ method, path }: Head): GatewayError {
  return new GatewayError('method_not_allowed', {
    message: `The gateway does not support ${method} "${path}".`,
    hint: `Methods: ${[...passed].join(', ')}.`,
  });
}

function noRoute(head: Head): GatewayError {
  const fault = pathFault(head.path);
  if (fault !== undefined)
    return new GatewayError('route_not_found', { message: `The path ${fault}.`, hint: 'Encode each name in the path once.' });
  const near = nearest(head.path, knownPaths) ?? (head.path.startsWith('/v1') ? undefined : nearest(`/v1${head.path}`, knownPaths));
  return new GatewayError('route_not_found', {
    message: `There is no route ${head.method} "${head.path}".${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    hint: "Routes begin with /v1: set the client's base URL to one that ends in /v1.",
  });
}

/** Nothing of the request is known for sure, and there is nothing that could be recorded. */
function answerDefect(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(500, { 'content-type': 'application/json', connection: 'close' }).end(defectBody);
}

const defectBody = JSON.stringify({
  error: { message: 'The gateway failed on this request.', type: 'internal_error', code: 'internal', param: null },
  status: 'failure',
  message: 'The gateway failed on this request.',
});

/** `_httpMessage` is the response that is being sent: node's own handler of such errors looks at it too. */
type AnsweringSocket = Duplex & { readonly _httpMessage?: unknown; readonly bytesRead?: number };

/** What the HTTP parser refuses has no request: one plain answer, then the connection closes. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  // An answer of ours in the middle of another would be taken for a part of it, and one to nothing for an answer to the next request.
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const { _httpMessage: running, bytesRead } = socket as AnsweringSocket;
  if ((running ?? null) !== null || (isLate && bytesRead === 0)) socket.destroy();
  else refuseRaw(socket, unreadable(error.code));
}

function unreadable(code: string | undefined): GatewayError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new GatewayError('headers_too_large', {
        message: `The request's headers are larger than ${maxHeaderSize} bytes.`,
        hint: 'Name a config of gateway.yaml instead of sending one.',
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new GatewayError('timeout', { message: `The head of the request did not arrive within ${headTimeoutMs / 1000} s.` });
    default:
      return new GatewayError('invalid_header', { message: 'The request is not valid HTTP.' });
  }
}

const noTunnel = (): GatewayError =>
  new GatewayError('method_not_allowed', {
    message: 'The gateway is not a proxy: it does not support CONNECT.',
    hint: 'Use it as the base URL of a client, not as its proxy.',
  });
