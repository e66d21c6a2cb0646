import type { ServerOptions } from 'node:http';
import { wantsWebSocket } from '../request-target.ts';
import { IncomingMessage } from '../../../core/node-http.ts';

/**
 * Server options that limit upgrades to WebSocket; with any other upgrade offer, the request is handled as a normal
 * one.
 *
 * @param node version of Node. `shouldUpgradeCallback` exists from 22.21 and 24.9 on; older versions read
 * `request.upgrade`.
 */
export function upgradeOptions(node = process.versions.node): Pick<ServerOptions, 'shouldUpgradeCallback' | 'IncomingMessage'> {
  return hasUpgradeCallback(node) ? { shouldUpgradeCallback: wantsWebSocket } : { IncomingMessage: WebSocketOnlyMessage };
}

function hasUpgradeCallback(node: string): boolean {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 9) || (major === 22 && minor >= 21);
}

/** Node sets `upgrade` if a request offers another protocol, and reads it again after the headers were parsed. */
class WebSocketOnlyMessage extends IncomingMessage {
  /** Not initialized here: Node's constructor has already set it. */
  declare offersUpgrade: boolean | null;

  get upgrade(): boolean {
    return this.offersUpgrade === true && (this.method === 'CONNECT' || wantsWebSocket(this));
  }

  set upgrade(value: boolean | null) {
    this.offersUpgrade = value;
  }
}
