import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { IncomingRequest, PendingBody } from '../../core/http/request.ts';
import type { MemoryBudget } from '../../core/memory/budget.ts';
import type { Client } from '../../core/http/client.ts';
import type { Clock } from '../../core/context.ts';
import { traitsOf } from '../../core/endpoint.ts';
import { defect, GatewayError, plainErrorBody } from '../../core/error.ts';
import type { KeylessRules } from './keyless-rules.ts';
import { HttpRequestBody } from './body/http-request-body.ts';
import type { BodyLimits, ClientBodyDeps } from './body/json-request-body.ts';
import type { Cors } from './cors.ts';
import { arrivalOf, isApiDescriptionRequest, type ParsedHead, type HeadSource, relayedMethods, readHead, routeFault } from './arrival.ts';
import type { HeaderNames } from './header-bag.ts';
import type { Ids } from './ids.ts';
import { handshakeFault, hasUncertainEnd, headFault } from './listener/head-fault.ts';
import { limitUnreadTime, linger } from './listener/lingering-close.ts';
import { UpgradeClient } from './listener/upgrade-client.ts';
import { NodeClient } from './listener/node-client.ts';
import { keepAliveSeconds } from './plain/response-head.ts';
import { PlainBody } from './plain/body.ts';
import { PlainConnections } from './plain/plain-connections.ts';
import type { PlainRequest } from './plain/plain-request.ts';
import type { Probes } from './probes.ts';
import { rejectRaw } from './listener/reject-raw.ts';
import { isRealtime, type MatchedRoute } from './routes.ts';
import type { Sweeper } from '../wire/sweeper.ts';
import type { TimerWheel } from '../wire/timer-wheel.ts';
import { PipelinedResponse, Pipelining } from './listener/pipelining.ts';
import { dataLimits, headTimeoutMs, parserFault, ParserErrors } from './listener/parser-errors.ts';
import { upgradeOptions } from './listener/upgrades.ts';
import { createServer } from '../../core/node-http.ts';

export interface ServerDeps {
  readonly clock: Clock;
  readonly wheel: TimerWheel;
  readonly ids: Ids;
  readonly sweeper: Sweeper;
  /** Counts the memory used by arriving bodies. */
  readonly budget: MemoryBudget;
  random(): number;
  /** Called with the size of forwarded file data, in bytes. */
  passed(bytes: number): void;
  /** Limits and header names of the active snapshot. */
  limits(): BodyLimits & { readonly names: HeaderNames; readonly fastPath: boolean };
  /** Origins whose pages may use the gateway; undefined if `server.cors` is not set. */
  cors(): Cors | undefined;
  /** Undefined if callers must authenticate. */
  keyless(): KeylessRules | undefined;
  /** The gateway is shutting down: new requests are rejected. */
  isDraining(): boolean;
  handle(incoming: IncomingRequest): void;
  /** Called with an error thrown before there is a request that could fail with it. */
  onDefect(error: unknown): void;
  /** The body of `GET /openapi.json`: public, because it contains nothing of the configuration. */
  describeApi(): Promise<Buffer>;
  /** `/healthz` and `/readyz`, without authentication: platforms probe the port to which they send requests. */
  readonly probes: Probes;
}

/** The data listener. */
export interface DataServer {
  readonly server: Server;
  /** The connections that are not handled by `node:http`. */
  readonly plain: PlainConnections;
}

/** The data listener: passes requests on when their heads are complete. Only requests without a route are handled here. */
export function createDataServer(deps: ServerDeps): DataServer {
  const dispatcher = new RequestDispatcher(deps);
  const server = createServer<typeof IncomingMessage, typeof PipelinedResponse>({
    maxHeaderSize: dataLimits.maxHeaderSize,
    // Checked by `headFault`.
    requireHostHeader: false,
    ServerResponse: PipelinedResponse,
    // Bodies have their own timeouts.
    requestTimeout: 0,
    headersTimeout: headTimeoutMs,
    connectionsCheckingInterval: 2000,
    keepAliveTimeout: keepAliveSeconds * 1000,
    ...upgradeOptions(),
  });
  server.on('request', (request, response) => dispatcher.http(request, response, false));
  // Without this listener, Node sends `100 Continue` before the key was checked.
  server.on('checkContinue', (request, response) => dispatcher.http(request, response, true));
  server.on('checkExpectation', (request, response) => dispatcher.http(request, response, false));
  server.on('upgrade', (request, socket, head) => dispatcher.upgrade(request, socket, head));
  server.on('connect', (request, socket) => dispatcher.refuse(socket, noTunnel(), request));
  server.on('clientError', dispatcher.onUnreadable);
  const plain = new PlainConnections(server, {
    wheel: deps.wheel,
    now: deps.clock.now,
    names: () => {
      const { names, fastPath } = deps.limits();
      return fastPath ? names : undefined;
    },
    serve: (request) => dispatcher.plain(request),
    extraHeaders: ({ headers }) => deps.cors()?.headersFor(headers.origin),
    onDefect: deps.onDefect,
    errorResponses: {
      late: (socket) => dispatcher.refuse(socket, parserFault({ code: 'ERR_HTTP_REQUEST_TIMEOUT' })),
      unreadable: (socket) => dispatcher.refuse(socket, parserFault({})),
      defect: (socket) => rejectRaw(socket, defect()),
    },
  });
  return { server, plain };
}

