import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../../core/error.ts';

/** Faults of a head that `node:http` itself would answer with an empty response. */
export function headFault({ headers, httpVersionMinor }: IncomingMessage): GatewayError | undefined {
  // HTTP/1.0 has neither header.
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
