import type { Socket } from 'node:net';

type WriteCallback = (error?: Error | null) => void;

/**
 * Makes a failed write report its error only once everything that the system has received is read. A service that refuses a
 * request early may reset the connection right after its response: the next write fails, and its error would destroy the
 * socket with the response unread.
 */
export function readBeforeWriteErrors(socket: Socket): void {
  const write = socket._write;
  const writev = socket._writev;
  // A stream passes the same callback to all its writes, so no function is created for a write.
  let callback: WriteCallback | undefined;
  let deferred: WriteCallback = () => {};
  const deferring = (done: WriteCallback): WriteCallback => {
    if (done !== callback) {
      callback = done;
      deferred = (error) => {
        if (error) afterReads(socket, () => done(socket.destroyed ? null : error));
        else done();
      };
    }
    return deferred;
  };
  socket._write = (chunk, encoding, done) => write.call(socket, chunk, encoding, deferring(done));
  if (writev !== undefined) socket._writev = (chunks, done) => writev.call(socket, chunks, deferring(done));
}

/** Of two turns of the event loop, the second reads this connection, or a part of what was received. Then the next part follows. */
function afterReads(socket: Socket, then: () => void): void {
  const { bytesRead } = socket;
  setImmediate(() => setImmediate(() => (socket.bytesRead === bytesRead ? then() : afterReads(socket, then))));
}
