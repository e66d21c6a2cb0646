import { connect, type LookupFunction, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { WireFault, type WireFaultCode } from '../../wire/fault.ts';
import type { Proxy } from '../egress/proxy.ts';
import { addressMs, type Endpoint } from '../endpoint.ts';

export interface TunnelOptions {
  /** Resolves the name of the proxy. The proxy resolves the other one. */
  readonly lookup: LookupFunction | undefined;
  /** For the connection through the tunnel. */
  readonly tls: ConnectionOptions;
}

/** A connection to the endpoint, or why there is none. Called once. */
export type TunnelCallback = (error: Error | undefined, socket?: Socket, roundTripMs?: number) => void;

/** Maximum size in bytes of a proxy's response. */
const headLimit = 16 * 1024;

/**
 * Opens a TLS connection to an endpoint through a proxy (RFC 9110 9.3.6). The caller limits the time.
 *
 * @returns the connection to the proxy; destroying it ends the attempt
 */
export function connectThrough(proxy: Proxy, endpoint: Endpoint, { lookup, tls }: TunnelOptions, done: TunnelCallback): Socket {
  const { isTls, host, port, serverName } = proxy.endpoint;
  let requestedAt = 0;
  let roundTripMs = 0;
  let isOver = false;
  const end: TunnelCallback = (error, socket) => {
    if (isOver) return;
    isOver = true;
    done(error, socket, roundTripMs);
    if (error !== undefined) socketToProxy.destroy();
  };
  const options = { host, port, autoSelectFamilyAttemptTimeout: addressMs, ...(lookup === undefined ? {} : { lookup }) };
  const socketToProxy = isTls ? connectTls({ ...options, ...named(serverName), ALPNProtocols: ['http/1.1'] }) : connect(options);
  socketToProxy.setNoDelay(true).setKeepAlive(true, 60_000);
  socketToProxy.on('error', (error) => end(error instanceof WireFault ? error : fault('PROXY_UNREACHABLE')));
  socketToProxy.once('close', () => end(fault('PROXY_UNREACHABLE')));
  socketToProxy.once('end', () => end(fault('PROXY_UNREACHABLE')));
  socketToProxy.once(isTls ? 'secureConnect' : 'connect', () => {
    requestedAt = performance.now();
    socketToProxy.write(connectRequest(endpoint, proxy.authorization), 'latin1');
    readResponse(socketToProxy, (error) => {
      // The proxy has opened its connection to the endpoint meanwhile.
      roundTripMs = performance.now() - requestedAt;
      if (error === undefined) encrypt(socketToProxy, endpoint, tls, end);
      else end(error);
    });
  });
  return socketToProxy;
}

function encrypt(socket: Socket, { host, serverName }: Endpoint, tls: ConnectionOptions, done: TunnelCallback): void {
  try {
    const secure = connectTls({ ...tls, host, ...named(serverName), socket });
    secure.once('error', (cause: Error) => done(cause));
    secure.once('close', () => done(new WireFault('UPSTREAM_CLOSED', 'the connection is closed')));
    secure.once('secureConnect', () => done(undefined, secure));
  } catch (thrown) {
    done(thrown as Error);
  }
}

const named = (serverName: string | undefined): ConnectionOptions => (serverName === undefined ? {} : { servername: serverName });

function connectRequest({ host, port }: Endpoint, authorization: string | undefined): string {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const credential = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  return `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credential}\r\n`;
}

/** Reads the proxy's response. The other side of the tunnel sends nothing before the client's TLS handshake. */
function readResponse(socket: Socket, done: (error: Error | undefined) => void): void {
  let text = '';
  const read = (bytes: Buffer): void => {
    text += bytes.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end < 0 && text.length <= headLimit) return;
    socket.off('data', read);
    const status = /^HTTP\/1\.[01] ([1-9]\d\d)[ \r]/.exec(text)?.[1];
    const isComplete = end >= 0 && end + 4 === text.length;
    const isOpen = status?.startsWith('2') === true && isComplete;
    done(isOpen ? undefined : fault(faultOf(status)));
  };
  socket.on('data', read);
}

function faultOf(status = '200'): WireFaultCode {
  if (status === '407') return 'PROXY_AUTH';
  if (status < '300') return 'PROXY_INVALID';
  return status >= '500' ? 'PROXY_FAILED' : 'PROXY_REFUSED';
}

const fault = (code: WireFaultCode): WireFault => new WireFault(code, 'the proxy opened no connection');
