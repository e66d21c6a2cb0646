import type { ServerOptions } from 'node:http';
import { wantsWebSocket } from '../request-target.ts';
import { IncomingMessage } from '../../../core/node-http.ts';

/**
 * Options of a server that switches connections to WebSocket only, and answers a request with any other offer as it is.
 *
 * @param node version of Node. `shouldUpgradeCallback` exists from 22.21 and 24.9 on; older ones ask the request.
 */
export function upgradeOptions(node = process.versions.node): Pick<ServerOptions, 'shouldUpgradeCallback' | 'IncomingMessage'> {
  return asksServer(node) ? { shouldUpgradeCallback: wantsWebSocket } : { IncomingMessage: ChoosingMessage };
}

function asksServer(node: string): boolean {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 9) || (major === 22 && minor >= 21);
}

/** Node sets `upgrade` where a request offers another protocol, and reads it again when its headers are there. */
class ChoosingMessage extends IncomingMessage {
  /** Not initialized here: Node's constructor has already set it. */
  declare offers: boolean | null;

  get upgrade(): boolean {
    return this.offers === true && (this.method === 'CONNECT' || wantsWebSocket(this));
  }

  set upgrade(value: boolean | null) {
    this.offers = value;
  }
}
