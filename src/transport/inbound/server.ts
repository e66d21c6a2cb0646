import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Incoming, PendingBody } from '../../core/http/arrival.ts';
import type { Budget } from '../../core/memory/budget.ts';
import type { Client } from '../../core/http/client.ts';
import type { Clock } from '../../core/context.ts';
import { traitsOf } from '../../core/endpoint.ts';
import { defect, GatewayError, plainErrorBody } from '../../core/error.ts';
import type { KeylessRules } from './keyless-rules.ts';
import { ClientBody } from './body/client-body.ts';
import type { BodyLimits, ClientBodyDeps } from './body/held-body.ts';
import type { Cors } from './cors.ts';
import { arrivalOf, asksForDescription, type Head, type HeadSource, passedMethods, readHead, routeFault } from './arrival.ts';
import type { HeaderNames } from './header-bag.ts';
import type { Ids } from './ids.ts';
import { headFault } from './listener/head-fault.ts';
import { boundUnread, linger } from './listener/linger.ts';
import { ClientSocket } from './listener/client-socket.ts';
import { NodeClient } from './listener/node-client.ts';
import { keptSeconds } from './plain/answer-head.ts';
import { PlainBody } from './plain/body.ts';
import { PlainFront, type PlainRequest } from './plain/front.ts';
import type { Probes } from './probes.ts';
import { refuseRaw } from './listener/raw-refusal.ts';
import { isRealtime, type Matched } from './routes.ts';
import type { Sweeper } from '../wire/sweeper.ts';
import type { Wheel } from '../wire/wheel.ts';
import { TurnResponse, Turns } from './listener/turns.ts';
import { dataLimits, headTimeoutMs, unreadable, UnreadableBytes } from './listener/unreadable.ts';
import { upgradeOptions } from './listener/upgrades.ts';
import { createServer } from '../../core/node-http.ts';

export interface ServerDeps {
  readonly clock: Clock;
  readonly wheel: Wheel;
  readonly ids: Ids;
  readonly sweeper: Sweeper;
  /** Counts the memory used by arriving bodies. */
  readonly budget: Budget;
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
  handle(incoming: Incoming): void;
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
  readonly plain: PlainFront;
}

/** The data listener: passes requests on when their heads are complete. Only requests without a route are handled here. */
export function createDataServer(deps: ServerDeps): DataServer {
  const reader = new RequestReader(deps);
  const server = createServer<typeof IncomingMessage, typeof TurnResponse>({
    maxHeaderSize: dataLimits.maxHeaderSize,
    // Checked by `headFault`.
    requireHostHeader: false,
    ServerResponse: TurnResponse,
    // Bodies have their own timeouts.
    requestTimeout: 0,
    headersTimeout: headTimeoutMs,
    connectionsCheckingInterval: 2000,
    keepAliveTimeout: keptSeconds * 1000,
    ...upgradeOptions(),
  });
  server.on('request', (request, response) => reader.http(request, response, false));
  // Without this listener, Node sends `100 Continue` before the key was checked.
  server.on('checkContinue', (request, response) => reader.http(request, response, true));
  server.on('checkExpectation', (request, response) => reader.http(request, response, false));
  server.on('upgrade', (request, socket, head) => reader.upgrade(request, socket, head));
  server.on('connect', (request, socket) => reader.refuse(socket, noTunnel(), request));
  server.on('clientError', reader.onUnreadable);
  const plain = new PlainFront(server, {
    wheel: deps.wheel,
    now: deps.clock.now,
    names: () => {
      const { names, fastPath } = deps.limits();
      return fastPath ? names : undefined;
    },
    serve: (request) => reader.plain(request),
    moreHeaders: ({ headers }) => deps.cors()?.headersFor(headers.origin),
    onDefect: deps.onDefect,
    last: {
      late: (socket) => reader.refuse(socket, unreadable({ code: 'ERR_HTTP_REQUEST_TIMEOUT' })),
      unreadable: (socket) => reader.refuse(socket, unreadable({})),
      defect: (socket) => refuseRaw(socket, defect()),
    },
  });
  return { server, plain };
}

class RequestReader {
  readonly #deps: ServerDeps;
  readonly #bodyDeps: ClientBodyDeps;
  readonly #turns = new Turns();
  readonly #onEarly: (request: IncomingMessage) => void;
  readonly #skipped = new WeakMap<Duplex, IncomingMessage>();
  readonly onUnreadable = new UnreadableBytes((socket, error) => this.refuse(socket, error), this.#skipped, dataLimits).take;

  constructor(deps: ServerDeps) {
    this.#deps = deps;
    const { sweeper, clock, passed, budget } = deps;
    this.#bodyDeps = { sweeper, monotonic: clock.monotonic, passed, budget };
    this.#onEarly = (request) => {
      this.#skipped.set(request.socket, request);
      linger(request, sweeper, clock.monotonic);
    };
  }

  /** @param isAwaited the client waits for `100 Continue` before it sends its body */
  http(request: IncomingMessage, response: TurnResponse, isAwaited: boolean): void {
    if (response.socket === null) this.#turns.take(request, response, () => this.#begin(request, response, isAwaited));
    else this.#begin(request, response, isAwaited);
  }

