import type { Socket } from 'node:net';

const none: Buffer = Buffer.alloc(0);
const begins = Buffer.from('HTTP/1.1 100');
const headEnd = Buffer.from('\r\n\r\n');
/** Maximum bytes of a head that is skipped. A longer one is left to the parser, which rejects it. */
const longestHead = 4096;

/** Reads a socket for a parser that takes `100 Continue` without a request for it as an error. */
export interface ContinueSkipper {
  /** A request is being sent: the next bytes begin a response. */
  begin(): void;
}

/**
 * Leaves out each `100 Continue` before a response: a client has to accept it even if it did not ask for it (RFC 9110 15.2).
 * Anything else is read as it is.
 */
export function skipContinue(socket: Socket): ContinueSkipper {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let isBeginning = false;
  /** The incomplete head read so far. */
  let held = none;
  const next = (chunk: Buffer): Buffer | null => {
    let rest = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    held = none;
    while (begins.subarray(0, rest.length).equals(rest.subarray(0, begins.length))) {
      const end = rest.indexOf(headEnd);
      if (end < 0 && rest.length <= longestHead) {
        held = rest;
        return null;
      }
      if (end < 0) break;
      rest = rest.subarray(end + headEnd.length);
      if (rest.length === 0) return null;
    }
    isBeginning = false;
    return rest;
  };
  socket.read = (size?: number) => {
    const chunk = read(size);
    return chunk === null || !isBeginning ? chunk : next(chunk);
  };
  return {
    begin() {
      isBeginning = true;
      held = none;
    },
  };
}
