import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../../core/error.ts';

/** Faults of a head that `node:http` itself would accept, or answer with an empty response. */
export function headFault({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): GatewayError | undefined {
  if (hasSecondHost(rawHeaders)) {
    return new GatewayError('invalid_header', {
      message: 'The request has more than one header "host".',
      hint: 'Send it once.',
      param: 'host',
    });
  }
  // HTTP/1.0 requires neither header.
  if (httpVersionMinor === 0) return undefined;
  const { host, expect } = headers;
  if (host === undefined) {
    return new GatewayError('invalid_header', {
      message: 'The request has no header "host".',
      hint: 'HTTP/1.1 requires it.',
      param: 'host',
    });
  }
  if (expect === undefined || /(?:^|\W)100-continue(?:$|\W)/i.test(expect)) return undefined;
  return new GatewayError('invalid_header', {
    message: 'The header "expect" has a value that the gateway does not support.',
    hint: 'Remove the header, or send "100-continue".',
    param: 'expect',
  });
}

/** A proxy that speaks HTTP/1.0 does not know chunks, and may find the end of the body elsewhere (RFC 9112 6.1). */
export const hasUncertainEnd = ({ httpVersionMinor, headers }: IncomingMessage): boolean =>
  httpVersionMinor === 0 && headers['transfer-encoding'] !== undefined;

/** Node uses the first `Host` header, but a proxy in front may have used another (RFC 9112 3.2). */
function hasSecondHost(raw: readonly string[]): boolean {
  let hasHost = false;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? '';
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (hasHost) return true;
    hasHost = true;
  }
  return false;
}

/** Faults of a handshake for a WebSocket (RFC 6455 4.2): without a proper key, no client would accept the response. */
export function handshakeFault({ headers }: IncomingMessage): GatewayError | undefined {
  const { 'sec-websocket-version': version, 'sec-websocket-key': key } = headers;
  if (version !== webSocketVersion) {
    return new GatewayError('invalid_header', {
      status: 426,
      message:
        version === undefined
          ? 'The request has no header "sec-websocket-version".'
          : `The gateway does not support version ${JSON.stringify(version)} of WebSocket.`,
      hint: `Use version ${webSocketVersion}.`,
      param: 'sec-websocket-version',
    });
  }
  if (key !== undefined && keyForm.test(key)) return undefined;
  return new GatewayError('invalid_header', {
    message: key === undefined ? 'The request has no header "sec-websocket-key".' : 'The header "sec-websocket-key" is not valid.',
    hint: 'Send 16 random bytes in base64.',
    param: 'sec-websocket-key',
  });
}

export const webSocketVersion = '13';
/** 16 bytes in base64. */
const keyForm = /^[\dA-Za-z+/]{22}==$/;
