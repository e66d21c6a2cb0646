import type { IncomingMessage as HttpRequest, ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
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

/** Internal field of `node:http`: the current response on a socket. */
type HttpSocket = Socket & { readonly _httpMessage?: unknown };

/** Number of bytes that a socket had received when its pipelined requests were passed on. */
const pipelined = new WeakMap<Socket, number>();

/** Called before `node:http` gets bytes that arrived while another reader of the socket served a request. */
export function markPipelined(socket: Socket): void {
  pipelined.set(socket, socket.bytesRead);
}

/** True if the request arrived before the response to the one before it was complete. */
const isPipelined = (socket: HttpSocket): boolean => (socket._httpMessage ?? null) !== null || pipelined.get(socket) === socket.bytesRead;

/**
 * True for an upgrade to WebSocket, the only supported one. Any other offer is ignored and the request is handled as
 * usual (RFC 9110 7.8): Java's own client offers `h2c` on every call. An offer is also ignored with HTTP/1.0, as it must
 * be, if the request has a body, which a proxy in front of the gateway would not read as frames, or if it is pipelined:
 * `node:http` would send the `101` before the responses to the earlier requests.
 */
function wantsWebSocket({ method, headers, socket, httpVersion }: HttpRequest): boolean {
  const { upgrade, 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  if (method !== 'GET' || httpVersion === '1.0' || upgrade === undefined || !/(?:^|,)\s*websocket\s*(?:,|$)/i.test(upgrade)) return false;
  return length === '0' && coding === undefined && !isPipelined(socket);
}
