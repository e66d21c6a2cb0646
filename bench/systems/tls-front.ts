import { connect } from 'node:net';
import { createServer } from 'node:tls';
import { certificates } from '../../test/support/certificates.ts';

/** Makes the upstream available by https as well: copies bytes. `node bench/systems/tls-front.ts PORT UPSTREAM` */
const [port, upstream] = process.argv.slice(2).map(Number);
if (port === undefined || upstream === undefined) throw new Error('usage: tls-front.ts PORT UPSTREAM');

createServer(certificates.good, (client) => {
  client.setNoDelay(true);
  const server = connect({ port: upstream, host: '127.0.0.1', noDelay: true });
  for (const socket of [client, server]) socket.on('error', () => {}).on('close', () => (socket === client ? server : client).destroy());
  client.pipe(server).pipe(client);
}).listen(port, '127.0.0.1');
