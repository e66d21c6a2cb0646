import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createServer } from '../../core/node-http.ts';
import { DashboardFiles } from './dashboard-files.ts';
import { sendError } from './reply.ts';

it('reads the dashboard files again after they could not be read', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'dashboard-files-'));
  writeFileSync(join(dir, 'index.html'), '<p>here</p>');
  // As during a build that replaces the files.
  symlinkSync(join(dir, 'gone'), join(dir, 'app.js'));
  const files = new DashboardFiles([dir]);
  const server = createServer({}, (request, response) => {
    files.serve(request.url ?? '', request, response).catch((error: unknown) => sendError(response, error));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const statusOf = async (path = '/'): Promise<number> =>
    (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)).status;
  expect(await statusOf()).toBe(500);
  rmSync(join(dir, 'app.js'));
  expect(await statusOf()).toBe(200);
  // Paths of the dashboard may end like file names.
  expect([await statusOf('/app.js'), await statusOf('/traces/run.json'), await statusOf('/configs')]).toEqual([404, 200, 200]);
  const encodings = ['gzip, br', 'gzip;q=0'].map(async (accepted) => {
    const { port } = server.address() as AddressInfo;
    const { headers } = await fetch(`http://127.0.0.1:${port}/`, { headers: { 'accept-encoding': accepted } });
    return headers.get('content-encoding');
  });
  expect(await Promise.all(encodings)).toEqual(['gzip', null]);
  server.close();
  server.closeAllConnections();
  rmSync(dir, { recursive: true });
});
