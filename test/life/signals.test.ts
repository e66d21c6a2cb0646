import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProcess, type Running } from '../cli/process.ts';
import { until } from '../support/gateway.ts';

let cwd: string;
let running: Running | undefined;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'signals-'));
});
afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  running = undefined;
  await rm(cwd, { recursive: true, force: true });
});

const yaml = (text: string, more = ''): string => `version: 1
providers: {mock: {type: mock, replies: {hello: {text: "${text}"}}}}
${more}`;

function start(...flags: readonly string[]): Running {
  running = startProcess(['start', '--listen', '127.0.0.1:0', '--log-format', 'json', '--no-watch', ...flags], cwd);
  return running;
}

async function hello(process: Running): Promise<string> {
  const [, url = ''] = await process.waitForOutput(/"url":"([^"]+)"/);
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: '@mock/hello', messages: [{ role: 'user', content: 'x' }] }),
  });
  return ((await response.json()) as { choices: [{ message: { content: string } }] }).choices[0].message.content;
}

/** A plugin whose import prints a line and waits for a file, so that a test can hold the start. */
const slow = `
import { existsSync, writeFileSync } from 'node:fs';
writeFileSync(new URL('waiting', import.meta.url), '');
while (!existsSync(new URL('go', import.meta.url))) await new Promise((resolve) => setTimeout(resolve, 10));
export default { name: 'slow', options: { type: 'object', additionalProperties: false }, setup: () => ({}) };
`;

async function startHeld(): Promise<Running> {
  await writeFile(join(cwd, 'slow.mjs'), slow);
  await writeFile(
    join(cwd, 'gateway.yaml'),
    yaml('one', 'plugins: [auth, virtual-key, {use: ./slow.mjs}, routing, transform, fallback-retry]\n'),
  );
  const process = start();
  await expectServing(process);
  return process;
}

async function expectServing(process: Running): Promise<void> {
  for (let tries = 0; !(await readdir(cwd)).includes('waiting'); tries += 1) {
    if (tries > 10_000 || process.child.exitCode !== null) throw new Error(`the start did not come to the plugin: ${process.err()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('while the gateway starts', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s stops it with exit code 0, and it never serves', async (signal) => {
    const process = await startHeld();
    process.child.kill(signal);
    const { code, out, err } = await process.ended;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('"msg":"stopped"');
    expect(out).not.toContain('"msg":"gateway started"');
  });

  it.each(['SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const)('%s does not stop it', async (signal) => {
    const process = await startHeld();
    process.child.kill(signal);
    await writeFile(join(cwd, 'go'), '');
    expect(await hello(process)).toBe('one');
    expect(process.err()).toBe('');
  });

  it('SIGHUP makes it reload its files as soon as it serves', async () => {
    const process = await startHeld();
    await writeFile(join(cwd, 'gateway.yaml'), (await readFile(join(cwd, 'gateway.yaml'), 'utf8')).replace('"one"', '"two"'));
    process.child.kill('SIGHUP');
    await writeFile(join(cwd, 'go'), '');
    // The first load may have read the new text already.
    await process.waitForOutput(/"msg":"config (reloaded|unchanged)"/);
    expect(await hello(process)).toBe('two');
  });
});

describe('while the gateway serves', () => {
  it.each(['SIGUSR1', 'SIGUSR2', 'SIGPIPE', 'SIGHUP'] as const)('many %s do not stop it, and start no debugger', async (signal) => {
    await writeFile(join(cwd, 'gateway.yaml'), yaml('one'));
    const process = start();
    expect(await hello(process)).toBe('one');
    for (let sent = 0; sent < 150; sent += 1) {
      process.child.kill(signal);
      if (sent % 50 === 0) expect(await hello(process)).toBe('one');
    }
    expect(await hello(process)).toBe('one');
    // Node prints the address of its debugger to standard error.
    expect(process.err()).toBe('');
    process.child.kill('SIGTERM');
    expect((await process.ended).code).toBe(0);
  });

  it('SIGUSR1 starts no debugger in the process that loads files', async () => {
    await writeFile(join(cwd, 'gateway.yaml'), yaml('one'));
    const process = start();
    expect(await hello(process)).toBe('one');
    const children = (await readFile(`/proc/${process.child.pid}/task/${process.child.pid}/children`, 'utf8'))
      .trim()
      .split(' ')
      .map(Number);
    expect(children).toHaveLength(1);
    for (const child of children) globalThis.process.kill(child, 'SIGUSR1');
    await writeFile(join(cwd, 'gateway.yaml'), yaml('two'));
    process.child.kill('SIGHUP');
    await process.waitForOutput(/"msg":"config reloaded"/);
    await until(() => process.out().includes('reloaded'), 'the reload');
    expect(process.err()).toBe('');
  });
});
