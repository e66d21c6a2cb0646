import { lstatSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProcess, run, type Running } from '../cli/process.ts';

let dir: string;
let running: Running | undefined;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sockets-'));
  await writeFile(
    join(dir, 'gateway.yaml'),
    `version: 1
server:
  listen: {unix: ${dir}/gw.sock, mode: "0660"}
  probe_listen: {unix: ${dir}/probe.sock, mode: "0600"}
  state_dir_shared: true
providers: {mock: {type: mock}}
`,
  );
});
afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  await rm(dir, { recursive: true, force: true });
});

const mode = (name: string): string => (lstatSync(join(dir, name)).mode & 0o777).toString(8);

function status(name: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ socketPath: join(dir, name), path }, (response) => (response.resume(), resolve(response.statusCode)))
      .on('error', reject)
      .end();
  });
}

describe('Unix sockets', () => {
  it('have the configured modes, and a second gateway reports which process uses them', async () => {
    running = startProcess(['start', '--log-format', 'json'], dir);
    await running.waitForOutput(/"msg":"gateway started"/);
    expect([mode('gw.sock'), mode('probe.sock')]).toEqual(['660', '600']);
    expect(await status('gw.sock', '/v1/models')).toBe(200);
    expect(await status('probe.sock', '/readyz')).toBe(200);
    const second = await run(['start'], dir);
    expect(second.code).toBe(1);
    expect(second.err).toContain(`error: Can't listen on unix:${dir}/gw.sock: the address is in use (process ${running.child.pid}: `);
    expect(await status('gw.sock', '/v1/models')).toBe(200);
    running.child.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
    expect(() => mode('gw.sock')).toThrow('ENOENT');
    expect(() => mode('probe.sock')).toThrow('ENOENT');
  });

  it('are replaced after a crash, but a regular file in their place is not', async () => {
    running = startProcess(['start', '--log-format', 'json'], dir);
    await running.waitForOutput(/"msg":"gateway started"/);
    running.child.kill('SIGKILL');
    await running.ended;
    running = startProcess(['start', '--log-format', 'json'], dir);
    await running.waitForOutput(/"msg":"gateway started"/);
    expect(await status('gw.sock', '/v1/models')).toBe(200);
    await writeFile(join(dir, 'precious'), 'precious');
    const other = await run(['start', '--listen', `unix:${dir}/precious`, '--probe-listen', '127.0.0.1:0'], dir);
    expect(other.code).toBe(1);
    expect(other.err).toContain('the path exists and is not a socket');
    expect(lstatSync(join(dir, 'precious')).isFile()).toBe(true);
  });

  it('need an existing directory', async () => {
    const { code, err } = await run(['start', '--listen', `unix:${dir}/no/gw.sock`, '--probe-listen', '127.0.0.1:0'], dir);
    expect([code, err]).toEqual([1, expect.stringContaining(`Can't listen on unix:${dir}/no/gw.sock: its directory does not exist\n`)]);
  });
});
