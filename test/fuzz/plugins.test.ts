import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moments } from '../../src/core/plugin.ts';
import { until } from '../support/gateway.ts';

/** An external plugin that fails in every moment and in every way: only one request fails. */

let dir: string;
let child: ChildProcess;
let url: string;
let log = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-bad-plugin-'));
  await copyFile(join(import.meta.dirname, 'bad-plugin.mjs'), join(dir, 'bad-plugin.mjs'));
  const config = {
    version: 1,
    server: { state_dir: 'memory', drain: { delay: '0s', timeout: '60s' } },
    providers: { mock: { type: 'mock' } },
    plugins: ['auth', 'virtual-key', 'routing', 'transform', 'fallback-retry', { use: './bad-plugin.mjs' }],
  };
  await writeFile(join(dir, 'gateway.yaml'), JSON.stringify(config));
  const main = join(import.meta.dirname, '../../src/main.ts');
  const flags = ['start', '-c', 'gateway.yaml', '--listen', '127.0.0.1:0', '--log-format', 'json', '--no-watch'];
  child = spawn(process.execPath, [main, ...flags], { cwd: dir, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')));
  url = await until(() => /"url":"([^"]+)"/.exec(log)?.[1], 'the gateway to start');
});
afterAll(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await rm(dir, { recursive: true, force: true });
});

/** Requests a streamed response if the moment is at its end. */
async function send(bad: string): Promise<{ status: number; code: string | null; id: string }> {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-provider': '@mock', 'x-bad': bad },
    body: JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'hi' }], stream: bad.startsWith('finish:') }),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  const isWholeStream = text.endsWith('data: [DONE]\n\n');
  const { error } = isWholeStream ? {} : (JSON.parse(text) as { error?: { code: string } });
  return { status: response.status, code: error?.code ?? null, id: response.headers.get('x-request-id') ?? '' };
}

/** Returns the log line of this request's internal error. */
const defectOf = (id: string): Promise<string> =>
  until(() => log.split('\n').find((line) => line.includes('failed with an internal error') && line.includes(id)), `the line about ${id}`);

const failed = { status: 500, code: 'internal' };
const served = { status: 200, code: null };

// First, because the number of logged internal errors is limited.
describe('asynchronous errors of a plugin', () => {
  it.each(['admit', 'plan', 'screen', 'prepare', 'send', 'reply'])(
    'an error thrown in a timer that %s awaits fails the request',
    async (moment) => {
      const response = await send(`${moment}:timer`);
      expect(response).toMatchObject(failed);
      expect(await defectOf(response.id)).toContain('thrown in a timer');
    },
  );

  it.each(moments)('an unhandled rejection in %s is logged with the request', async (moment) => {
    const response = await send(`${moment}:stray`);
    expect([200, 500]).toContain(response.status);
    expect(await defectOf(response.id)).toContain('stray rejection');
  });
});

const rows = moments.flatMap((moment) =>
  (['throw', 'throw-nothing', 'reject', 'hostile'] as const).map(
    (failure) => [moment, failure, ['finish', 'settle', 'record'].includes(moment) ? served : failed] as const,
  ),
);

it.each(rows)('an error in %s (%s) fails at most one request', async (moment, failure, expected) => {
  expect(await send(`${moment}:${failure}`)).toMatchObject(expected);
  expect(await send('none')).toMatchObject(served);
});

it.each(moments.flatMap((moment) => ['garbage', 'object'].map((failure) => [moment, failure] as const)))(
  'an invalid return value of %s (%s) fails at most one request',
  async (moment, failure) => {
    const { status } = await send(`${moment}:${failure}`);
    expect([200, 500]).toContain(status);
    expect(await send('none')).toMatchObject(served);
  },
);

it.each(['status', 'header'])('a plugin response with an invalid %s returns 500', async (failure) => {
  expect(await send(`screen:${failure}`)).toMatchObject(failed);
});

it('the gateway shuts down cleanly after all plugin errors', async () => {
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).toBe(0);
  expect(log).not.toContain('"end":"drained"');
});
