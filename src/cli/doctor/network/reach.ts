import { connect } from 'node:net';
import { errorCode } from '../../../core/text/error-code.ts';
import { connectionFault, gatewayFaultFix } from '../../../core/http/connection-fault.ts';
import type { Proxy } from '../../../transport/outbound/egress/proxy.ts';
import { type Endpoint, endpointOf } from '../../../transport/outbound/endpoint.ts';
import { proxyConnector } from '../../../transport/outbound/proxy/connector.ts';
import type { Outbound } from '../../../transport/outbound/index.ts';
import { fail, ok, type CheckResult } from '../result.ts';

/** Time limit of a name lookup and a TCP connection together, in milliseconds. */
const limitMs = 5000;

export interface Reached {
  readonly origin: URL;
  readonly result: CheckResult;
}

/** Looks the name up as the gateway does, and opens a TCP connection, or one through the proxy. Sends no request. Never rejects. */
export async function checkReachable(origin: URL, outbound: Outbound, env: Readonly<Record<string, string | undefined>>): Promise<Reached> {
  const endpoint = endpointOf(origin);
  const { host, port } = endpoint;
  const name = `${origin.hostname}:${port}`;
  const proxy = outbound.egress.proxy('operator')(endpoint);
  if (proxy !== undefined) return { origin, result: await reachedThrough(proxy, endpoint, name, outbound) };
  const begun = performance.now();
  const fault = await dial(host, port, outbound);
  if (fault === undefined) return { origin, result: ok(`${name} reachable (${Math.round(performance.now() - begun)} ms)`) };
  const { why, fix } = faults[fault] ?? { why: fault, fix: 'check the host and the network' };
  return { origin, result: fail(`${name} not reachable: ${why}`, endpoint.isTls ? `${fix}${proxyNote(env)}` : fix) };
}

function reachedThrough(proxy: Proxy, endpoint: Endpoint, name: string, outbound: Outbound): Promise<CheckResult> {
  const begun = performance.now();
  const open = proxyConnector(proxy, endpoint, outbound.egress.lookup('operator'), limitMs);
  return new Promise((resolve) => {
    open(undefined, (error, socket) => {
      socket?.destroy();
      if (error === null) resolve(ok(`${name} reachable through the proxy (${Math.round(performance.now() - begun)} ms)`));
      else resolve(fail(`${name} not reachable: ${connectionFault(error)}`, gatewayFaultFix(error) ?? 'check the host and the proxy'));
    });
  });
}

/** Resolves to undefined, or to the code of the fault. */
function dial(host: string, port: number, outbound: Outbound): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, lookup: outbound.egress.lookup('operator') });
    const timer = setTimeout(() => end('ETIMEDOUT'), limitMs);
    const end = (code: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(code);
    };
    socket.once('connect', () => end(undefined));
    socket.on('error', (error) => end(errorCode(error) || error.message));
  });
}

/** Names of hosts that other programs reach through a proxy may not even resolve here. */
function proxyNote(env: Readonly<Record<string, string | undefined>>): string {
  const name = ['HTTPS_PROXY', 'https_proxy'].find((one) => env[one] !== undefined && env[one] !== '');
  return name === undefined ? '' : `, or set server.egress.proxy: \${env:${name}}`;
}

const faults: Readonly<Record<string, { readonly why: string; readonly fix: string }>> = {
  ENOTFOUND: { why: 'the name does not resolve (ENOTFOUND)', fix: 'check the name and DNS' },
  EAI_AGAIN: { why: 'no name server responds (EAI_AGAIN)', fix: 'check DNS' },
  ECONNREFUSED: { why: 'the connection was refused', fix: 'check that the service runs there' },
  ETIMEDOUT: { why: `no connection within ${limitMs / 1000} s`, fix: 'check firewalls and routes' },
  ENETUNREACH: { why: 'the network is not reachable', fix: 'check the network of this machine' },
  EHOSTUNREACH: { why: 'the host is not reachable', fix: 'check firewalls and routes' },
};
