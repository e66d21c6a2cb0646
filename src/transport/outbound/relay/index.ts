import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { createProxyServer, type ServerOptions } from 'http-proxy-3';
import type { Client } from '../../../core/http/client.ts';
import { GatewayError } from '../../../core/error.ts';
import type { HeaderBag, HeaderPairs } from '../../../core/http/headers.ts';
import type { Pass, PassRequest, PassResult } from '../../../core/pass.ts';
import type { Trust } from '../../../core/snapshot.ts';
import type { Egress } from '../egress.ts';
import { toObject } from './headers.ts';
import { type SocketParts, SocketTransfer } from './socket.ts';
import { SocketClient } from './socket-client.ts';
import { Transfer, type TransferParts } from './transfer.ts';
import { overload, type Sweeper } from '../exchange/sweeper.ts';

export interface RelayDeps {
  readonly egress: Egress;
  /** Keeps the clocks of all relays. */
  readonly sweeper: Sweeper;
  /** Milliseconds that only go forward. */
  monotonic(): number;
  /** The most attempts in flight at once; beyond it a request is refused with `overloaded`. */
  maxInFlight?(): number;
  /** Bytes of the largest body; without it there is no limit. */
  maxUpload?(): number | undefined;
}

/** Relays what is not modelled: any path, any body in both directions, and WebSockets. Nothing is held in memory. */
export interface Relay {
  /** Sends this request when it is called. Undecided requests stay unread, so that another target may still have them. */
  http(req: IncomingMessage, res: ServerResponse, bag: HeaderBag): Pass;
  socket(req: IncomingMessage, socket: Duplex, head: Buffer, bag: HeaderBag): Pass;
  /** The answering side of an upgrade that is refused. */
  socketClient(socket: Duplex): Client;
  /** Ends what is in progress and every connection. */
  close(): void;
}

/** A kept connection is given up before a provider may: the shortest common keep-alive time is 5 s. */
const keptMs = 4000;

type Agents = { readonly 'http:': HttpAgent; readonly 'https:': HttpsAgent };

/**
 * The only user of http-proxy-3. It carries the request, its upload and the joining of WebSockets; three things are
 * ours, each because a rule needs it: the set of headers (its own copies the caller's), the agents (its default ones
 * resolve names unchecked), and the answer's way back (its pipe can't hold the end until the record is written).
 */
export function createRelay(deps: RelayDeps): Relay {
  const carrier = createCarrier(deps.egress);
  const live = new Set<Transfer | SocketTransfer>();
  const joined = new WeakMap<Duplex, SocketTransfer>();
  const { sweeper, monotonic } = deps;

  const follow = async (transfer: Transfer | SocketTransfer): Promise<PassResult> => {
    live.add(transfer);
    try {
      return await transfer.run();
    } finally {
      live.delete(transfer);
    }
  };
  const checked = (pass: Pass): Pass => {
    return async (request) => {
      const error = overload(sweeper, deps.maxInFlight?.()) ?? deps.egress.check(request.address.origin, request.trust);
      return error === undefined ? pass(request) : { kind: 'refused', error, headSent: false, bodySent: false, bytesIn: 0, bytesOut: 0 };
    };
  };

  return {
    http: (req, res, bag) => {
      const maxUpload = deps.maxUpload?.() ?? Number.POSITIVE_INFINITY;
      return checked((pass) => follow(new Transfer({ req, res, bag, pass, sweeper, monotonic, maxUpload, forward: carrier.web })));
    },
    socket: (req, socket, head, bag) => {
      // The library gives these first bytes back to the socket, once; a second target finds them there.
      let early = head;
      return checked((pass) => {
        const forward: SocketParts['forward'] = (parts, headers) => {
          const out = carrier.ws(parts, headers, early);
          early = Buffer.alloc(0);
          return out;
        };
        const transfer = new SocketTransfer({ req, socket, bag, pass, sweeper, monotonic, forward });
        joined.set(socket, transfer);
        return follow(transfer);
      });
    },
    socketClient: (socket) => {
      const stop = (): void => joined.get(socket)?.stop(stopped());
      return new SocketClient(socket, { isJoined: () => joined.get(socket)?.isJoined === true, stop });
    },
    close() {
      for (const transfer of live) transfer.stop(stopped());
      carrier.close();
    },
  };
}

/** The library behind our rules for headers and connections. */
interface Carrier {
  readonly web: TransferParts['forward'];
  ws(parts: SocketParts, headers: HeaderPairs, early: Buffer): ClientRequest;
  close(): void;
}

