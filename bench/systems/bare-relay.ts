import { connect, createServer } from 'node:net';

/**
 * A second baseline besides nginx, for the cost of Node itself: copies bytes between sockets. `node bench/systems/bare-relay.ts
 * PORT UPSTREAM`
 */
const [port, upstream] = process.argv.slice(2).map(Number);
if (port === undefined || upstream === undefined) throw new Error('usage: bare-relay.ts PORT UPSTREAM');

createServer({ noDelay: true }, (client) => {
  const server = connect({ port: upstream, host: '127.0.0.1', noDelay: true });
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.on('data', (bytes) => {
      if (!to.write(bytes)) from.pause();
    });
    to.on('drain', () => from.resume());
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
}).listen(port, '127.0.0.1');
