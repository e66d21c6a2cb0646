import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { makeRow } from '../../query/fixtures/rows.ts';
import type { CliIo } from '../io.ts';
import { tail } from './tail.ts';

it('gateway logs tail does not print requests while its output is not read, and reports their number', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let i = 0; i < 6; i += 1) response.write(`data: ${JSON.stringify(makeRow({ id: `req_${i}` }))}\n\n`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ids: string[] = [];
  let err = '';
  let checks = 0;
  const io: CliIo = {
    stdout: {
      write: (text) => ids.push((JSON.parse(text) as { id: string }).id),
      // The second to fourth request find a full buffer.
      get writableLength() {
        checks += 1;
        return checks > 1 && checks < 5 ? 2 ** 21 : 0;
      },
    },
    stderr: { write: (text) => (err += text) },
    env: { GATEWAY_ADMIN: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    cwd: import.meta.dirname,
    readStdin: () => Promise.resolve(''),
  };
  expect(await tail([], { json: true, limit: '3' }, io)).toBe(0);
  expect(ids).toEqual(['req_0', 'req_4', 'req_5']);
  expect(err).toBe('3 more requests were not shown: the output is read too slowly\n3 requests\n');
  server.closeAllConnections();
  server.close();
});