class RequestDispatcher {
  readonly #deps: ServerDeps;
  readonly #bodyDeps: ClientBodyDeps;
  readonly #turns = new Pipelining();
  readonly #onEarly: (request: IncomingMessage) => void;
  readonly #skipped = new WeakMap<Duplex, IncomingMessage>();
  readonly onUnreadable = new ParserErrors((socket, error) => this.refuse(socket, error), this.#skipped, dataLimits).handle;

  constructor(deps: ServerDeps) {
    this.#deps = deps;
    const { sweeper, clock, passed, budget } = deps;
    this.#bodyDeps = { sweeper, monotonic: clock.monotonic, passed, budget };
    this.#onEarly = (request) => {
      this.#skipped.set(request.socket, request);
      linger(request, sweeper, clock.monotonic);
    };
  }

  /** @param expectsContinue the client waits for `100 Continue` before it sends its body */
  http(request: IncomingMessage, response: PipelinedResponse, expectsContinue: boolean): void {
    if (response.socket === null) this.#turns.enqueue(request, response, () => this.#begin(request, response, expectsContinue));
    else this.#begin(request, response, expectsContinue);
  }

  /** Handles a request parsed on the socket: its route is known, and its body is JSON or empty. */
  plain(request: PlainRequest): void {
    const { known, length, client, peer } = request;
    const { clock } = this.#deps;
    const head: ParsedHead = {
      path: known.path,
      query: known.query,
      method: known.method,
      matched: known.matched,
      bag: length === known.length ? known.bag : known.bag.withLength(length.toString()),
      names: known.names,
      peer,
      at: clock.now(),
      arrivedAt: clock.monotonic(),
    };
    const refusal = this.#deps.keyless()?.refusal(known, known.traits) ?? this.#refusal(head);
    const body = new PlainBody(request, this.#deps.limits(), this.#bodyDeps);
    this.#deps.handle(this.#incoming(head, client, body, refusal));
  }

  upgrade(request: IncomingMessage, socket: Duplex, upgradeHead: Buffer): void {
    try {
      this.#upgrade(request, socket, upgradeHead);
    } catch (thrown) {
      this.#deps.onDefect(thrown);
      socket.on('error', () => {}).destroy();
    }
  }

  /** Answers a connection that has no request to answer, and closes it. @param request a request that is not served */
  refuse(socket: Duplex, error: GatewayError, request: HeadSource = unreadableHead(socket)): void {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    try {
      const head = readHead(request, this.#deps.limits().names, this.#deps.clock);
      const client = new UpgradeClient(request, socket, Buffer.alloc(0));
      this.#deps.handle(this.#incoming({ ...head, matched: undefined }, client, client, error));
    } catch (thrown) {
      this.#deps.onDefect(thrown);
      rejectRaw(socket, error);
    }
  }

  #begin(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    try {
      this.#http(request, response, expectsContinue);
    } catch (thrown) {
      this.#failed(thrown, response);
    }
  }

