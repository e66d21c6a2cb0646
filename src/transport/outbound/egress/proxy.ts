import type { ProxySetting } from '../../../core/snapshot.ts';
import { type Endpoint, endpointOf } from '../endpoint.ts';
import { HostList } from './host-list.ts';

/** A forward proxy: a server that opens connections for others with `CONNECT`. */
export interface Proxy {
  readonly endpoint: Endpoint;
  /** Value of `Proxy-Authorization`; undefined if the address has neither a user name nor a password. */
  readonly authorization: string | undefined;
}

/** Returns the proxy through which an endpoint is reached; undefined for a direct connection. */
export type FindProxy = (endpoint: Pick<Endpoint, 'isTls' | 'host'>) => Proxy | undefined;

/** The machine itself, and link-local addresses, at which clouds serve the identity of a machine. No proxy can reach them. */
const alwaysDirect = new HostList(['localhost', '*.localhost', '127.0.0.0/8', '169.254.0.0/16', '::1', 'fe80::/10']);

/**
 * Compiles `server.egress.proxy`, which may change at any time. It is compiled again only after a change. Only TLS connections use
 * it: many proxies open no others, and hosts without TLS are on the internal network.
 */
export function createProxies(current: () => ProxySetting | undefined): FindProxy {
  let compiled: { readonly setting: ProxySetting; readonly proxy: Proxy; readonly except: HostList } | undefined;
  return ({ isTls, host: written }) => {
    const setting = current();
    // The dot at the end of a name means that it is complete.
    const host = written.replace(/\.$/, '');
    if (setting === undefined || !isTls || alwaysDirect.has(host)) return undefined;
    if (compiled?.setting !== setting) compiled = { setting, proxy: proxyAt(setting.url), except: new HostList(setting.except) };
    return compiled.except.has(host) ? undefined : compiled.proxy;
  };
}

function proxyAt(address: string): Proxy {
  const url = new URL(address);
  const credential = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    endpoint: endpointOf(url),
    authorization: url.username === '' && url.password === '' ? undefined : `Basic ${Buffer.from(credential, 'utf8').toString('base64')}`,
  };
}
