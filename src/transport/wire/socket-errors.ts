import type { Duplex } from 'node:stream';

/** Closes a socket after an error. An established TLS connection only reports an invalid record or an alert, and stays open. */
export function closeAfterErrors(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
}
