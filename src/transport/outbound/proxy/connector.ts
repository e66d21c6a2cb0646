import type { LookupFunction, Socket } from 'node:net';
import type { Proxy } from '../egress/proxy.ts';
import type { Endpoint } from '../endpoint.ts';
import { WireFault } from '../../wire/fault.ts';
import { connectThrough } from './tunnel.ts';

/** Opens a connection for an HTTP library: for a pool of undici, or as `createConnection` of `http.request`. */
export type Connector = (options: unknown, done: (error: Error | null, socket: Socket | null) => void) => void;

/** @param limitMs for each connection, in milliseconds: a library does not end one that it no longer needs */
export const proxyConnector =
  (proxy: Proxy, endpoint: Endpoint, lookup: LookupFunction | undefined, limitMs: number): Connector =>
  (_, done) => {
    const finish = (error: Error | undefined, socket?: Socket): void => {
      clearTimeout(timer);
      if (socket === undefined) done(error ?? new WireFault('UPSTREAM_CLOSED', 'the connection is closed'), null);
      else done(null, socket);
    };
    const toProxy = connectThrough(proxy, endpoint, { lookup, tls: { ALPNProtocols: ['http/1.1'] } }, finish);
    const timeout = new WireFault('UPSTREAM_CONNECT_TIMEOUT', 'the connection was not established in time');
    const timer = setTimeout(() => toProxy.destroy(timeout), limitMs).unref();
  };
