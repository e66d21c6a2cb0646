/** Why a connection or an answer on it is of no use. Codes of the system (`ECONNRESET`) keep their own errors. */
export type WireFaultCode =
  | 'UPSTREAM_CLOSED' // the other side closed before the answer was whole
  | 'UPSTREAM_CONNECT_TIMEOUT'
  | 'UPSTREAM_HEAD_TOO_LARGE'
  | 'UPSTREAM_LENGTH' // nobody can tell where the body ends
  | 'UPSTREAM_INVALID'; // not HTTP/1.1 as it is written

/** A fault of the wire that no system call reported. The message is for a developer and holds no bytes of the answer. */
export class WireFault extends Error {
  readonly code: WireFaultCode;

  constructor(code: WireFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The answer breaks a rule of RFC 9112 that other parsers read differently: it is not read at all. */
export const malformed = (what: string): WireFault => new WireFault('UPSTREAM_INVALID', what);

/** Lengths that contradict each other: whoever reads on may take one answer for two. */
export const misframed = (what: string): WireFault => new WireFault('UPSTREAM_LENGTH', what);
