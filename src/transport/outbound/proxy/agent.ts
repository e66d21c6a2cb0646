import type { ClientRequestArgs } from 'node:http';
import { Agent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { FindProxy } from '../egress/proxy.ts';
import { endpointAt } from '../endpoint.ts';
import { proxyConnector } from './connector.ts';

/** Milliseconds for a connection through a proxy: an export does not wait longer for its response. */
const limitMs = 10_000;

/** An agent of `https.request` whose connections use the proxy where there is one. It keeps up to two of them. */
export class ProxiedAgent extends Agent {
  readonly #find: FindProxy;

  constructor(find: FindProxy) {
    super({ keepAlive: true, maxSockets: 2 });
    this.#find = find;
  }

  override createConnection(
    options: ClientRequestArgs,
    done?: (error: Error | null, socket: Duplex) => void,
  ): ReturnType<Agent['createConnection']> {
    const endpoint = endpointAt(true, options.host ?? 'localhost', Number(options.port ?? 443));
    const proxy = this.#find(endpoint);
    if (proxy === undefined || done === undefined) return super.createConnection(options, done);
    proxyConnector(proxy, endpoint, undefined, limitMs)(options, done as Parameters<ReturnType<typeof proxyConnector>>[1]);
    return undefined;
  }
}
