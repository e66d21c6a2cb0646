import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { type AdminServerDeps, createAdminServer } from './listener.ts';
import type { AdminCall } from './routes/route.ts';

it('ends a call that takes too long with 504, which browsers do not repeat', async () => {
  let isAborted = false;
  const deps = {
    subject: { settings: () => ({}), probes: () => false, onDefect: () => undefined },
    access: {},
    metrics: { path: () => '/metrics' },
    routes: [
      {
        method: 'POST',
        path: '/api/slow',
        role: 'anyone',
        about: 'Never responds.',
        returns: 'nothing',
        limitMs: 20,
        handle: ({ signal }: AdminCall) => new Promise(() => signal.addEventListener('abort', () => (isAborted = true))),
      },
    ],
    now: () => performance.now(),
  } as unknown as AdminServerDeps;
  const server = createAdminServer(deps).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/slow`;
  const response = await fetch(url, { method: 'POST', headers: { 'x-gateway-admin': '1' } });
  expect([response.status, await response.json()]).toMatchObject([
    504,
    { error: { code: 'timeout', message: 'The gateway did not finish this within 0.02 s.' } },
  ]);
  expect(isAborted).toBe(true);
  server.close();
  server.closeAllConnections();
});
