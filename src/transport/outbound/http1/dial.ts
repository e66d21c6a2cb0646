import { connect, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { WireFault } from '../../wire/fault.ts';

/** Where a connection goes. */
export interface Endpoint {
  readonly isTls: boolean;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The name that the certificate has to have; undefined for an address. */
  readonly serverName: string | undefined;
}

/** What a socket tells. `opened` or `failed` comes first; behind `failed` nothing comes. */
export interface SocketEvents {
  opened(socket: Socket): void;
  /** Bytes that nobody else refers to. */
  read(bytes: Buffer): void;
  /** The other side sends nothing more. */
  ended(): void;
  failed(error: Error): void;
  /** TLS: what lets the next connection do with a shorter handshake. */
  session(session: Buffer): void;
}

export interface DialOptions {
  /** Name resolution that refuses addresses which the egress rules forbid. */
  readonly lookup: LookupFunction | undefined;
  readonly session: Buffer | undefined;
}

/** Milliseconds without traffic after which the system asks whether the other side is still there. */
const probeMs = 60_000;

const readSize = 64 * 1024;

/**
 * Opens a socket. Plain ones read into one buffer of the process, and what came is copied out at once: a buffer for each
 * read, as large as the largest one, costs more than the copy. On Windows a read may be in progress while another socket's is
 * told, so each socket has its own buffer there.
 */
export class Dialer {
  readonly #shared: Buffer | undefined = process.platform === 'win32' ? undefined : Buffer.allocUnsafeSlow(readSize);

  dial(endpoint: Endpoint, options: DialOptions, events: SocketEvents): Socket {
    const socket = endpoint.isTls ? secure(endpoint, options, events) : this.#plain(endpoint, options, events);
    socket.setNoDelay(true).setKeepAlive(true, probeMs);
    socket.once(endpoint.isTls ? 'secureConnect' : 'connect', () => events.opened(socket));
    socket.on('error', (error: Error) => events.failed(asTimeout(error)));
    socket.once('end', () => events.ended());
    socket.once('close', () => events.failed(new WireFault('UPSTREAM_CLOSED', 'the connection is closed')));
    return socket;
  }

  #plain({ host, port }: Endpoint, { lookup }: DialOptions, events: SocketEvents): Socket {
    const buffer = this.#shared ?? Buffer.allocUnsafeSlow(readSize);
    const callback = (length: number): boolean => {
      const bytes = Buffer.allocUnsafe(length);
      buffer.copy(bytes, 0, 0, length);
      events.read(bytes);
      return true;
    };
    return connect({ host, port, onread: { buffer, callback }, ...(lookup === undefined ? {} : { lookup }) });
  }
}

function secure({ host, port, serverName }: Endpoint, { lookup, session }: DialOptions, events: SocketEvents): Socket {
  const socket = connectTls({
    host,
    port,
    ALPNProtocols: ['http/1.1'],
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(session === undefined ? {} : { session }),
    ...(lookup === undefined ? {} : { lookup }),
  });
  socket.on('session', (fresh: Buffer) => events.session(fresh));
  socket.on('data', (bytes: Buffer) => events.read(bytes));
  return socket;
}

/** Where all addresses of a name were tried in vain, one that did not answer tells more than the others. */
function asTimeout(error: Error): Error {
  if (!(error instanceof AggregateError)) return error;
  const isTimeout = [error, ...error.errors].some((each: unknown) => each instanceof Error && 'code' in each && each.code === 'ETIMEDOUT');
  return isTimeout ? connectTimeout() : error;
}

export const connectTimeout = (): WireFault => new WireFault('UPSTREAM_CONNECT_TIMEOUT', 'the connection did not come in time');
