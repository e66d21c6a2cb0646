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
export function connectThrough(proxy: Proxy, { host, port, serverName }: Endpoint, options: TunnelOptions, done: TunnelCallback): Socket {
  const { isTls, ...address } = proxy.endpoint;
  let requestedAt = 0;
  let roundTripMs = 0;
  let isOver = false;
  const end: TunnelCallback = (error, socket) => {
    if (isOver) return;
    isOver = true;
    done(error, socket, roundTripMs);
    if (error !== undefined) socketToProxy.destroy();
  };
  const common = {
    host: address.host,
    port: address.port,
    autoSelectFamilyAttemptTimeout: addressMs,
    ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
  };
  const servername = address.serverName === undefined ? {} : { servername: address.serverName };
  const socketToProxy = isTls ? connectTls({ ...common, ...servername, ALPNProtocols: ['http/1.1'] }) : connect(common);
  socketToProxy.setNoDelay(true).setKeepAlive(true, 60_000);
  socketToProxy.on('error', (error) => end(error instanceof WireFault ? error : fault('PROXY_UNREACHABLE')));
  socketToProxy.once('close', () => end(fault('PROXY_UNREACHABLE')));
  socketToProxy.once('end', () => end(fault('PROXY_UNREACHABLE')));
  socketToProxy.once(isTls ? 'secureConnect' : 'connect', () => {
    requestedAt = performance.now();
    socketToProxy.write(connectRequest(`${host.includes(':') ? `[${host}]` : host}:${port}`, proxy.authorization), 'latin1');
    readResponse(socketToProxy, (error) => {
      // The proxy has opened its connection to the endpoint meanwhile.
      roundTripMs = performance.now() - requestedAt;
      if (error !== undefined) return end(error);
      const secure = connectTls({
        ...options.tls,
        host,
        ...(serverName === undefined ? {} : { servername: serverName }),
        socket: socketToProxy,
      });
      secure.once('error', (cause: Error) => end(cause));
      secure.once('close', () => end(new WireFault('UPSTREAM_CLOSED', 'the connection is closed')));
      secure.once('secureConnect', () => end(undefined, secure));
    });
  });
  return socketToProxy;
}

function connectRequest(authority: string, authorization: string | undefined): string {
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
    if (status?.startsWith('2') === true) done(isComplete ? undefined : fault('PROXY_INVALID'));
    else
      done(
        fault(
          status === undefined ? 'PROXY_INVALID' : status === '407' ? 'PROXY_AUTH' : status >= '500' ? 'PROXY_FAILED' : 'PROXY_REFUSED',
        ),
      );
  };
  socket.on('data', read);
}

const fault = (code: WireFaultCode): WireFault => new WireFault(code, 'the proxy opened no connection');