  /** Handles a request parsed on the socket: its route is known, and its body is JSON or empty. */
  plain(request: PlainRequest): void {
    const { known, length, client, peer } = request;
    const { clock } = this.#deps;
    const head: Head = {
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
  refuse(socket: Duplex, error: GatewayError, request: HeadSource = noRequest(socket)): void {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    try {
      const head = readHead(request, this.#deps.limits().names, this.#deps.clock);
      const client = new ClientSocket(request, socket, Buffer.alloc(0));
      this.#deps.handle(this.#incoming({ ...head, matched: undefined }, client, client, error));
    } catch (thrown) {
      this.#deps.onDefect(thrown);
      refuseRaw(socket, error);
    }
  }

  #begin(request: IncomingMessage, response: ServerResponse, isAwaited: boolean): void {
    try {
      this.#http(request, response, isAwaited);
    } catch (thrown) {
      this.#failed(thrown, response);
    }
  }

  #failed(thrown: unknown, response: ServerResponse): void {
    this.#deps.onDefect(thrown);
    answerDefect(response);
  }

  #http(request: IncomingMessage, response: ServerResponse, isAwaited: boolean): void {
    const deps = this.#deps;
    const limits = deps.limits();
    const head = readHead(request, limits.names, deps.clock);
    const client = new NodeClient(response, this.#onEarly);
    const { matched } = head;
    const traits = traitsOf(matched?.endpoint ?? 'relay');
    const cors = deps.cors();
    const refused = headFault(request) ?? deps.keyless()?.refusal(request, traits) ?? cors?.refusal(request);
    cors?.show(request, response);
    if (refused === undefined && (cors?.answers(request, response) === true || this.#answersItself(head, request, response))) {
      boundUnread(response.socket);
      return;
    }
    if (asksForDescription(head)) {
      this.#describe(client).catch((thrown: unknown) => this.#failed(thrown, response));
      return;
    }
    const body = new ClientBody({ request, response, traits, limits, deps: this.#bodyDeps, isAwaited });
    const refusal = refused ?? this.#refusal(head);
    deps.handle(this.#incoming(head, client, body, refusal));
  }

  /** Handles requests that are answered without a provider: probes, and `OPTIONS *`. */
  #answersItself({ matched, path, method }: Head, request: IncomingMessage, response: ServerResponse): boolean {
    if (matched !== undefined) return false;
    if (this.#deps.probes(path, request, response)) return true;
    if (path !== '*' || method !== 'OPTIONS') return false;
    response.writeHead(204, { allow: passedMethods.join(', ') }).end();
    return true;
  }

  async #describe(client: Client): Promise<void> {
    const bytes = await this.#deps.describeApi();
    client.head(200, ['content-type', 'application/json', 'content-length', `${bytes.length}`, 'cache-control', 'max-age=300']);
    client.end(bytes);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, upgradeHead: Buffer): void {
    const head = readHead(request, this.#deps.limits().names, this.#deps.clock, socketKey(request));
    const matched: Matched = { endpoint: 'realtime', params: {}, path: '/v1/realtime', model: undefined };
    const served = { ...head, matched };
    const refused = this.#deps.keyless()?.refusal(request, undefined) ?? (isRealtime(head.path) ? this.#refusal(served) : noSocket(head));
    const client = new ClientSocket(request, socket, upgradeHead);
    this.#deps.handle(this.#incoming(served, client, client, refused));
  }

  #refusal(head: Head): GatewayError | undefined {
    if (this.#deps.isDraining()) {
      return new GatewayError('draining', {
        message: 'The gateway is shutting down and accepts no new requests.',
        hint: 'Send the request again, to another instance.',
      });
    }
    return routeFault(head);
  }

  #incoming(head: Head, client: Client, body: PendingBody, refusal: GatewayError | undefined): Incoming {
    const { arrival, fault } = arrivalOf(head, this.#deps);
    return { arrival, client, body, refusal: refusal ?? fault };
  }
}

/** Browsers can't set headers on a WebSocket: they send the key in the query or as a subprotocol. It is read here, and not forwarded. */
function socketKey(request: IncomingMessage): string | undefined {
  const mark = request.url?.indexOf('?') ?? -1;
  const inQuery = mark < 0 ? null : new URLSearchParams(request.url?.slice(mark + 1)).get('api-key');
  if (inQuery !== null) return inQuery;
  const protocols = request.headers['sec-websocket-protocol']?.split(',') ?? [];
  const carrier = protocols.map((each) => each.trim()).find((each) => each.startsWith(keyProtocol));
  return carrier?.slice(keyProtocol.length);
}

const keyProtocol = 'openai-insecure-api-key.';

/** Called if a request failed before it could be recorded. */
function answerDefect(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(500, { 'content-type': 'application/json', connection: 'close' }).end(plainErrorBody(defect()));
}

const noSocket = ({ path }: Head): GatewayError =>
  new GatewayError('route_not_found', { message: `The gateway serves no WebSocket at "${path}".`, hint: 'WebSockets use /v1/realtime.' });

/** The head of bytes that are not a request. */
const noRequest = (socket: Duplex & { readonly remoteAddress?: string }): HeadSource => ({
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
    allow: passedMethods,
  });
