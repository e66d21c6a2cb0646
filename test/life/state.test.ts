import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProcess, run, type Running } from '../cli/process.ts';

let dir: string;
let running: Running | undefined;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'state-'));
});
afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  await rm(dir, { recursive: true, force: true });
});

const yaml = (more: string): string => `version: 1
server: {listen: "127.0.0.1:0", probe_listen: "unix:${dir}/probe.sock", state_dir: /proc/state${more}}
providers: {mock: {type: mock}}
`;

function ready(): Promise<{ status: number | undefined; body: unknown }> {
  return new Promise((resolve, reject) => {
    request({ socketPath: join(dir, 'probe.sock'), path: '/readyz' }, (response) => {
      void text(response).then((body) => resolve({ status: response.statusCode, body: JSON.parse(body) as unknown }));
    })
      .on('error', reject)
      .end();
  });
}

describe('a state directory that is not writable', () => {
  it.each(['pretty', 'json'])('makes the gateway keep records in memory, with a note at the start and on /readyz (%s)', async (format) => {
    await writeFile(join(dir, 'gateway.yaml'), yaml(''));
    running = startProcess(['start', '--log-format', format], dir);
    const warning = "/proc/state can't be used, records are kept in memory only: E";
    await running.waitForOutput(format === 'json' ? /"msg":"gateway started"/ : /ready in/);
    const lines = running.out().split('\n');
    expect(lines.find((line) => line.startsWith('NOTE ') || line.includes('"gateway started"'))).toContain(warning);
    expect(await ready()).toMatchObject({ status: 200, body: { status: 'ok', reasons: [], notes: [expect.stringContaining(warning)] } });
    const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+\/v1)/.exec(running.out()) ?? [];
    expect((await fetch(`${url}/models`)).status).toBe(200);
  });

  it('makes the start exit with 3 if state_dir_required is true', async () => {
    await writeFile(join(dir, 'gateway.yaml'), yaml(', state_dir_required: true'));
    const { code, err } = await run(['start'], dir);
    expect(code).toBe(3);
    expect(err).toContain("error: server.state_dir /proc/state can't be used: E");
  });
});