function createCarrier(egress: Egress): Carrier {
  const agents: Readonly<Record<Trust, Agents>> = { operator: agentsFor('operator', egress), request: agentsFor('request', egress) };
  const proxy = createProxyServer({ selfHandleResponse: true, toProxy: true, prependPath: false });
  const transfers = new WeakMap<IncomingMessage, Transfer>();
  const requests = new WeakMap<IncomingMessage, ClientRequest>();

  // The library's events live on one object: each is led to its request. Its `end`, `close` and `open` tell nothing we need.
  proxy.on('proxyReq', (out, req, _res, _options, socket) => own(transfers.get(req), (transfer) => transfer.onSocket(out, socket)));
  proxy.on('proxyRes', (answer, req) => own(transfers.get(req), (transfer) => transfer.onAnswer(answer)));
  proxy.on('econnreset', (error, req) => own(transfers.get(req), (transfer) => transfer.onFailure(error)));
  proxy.on('proxyReqWs', (out, req) => requests.set(req, out));
  proxy.on('error', () => {}); // without a listener it throws; each call has its own callback
  proxy.before('web', 'stream', useOurHeaders);
  proxy.before('ws', 'stream', useOurHeaders);

  /** @param agents of the connections that may be used */
  const optionsFor = (pass: PassRequest, agents: Agents, headers: HeaderPairs): ServerOptions => {
    const url = new URL(pass.address.origin);
    // WebSocket origins are the same servers; the library and the agents know http and https.
    const protocol = url.protocol === 'https:' || url.protocol === 'wss:' ? 'https:' : 'http:';
    const port = Number(url.port || (protocol === 'https:' ? 443 : 80));
    const target = { protocol, host: url.host, hostname: url.hostname, port };
    return { target, agent: agents[protocol], headers: toObject([...headers, 'host', url.host]) };
  };

  return {
    web: ({ req, res, pass }, transfer, headers, buffer) => {
      transfers.set(req, transfer);
      const from = pass.isFresh === true ? agentsFor(pass.trust, egress) : agents[pass.trust];
      const options = { ...optionsFor(pass, from, headers), buffer };
      lend(req, pass.address.path, () => proxy.web(req, res, options, (error) => own(transfer, () => transfer.onFailure(error))));
    },
    ws: ({ req, socket, pass }, headers, early) => {
      // A connection of its own: it would not come back to the others anyway, and a kept one may be closed by now.
      const options = optionsFor(pass, agentsFor(pass.trust, egress), headers);
      // Its callback hears of errors that the request's own listeners and the sockets' closing tell us already.
      lend(req, pass.address.path, () => proxy.ws(req, socket, early, options, () => {}));
      const out = requests.get(req);
      if (out === undefined) throw new Error('http-proxy-3 made no request for an upgrade');
      return out;
    },
    close() {
      for (const each of Object.values(agents)) for (const agent of Object.values(each)) agent.destroy();
    },
  };
}

/** The library calls back from its sockets: what is thrown there ends the one transfer. */
function own(transfer: Transfer | undefined, act: (transfer: Transfer) => void): void {
  if (transfer === undefined) return;
  try {
    act(transfer);
  } catch (thrown) {
    transfer.crashed(thrown);
  }
}

function agentsFor(trust: Trust, egress: Egress): Agents {
  const lookup = egress.lookup(trust);
  const options = { keepAlive: true, timeout: keptMs, scheduling: 'lifo' as const, ...(lookup === undefined ? {} : { lookup }) };
  return { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };
}

/**
 * A pass before the one that sends. The library merges the caller's headers with ours, and one of its passes adds a
 * length of zero to each DELETE while the body still follows; after this pass the set is ours alone.
 */
function useOurHeaders(req: IncomingMessage, _to: unknown, options: ServerOptions): void {
  req.headers = (options.headers ?? {}) as IncomingMessage['headers'];
}

/** The library reads path and headers from the request, at once; afterwards the request is as it was. */
function lend(req: IncomingMessage, path: string, act: () => void): void {
  const { headers, url } = req;
  req.headers = { upgrade: headers.upgrade };
  req.url = path;
  try {
    act();
  } finally {
    req.headers = headers;
    if (url !== undefined) req.url = url;
  }
}

function stopped(): GatewayError {
  return new GatewayError('draining', { message: 'The gateway was stopped before the response was complete.' });
}
