import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { headOf, WireClient } from '../edge/wire-client.ts';
import { main } from '../cli/process.ts';
import { until } from '../support/gateway.ts';
import { skipping } from '../support/skipping.ts';

let dir: string;
let child: ChildProcess;
let out: string;
/** prlimit (util-linux) changes the limits of a running process. */
const missing = spawnSync('prlimit', ['--version']).status === 0 ? undefined : 'prlimit is not installed';

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'descriptors-'));
  await writeFile(join(dir, 'gateway.yaml'), 'version: 1\nproviders: {mock: {type: mock}}\n');
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await rm(dir, { recursive: true, force: true });
});

/** Returns the URL of the gateway. */
async function start(openFiles?: number): Promise<string> {
  const limited = openFiles === undefined ? [] : ['prlimit', `--nofile=${openFiles}:${openFiles}`];
  const args = [
    ...limited,
    process.execPath,
    main,
    'start',
    '--listen',
    '127.0.0.1:0',
    '--admin-listen',
    '127.0.0.1:0',
    '--log-format',
    'json',
  ];
  child = spawn('env', args, { cwd: dir, stdio: ['ignore', 'pipe', 'inherit'] });
  out = '';
  child.stdout?.on('data', (data: Buffer) => (out += data.toString()));
  return until(() => /"url":"([^"]+)"/.exec(out)?.[1], 'the start');
}

async function childrenOf(pid: number | undefined): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/** Sets the file descriptor limit of the process. With 3, which is below its open ones, it cannot open another. */
function limit(descriptors: number): void {
  execFileSync('prlimit', ['--pid', String(child.pid), `--nofile=${descriptors}:`]);
}

describe.skipIf(skipping(missing))('without a free file descriptor', () => {
  it('the gateway keeps running, and serves again once some are free', async () => {
    const url = await start();
    limit(3);
    const waiting = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    await once(waiting, 'connect');
    child.kill('SIGHUP');
    await until(() => out.includes('"config unchanged"'), 'an event to be handled');
    waiting.destroy();
    limit(1024);
    const body = JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: 'x' }] });
    const send = (): Promise<number> =>
      fetch(`${url}/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then(
        (response) => response.status,
        () => 0,
      );
    await until(async () => (await send()) === 200, 'a request to be served');
    child.kill('SIGTERM');
    await until(() => child.exitCode !== null || child.signalCode !== null, 'the end');
    expect(child.exitCode).toBe(0);
  });

  it('a changed configuration is loaded once some are free', async () => {
    await start();
    limit(3);
    // Kills the process that loads configurations, so that the next load needs a new one.
    for (const pid of await childrenOf(child.pid)) process.kill(pid, 'SIGKILL');
    await until(async () => (await childrenOf(child.pid)).length === 0, 'its end');
    await writeFile(join(dir, 'gateway.yaml'), 'version: 1\nproviders: {mock: {type: mock}, other: {type: mock}}\n');
    child.kill('SIGHUP');
    const line = await until(() => /.*config NOT reloaded.*/.exec(out)?.[0], 'the failure');
    expect(JSON.parse(line)).toMatchObject({ reason: expect.stringContaining('EMFILE') });
    limit(1024);
    await until(() => out.includes('"config reloaded"'), 'the reload');
  });

  it('a request that needs one returns 502 with the cause and a hint', async () => {
    await writeFile(
      join(dir, 'gateway.yaml'),
      'version: 1\nproviders: {far: {type: openai, api_key: sk-0123456789, custom_host: "http://127.0.0.1:9/v1"}}\n',
    );
    const client = new WireClient(await start());
    const body = JSON.stringify({ model: '@far/m', messages: [{ role: 'user', content: 'x' }] });
    // The gateway has already accepted this connection.
    client.write(headOf('GET /healthz'));
    await client.answers(1);
    limit(3);
    client.write(headOf('POST /v1/chat/completions', { 'content-type': 'application/json', 'content-length': body.length }), body);
    expect((await client.answers(2)).at(-1)).toBe(502);
    expect(client.text).toMatch(/x-gateway-error-source: gateway.*the gateway has too many open files.*ulimit -n/s);
    client.close();
  });
});

describe.skipIf(skipping(missing))('a limit of open files', () => {
  it('below what server.max_connections needs is said, and leaves descriptors free for the gateway', async () => {
    const url = await start(160);
    const clients = Array.from({ length: 170 }, () => new WireClient(url));
    const warning = 'The gateway accepts 120 client connections, not 8192 (server.max_connections), because it may open only 160 files.';
    expect(JSON.parse(out.split('\n', 1)[0] ?? '')).toMatchObject({ notes: [expect.stringContaining(warning)] });
    await until(() => clients.filter(({ isClosed }) => isClosed).length === 50, 'the others to be rejected');
    await until(() => /"rejected":1,"limit":120,"hint":"Raise the limit of open files/.test(out), 'a line about them');
    clients[0]?.write(headOf('GET /readyz'));
    await until(() => clients[0]?.text.includes(warning), 'the note on /readyz');
    await writeFile(join(dir, 'gateway.yaml'), 'version: 1\nproviders: {mock: {type: mock}}\nserver: {max_connections: 100}\n');
    child.kill('SIGHUP');
    await until(() => out.includes('"config reloaded"'), 'the reload');
    const other = clients.findLast(({ isClosed }) => !isClosed);
    other?.write(headOf('GET /readyz'));
    await other?.answers(1);
    expect(other?.text).not.toContain(warning);
    await writeFile(join(dir, 'gateway.yaml'), 'version: 1\nproviders: {mock: {type: mock}}\nserver: {max_connections: 121}\n');
    child.kill('SIGHUP');
    const again = 'not 121 (server.max_connections)';
    await until(() => out.includes(again), 'a line about the new setting');
    for (const client of clients) client.close();
  });
});