  #failed(thrown: unknown, response: ServerResponse): void {
    this.#deps.onDefect(thrown);
    sendDefect(response);
  }

  #http(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    const deps = this.#deps;
    const limits = deps.limits();
    const head = readHead(request, limits.names, deps.clock);
    const client = new NodeClient(response, this.#onEarly);
    if (hasUncertainEnd(request)) response.shouldKeepAlive = false;
    const { matched } = head;
    const traits = traitsOf(matched?.endpoint ?? 'relay');
    const cors = deps.cors();
    const refused = headFault(request) ?? deps.keyless()?.refusal(request, traits) ?? cors?.refusal(request);
    cors?.addHeaders(request, response);
    if (refused === undefined && (cors?.respondToPreflight(request, response) === true || this.#servedLocally(head, request, response))) {
      limitUnreadTime(response.socket);
      return;
    }
    if (isApiDescriptionRequest(head)) {
      this.#describe(client).catch((thrown: unknown) => this.#failed(thrown, response));
      return;
    }
    const body = new HttpRequestBody({ request, response, traits, limits, deps: this.#bodyDeps, expectsContinue: expectsContinue });
    const refusal = refused ?? this.#refusal(head);
    deps.handle(this.#incoming(head, client, body, refusal));
  }

  /** Handles requests that are answered without a provider: probes, and `OPTIONS *`. */
  #servedLocally({ matched, path, method }: ParsedHead, request: IncomingMessage, response: ServerResponse): boolean {
    if (matched !== undefined) return false;
    if (this.#deps.probes(path, request, response)) return true;
    if (path !== '*' || method !== 'OPTIONS') return false;
    response.writeHead(204, { allow: relayedMethods.join(', ') }).end();
    return true;
  }

  async #describe(client: Client): Promise<void> {
    const bytes = await this.#deps.describeApi();
    client.head(200, ['content-type', 'application/json', 'content-length', `${bytes.length}`, 'cache-control', 'max-age=300']);
    client.end(bytes);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, upgradeHead: Buffer): void {
    const head = readHead(request, this.#deps.limits().names, this.#deps.clock, webSocketApiKey(request));
    const matched: MatchedRoute = { endpoint: 'realtime', params: {}, path: '/v1/realtime', model: undefined };
    const served = { ...head, matched };
    const refused =
      headFault(request) ??
      this.#deps.keyless()?.refusal(request, undefined) ??
      (isRealtime(head.path) ? (this.#refusal(served) ?? handshakeFault(request)) : noWebSocketRoute(head));
    const client = new UpgradeClient(request, socket, upgradeHead);
    this.#deps.handle(this.#incoming(served, client, client, refused));
  }

  #refusal(head: ParsedHead): GatewayError | undefined {
    if (this.#deps.isDraining()) {
      return new GatewayError('draining', {
        message: 'The gateway is shutting down and accepts no new requests.',
        hint: 'Send the request again, to another instance.',
      });
    }
    return routeFault(head);
  }

  #incoming(head: ParsedHead, client: Client, body: PendingBody, refusal: GatewayError | undefined): IncomingRequest {
    const { arrival, fault } = arrivalOf(head, this.#deps);
    return { arrival, client, body, refusal: refusal ?? fault };
  }
}

/** Browsers can't set headers on a WebSocket: they send the key in the query or as a subprotocol. It is read here, and not forwarded. */
function webSocketApiKey(request: IncomingMessage): string | undefined {
  const mark = request.url?.indexOf('?') ?? -1;
  const inQuery = mark < 0 ? null : new URLSearchParams(request.url?.slice(mark + 1)).get('api-key');
  if (inQuery !== null) return inQuery;
  const protocols = request.headers['sec-websocket-protocol']?.split(',') ?? [];
  const carrier = protocols.map((each) => each.trim()).find((each) => each.startsWith(keyProtocol));
  return carrier?.slice(keyProtocol.length);
}

const keyProtocol = 'openai-insecure-api-key.';

/** Called if a request failed before it could be recorded. */
function sendDefect(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(500, { 'content-type': 'application/json', connection: 'close' }).end(plainErrorBody(defect()));
}

const noWebSocketRoute = ({ path }: ParsedHead): GatewayError =>
  new GatewayError('route_not_found', { message: `The gateway serves no WebSocket at "${path}".`, hint: 'WebSockets use /v1/realtime.' });

/** The head of bytes that are not a request. */
const unreadableHead = (socket: Duplex & { readonly remoteAddress?: string }): HeadSource => ({
  method: '-',
  url: '-',
  headers: {},
  rawHeaders: [],
  socket: { remoteAddress: socket.remoteAddress },
});

const noTunnel = (): GatewayError =>
  new GatewayError('method_not_allowed', {
    message: 'The gateway is not a proxy: it does not support CONNECT.',
    hint: 'Use it as the base URL of a client, not as its proxy.',
    allow: relayedMethods,
  });
