import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { runLoad } from './load.ts';

it('runLoad() counts a request once whose response breaks off', async () => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(200, { 'content-length': 100 }).write('{');
    setTimeout(() => response.socket?.resetAndDestroy(), 5);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const settings = { url, model: 'm', isStream: false, concurrency: 1, durationMs: 100 };
  const { failed, latencies } = await runLoad(settings, new AbortController().signal);
  server.close();
  expect({ failed, latencies }).toEqual({ failed: requests, latencies: [] });
});
