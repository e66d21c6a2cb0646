import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps places for those who come: beyond `most` connections, the one that has been without a request for longest is closed. Whoever
 * only connects, or sends half of a head, keeps nobody out.
 */
export function boundConnections(server: Server, most: number): void {
  /** In the order in which they became so. */
  const resting = new Set<Socket>();
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
      resting.delete(socket);
    });
    if (open > most) {
      const [longest = socket] = resting;
      resting.delete(longest);
      longest.destroy();
    }
    if (!socket.destroyed) resting.add(socket);
  });
  server.on('request', ({ socket }, response) => {
    resting.delete(socket);
    response.once('close', () => {
      if (!socket.destroyed) resting.add(socket);
    });
  });
}
