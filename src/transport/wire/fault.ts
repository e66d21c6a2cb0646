/** Reasons why a connection or its response cannot be used. Errors of the system (`ECONNRESET`) keep their own codes. */
export type WireFaultCode =
  | 'UPSTREAM_CLOSED' // closed before the response was complete
  | 'UPSTREAM_CONNECT_TIMEOUT'
  | 'UPSTREAM_HEAD_TOO_LARGE'
  | 'UPSTREAM_LENGTH' // the end of the body cannot be determined
  | 'UPSTREAM_INVALID' // not valid HTTP/1.1
  | 'PROXY_UNREACHABLE'
  | 'PROXY_AUTH' // it requires another credential
  | 'PROXY_REFUSED' // it may not connect to this host
  | 'PROXY_FAILED' // it could not connect to this host
  | 'PROXY_INVALID'; // its response is not that of a proxy

/** A protocol fault that no system call reported. The message is for developers and contains no bytes of the response. */
export class WireFault extends Error {
  readonly code: WireFaultCode;

  constructor(code: WireFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The response violates RFC 9112 in a way that other parsers read differently: it is rejected as a whole. */
export const malformed = (what: string): WireFault => new WireFault('UPSTREAM_INVALID', what);

/** Contradictory lengths: a client that continued to read could take one response for two. */
export const invalidLength = (what: string): WireFault => new WireFault('UPSTREAM_LENGTH', what);
