import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { sendToListener } from './listener-request.ts';

it.each<[string, (response: ServerResponse) => void, string, RegExp]>([
  ['that does not come', (response) => void response.destroy(), 'upstream_unreachable', /could not be reached: connection reset/],
  [
    'that breaks off',
    (response) => void response.write('half', () => void response.destroy()),
    'upstream_invalid',
    /broke off: connection reset/,
  ],
  ['that is too large', (response) => void response.end(Buffer.alloc(17 * 1024 * 1024)), 'upstream_invalid', /larger than 16 MB/],
])('a response %s is an error', async (_, respond, code, message) => {
  const server = createServer((_request, response) => respond(response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const sent = sendToListener(base, { method: 'POST', path: '/v1/x', body: {}, key: undefined }).finally(() => void server.close());
  await expect(sent).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});
