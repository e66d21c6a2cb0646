import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../cli/process.ts';
import { until } from '../support/gateway.ts';

let dir: string;
let child: ChildProcess | undefined;
const open: number[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'outputs-'));
  await writeFile(join(dir, 'gateway.yaml'), 'version: 1\nproviders: {mock: {type: mock}}\n');
});
afterEach(async () => {
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  for (const fd of open.splice(0)) closeSync(fd);
  await rm(dir, { recursive: true, force: true });
});

/** A full pipe without a reader. */
function fullPipe(): number {
  const path = join(dir, `pipe-${open.length}`);
  spawnSync('mkfifo', [path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  open.push(fd);
  try {
    for (;;) writeSync(fd, Buffer.alloc(4096, 120));
  } catch {
    // The pipe is full.
  }
  // A separate descriptor in blocking mode, as shells and service managers pass it.
  const waiting = openSync(path, constants.O_RDWR);
  open.push(waiting);
  return waiting;
}

function device(path: string): number {
  const fd = openSync(path, 'w');
  open.push(fd);
  return fd;
}

/** The targets of standard output and standard error: descriptors, or a redirection of the shell. */
const outputs: readonly { readonly name: string; readonly make: () => { fds?: [number, number]; shell?: string } }[] = [
  { name: 'a full pipe as standard output', make: () => ({ fds: [fullPipe(), device('/dev/null')] }) },
  { name: 'one full pipe for both', make: () => ({ fds: ((fd) => [fd, fd] as [number, number])(fullPipe()) }) },
  { name: 'a full disk', make: () => ({ fds: [device('/dev/full'), device('/dev/full')] }) },
  { name: 'a pipe whose reader has left', make: () => ({ shell: '2>&1 | true' }) },
  { name: 'closed outputs', make: () => ({ shell: '>&- 2>&-' }) },
  { name: 'a closed standard output', make: () => ({ shell: '>&-' }) },
];

const socketPath = (): string => join(dir, 'gw.sock');

function start({ fds, shell }: { fds?: [number, number]; shell?: string }, ...flags: string[]): ChildProcess {
  const args = [main, 'start', '-c', 'gateway.yaml', '--listen', `unix:${socketPath()}`, ...flags];
  const env = { PATH: process.env.PATH ?? '' };
  if (fds !== undefined) return spawn(process.execPath, args, { cwd: dir, env, stdio: ['ignore', ...fds] });
  // Writes the pid to a file: with a pipe, the pid of the shell is not that of the gateway.
  const command = `( echo $BASHPID > pid; exec ${process.execPath} ${args.join(' ')} ) ${shell ?? ''}; echo \${PIPESTATUS[0]} > code`;
  return spawn('bash', ['-c', command], { cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function hello(): Promise<number> {
  const body = JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: 'x'.repeat(500) }] });
  const sent = request({
    socketPath: socketPath(),
    path: '/v1/chat/completions',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  await text(response);
  return response.statusCode ?? 0;
}

async function untilServed(): Promise<void> {
  const isServed = (): Promise<boolean> =>
    hello().then(
      (status) => status === 200,
      () => false,
    );
  await until(isServed, 'the first answer');
}

describe('a gateway that cannot write to its outputs', () => {
  it.each(outputs)('serves, and exits with 0 on SIGTERM: $name', async ({ make }) => {
    const { fds, shell } = make();
    child = start({ ...(fds && { fds }), ...(shell && { shell }) });
    await untilServed();
    for (let n = 0; n < 50; n += 1) expect(await hello()).toBe(200);
    const pid = fds === undefined ? Number(await readFile(join(dir, 'pid'), 'utf8')) : (child.pid ?? 0);
    process.kill(pid, 'SIGTERM');
    await until(() => child?.exitCode !== null || child?.signalCode !== null, 'the end of the process');
    const code = fds === undefined ? Number(await readFile(join(dir, 'code'), 'utf8')) : child.exitCode;
    expect(code).toBe(0);
  });

  it.each(outputs)('exits with 3 if the configuration is invalid: $name', async ({ make }) => {
    await writeFile(join(dir, 'gateway.yaml'), 'version: 1\nproviderz: {}\n');
    const { fds, shell } = make();
    child = start({ ...(fds && { fds }), ...(shell && { shell }) });
    await until(() => child?.exitCode !== null || child?.signalCode !== null, 'the end of the process');
    expect(fds === undefined ? Number(await readFile(join(dir, 'code'), 'utf8')) : child.exitCode).toBe(3);
  });
});

/** Writes to a file of at most 1 KB, and truncates it after the limit has cut a line. */
const cutLine = `
import { openSync, truncateSync } from 'node:fs';
import { DescriptorWriter } from '${new URL('../../src/telemetry/descriptor.ts', import.meta.url).href}';
const lost = [];
const writer = new DescriptorWriter(openSync('log', 'a'), (writes) => lost.push(writes));
for (const line of ['first', 'x'.repeat(2000), 'y'.repeat(2000)]) {
  writer.write(line + '\\n');
  await writer.flush();
}
truncateSync('log', 100);
for (const line of ['second', 'third']) {
  writer.write(line + '\\n');
  await writer.flush();
}
process.stdout.write(String(lost));
`;

it('a log line that a full disk cuts off does not swallow the next line', async () => {
  const { stdout, stderr } = spawnSync('sh', ['-c', 'ulimit -f 1; exec "$0" --input-type=module --eval "$1"', process.execPath, cutLine], {
    cwd: dir,
    encoding: 'utf8',
  });
  expect({ stdout, stderr }).toEqual({ stdout: '2', stderr: '' });
  const lines = (await readFile(join(dir, 'log'), 'utf8')).split('\n');
  expect(lines).toEqual(['first', expect.stringMatching(/^x+$/), 'second', 'third', '']);
});
