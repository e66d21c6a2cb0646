import { connect, type LookupFunction, type OnReadOpts, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import { WireFault } from '../../wire/fault.ts';
import type { FindProxy, Proxy } from '../egress/proxy.ts';
import { addressMs, type Endpoint } from '../endpoint.ts';
import { connectThrough } from '../proxy/tunnel.ts';
import { readBeforeWriteErrors } from '../read-first.ts';

/** Events of a socket. `opened` or `failed` is called first. After `failed`, only `failed` may be called again. */
export interface SocketEvents {
  /** @param roundTripMs time that the TCP handshake took */
  opened(socket: Socket, roundTripMs: number): void;
  /** Bytes that only the callee refers to. */
  read(bytes: Buffer): void;
  /** The other side closed its sending side. */
  ended(): void;
  failed(error: Error): void;
  /** TLS: a session with which the next connection can use a shorter handshake. */
  session(session: Buffer): void;
}

export interface DialOptions {
  /** A DNS lookup that rejects addresses which the egress rules forbid. */
  readonly lookup: LookupFunction | undefined;
  readonly proxy: FindProxy | undefined;
  readonly session: Buffer | undefined;
}

/** Milliseconds without traffic after which the system sends TCP keep-alive probes. */
const probeMs = 60_000;

const readSize = 64 * 1024;

/**
 * Opens sockets. They read into one buffer shared by the process, and the bytes are copied out at once: a full-size buffer
 * for each read, or the readable side of a stream, would cost more than the copy. On Windows a read can be in progress
 * while the callback of another socket runs, so each socket has its own buffer there.
 */
export class Dialer {
  readonly #shared: Buffer | undefined = process.platform === 'win32' ? undefined : Buffer.allocUnsafeSlow(readSize);
  /** Trusted certificates and defaults of TLS. Creating them takes a third of the CPU time of a connection. */
  #secureContext: SecureContext | undefined;

  dial(endpoint: Endpoint, { lookup, proxy: find, session }: DialOptions, events: SocketEvents): Socket {
    const proxy = find?.(endpoint);
    if (proxy !== undefined) return this.#dialThrough(proxy, endpoint, { lookup, session }, events);
    const { isTls, host, port, serverName } = endpoint;
    const options = {
      host,
      port,
      autoSelectFamilyAttemptTimeout: addressMs,
      onread: this.#reading(events),
      ...(lookup === undefined ? {} : { lookup }),
    };
    const socket = isTls ? connectTls({ ...options, ...this.#tlsOptions(serverName, session) }) : connect(options);
    socket.setNoDelay(true).setKeepAlive(true, probeMs);
    readBeforeWriteErrors(socket);
    let startedAt = performance.now();
    let roundTripMs = 0;
    // With several addresses, there are several attempts.
    socket.on('connectionAttempt', () => (startedAt = performance.now()));
    socket.once('connect', () => (roundTripMs = performance.now() - startedAt));
    socket.once(isTls ? 'secureConnect' : 'connect', () => events.opened(socket, roundTripMs));
    this.#forward(socket, isTls, events);
    return socket;
  }

  /** The shared buffer cannot be used: a socket reads into it only if it opened its connection itself. */
  #dialThrough(proxy: Proxy, endpoint: Endpoint, { lookup, session }: Omit<DialOptions, 'proxy'>, events: SocketEvents): Socket {
    const tls = this.#tlsOptions(endpoint.serverName, session);
    return connectThrough(proxy, endpoint, { lookup, tls }, (error, socket, roundTripMs = 0) => {
      if (socket === undefined) {
        events.failed(error ?? closedFault());
        return;
      }
      readBeforeWriteErrors(socket);
      this.#forward(socket, true, events);
      socket.on('data', (bytes: Buffer) => events.read(bytes));
      events.opened(socket, roundTripMs);
    });
  }

  #forward(socket: Socket, isTls: boolean, events: SocketEvents): void {
    if (isTls) socket.on('session', (ticket: Buffer) => events.session(ticket));
    socket.on('error', (error: Error) => events.failed(asTimeout(error)));
    socket.once('end', () => events.ended());
    socket.once('close', () => events.failed(closedFault()));
  }

  #reading(events: SocketEvents): OnReadOpts {
    const buffer = this.#shared ?? Buffer.allocUnsafeSlow(readSize);
    const callback = (length: number): boolean => {
      const bytes = Buffer.allocUnsafe(length);
      buffer.copy(bytes, 0, 0, length);
      events.read(bytes);
      return true;
    };
    return { buffer, callback };
  }

  #tlsOptions(servername: string | undefined, session: Buffer | undefined): ConnectionOptions {
    this.#secureContext ??= createSecureContext();
    return {
      secureContext: this.#secureContext,
      ALPNProtocols: ['http/1.1'],
      ...(servername === undefined ? {} : { servername }),
      ...(session === undefined ? {} : { session }),
    };
  }
}

const closedFault = (): WireFault => new WireFault('UPSTREAM_CLOSED', 'the connection is closed');

/** When all addresses of a name failed, a timeout of one of them is the most useful error. */
function asTimeout(error: Error): Error {
  if (!(error instanceof AggregateError)) return error;
  const isTimeout = [error, ...error.errors].some((each: unknown) => each instanceof Error && 'code' in each && each.code === 'ETIMEDOUT');
  return isTimeout ? connectTimeout() : error;
}

export const connectTimeout = (): WireFault => new WireFault('UPSTREAM_CONNECT_TIMEOUT', 'the connection was not established in time');
