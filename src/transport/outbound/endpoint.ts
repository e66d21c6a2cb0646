import { isIP } from 'node:net';
import { unbracket } from '../../core/http/listen-address.ts';

/** Destination of a connection. */
export interface Endpoint {
  readonly isTls: boolean;
  /** A host name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The name that the certificate must have; undefined for an IP address. */
  readonly serverName: string | undefined;
}

/** @param host a name, or an IP address without brackets */
export const endpointAt = (isTls: boolean, host: string, port: number): Endpoint => ({
  isTls,
  host,
  port,
  serverName: isIP(host) === 0 ? host : undefined,
});

/** @param url of http, https, ws or wss */
export function endpointOf({ protocol, hostname, port }: URL): Endpoint {
  const isTls = protocol === 'https:' || protocol === 'wss:';
  return endpointAt(isTls, unbracket(hostname), port === '' ? (isTls ? 443 : 80) : Number(port));
}

/**
 * Milliseconds after which a connection to one of several addresses of a name is given up for the next one. With Node's
 * default of 250, no connection to a provider is made whose round trip is longer, but to the last address.
 */
export const addressMs = 500;
