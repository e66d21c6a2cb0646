import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { skipping } from '../../../../test/support/skipping.ts';
import { QueryTimeout } from '../worker/query-timeout.ts';
import { RpcClient, type RpcClientOptions } from './client.ts';
import { startProcess } from './process.ts';
import { startThread } from './thread.ts';

/** Handles one call after another; `hang` never responds, and `die` ends the thread. */
const text = `import { parentPort, threadId } from 'node:worker_threads';
parentPort.on('message', ({ id, name, argument }) => {
  if (name === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (name === 'die') process.exit(3);
  parentPort.postMessage({ id, value: new TextEncoder().encode(JSON.stringify({ argument, who: threadId })) });
  if (argument instanceof SharedArrayBuffer) Atomics.store(new Int32Array(argument), 0, 1);
});`;
const threadPeer: RpcClientOptions['start'] = (events) =>
  startThread({ entry: new URL(`data:text/javascript,${encodeURIComponent(text)}`), data: {}, heapMb: 64 }, events);
const entry = new URL('../../../../test/support/echo-process.ts', import.meta.url);
const processPeer: RpcClientOptions['start'] = (events) => startProcess({ entry, data: { secret: 'canary-6b1f' }, heapMb: 64 }, events);
const clients: RpcClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

function clientWith(options: Partial<RpcClientOptions>): RpcClient {
  const client = new RpcClient({ start: threadPeer, maxPending: 8, limitMs: 60_000, ...options });
  clients.push(client);
  return client;
}

interface Echo {
  readonly argument: unknown;
  readonly who: number;
  readonly data?: unknown;
}

const echo = (bytes: unknown): Echo => JSON.parse(Buffer.from(bytes as Uint8Array).toString('utf8')) as Echo;

const outcomes = async (calls: readonly Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.allSettled(calls)).map((result) =>
    result.status === 'fulfilled' ? echo(result.value).argument : (result.reason as { code: string }).code,
  );

describe.each([
  ['thread', threadPeer],
  ['process', processPeer],
])('RpcClient with a %s and pure calls', (_, start) => {
  it.each(['hang', 'die'])('fails only a call that makes it %s and runs queued calls in a new peer', async (failureKind) => {
    const client = clientWith({ start, isPure: true });
    const firstEcho = echo(await client.call('echo', 0));
    const calls = [client.call('echo', 1), client.call(failureKind, 2, { limitMs: 100 }), client.call('echo', 3), client.call('echo', 4)];
    expect(await outcomes(calls)).toEqual([1, 'log_unavailable', 3, 4]);
    expect(echo(await client.call('echo', 5)).who).not.toBe(firstEcho.who);
  });
});

describe('RpcClient with a separate peer', () => {
  it('reports the death of a thread that it ended after a timeout', async () => {
    const crashes: string[] = [];
    const onPeerFailure = ({ message }: Error): void => void crashes.push(message);
    const client = clientWith({ limitMs: 50, onPeerFailure });
    await expect(client.call('hang', 1)).rejects.toMatchObject({ code: 'log_unavailable' });
    await clientWith({ limitMs: 50, onPeerFailure, timeoutError: (ms) => new Error(`over ${ms} ms`) })
      .call('hang', 1)
      .catch(() => {});
    expect(crashes).toEqual(['The request log did not respond within 0.05 s.', 'over 50 ms']);
  });

  it('returns results of any size, no result, and errors as they were thrown', async () => {
    const client = clientWith({ start: processPeer, isPure: true });
    const [large, empty, missing, failed] = await Promise.allSettled([
      client.call('large', 3_000_001),
      client.call('large', 0),
      client.call('nothing', undefined),
      client.call('fail', 'luck'),
    ]);
    expect(Buffer.alloc(3_000_001, 'x').equals((large as PromiseFulfilledResult<Buffer>).value)).toBe(true);
    expect(empty).toMatchObject({ value: { length: 0 } });
    expect(missing).toEqual({ status: 'fulfilled', value: undefined });
    expect(failed).toMatchObject({ reason: { code: 'invalid_filter', message: 'no luck', param: 'q', status: 400 } });
  });

  it.skipIf(skipping(process.platform === 'linux' ? undefined : 'the system shows no processes as files'))(
    'sends secrets through the pipe only and passes no environment variables',
    async () => {
      vi.stubEnv('OPENAI_API_KEY', 'canary-variable');
      const { who, data } = echo(await clientWith({ start: processPeer, isPure: true }).call('echo', 1));
      vi.unstubAllEnvs();
      expect(data).toEqual({ secret: 'canary-6b1f' });
      const processInfo = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${who}/${file}`, 'latin1')).join('');
      expect(processInfo).toContain('echo-process');
      expect(processInfo).not.toContain('canary');
    },
  );

  it('waits until the process has ended, even if nothing else keeps the event loop alive', () => {
    const mainScript = `
      import { startProcess } from ${JSON.stringify(new URL('process.ts', import.meta.url))};
      const peer = startProcess({ entry: new URL(${JSON.stringify(entry)}), data: {}, heapMb: 64 }, { onReady() { void end(); }, onExit() {}, onStartFailure() {} });
      peer.keepProcessAlive(true);
      async function end() {
        peer.keepProcessAlive(false);
        await peer.end();
        console.log('ended');
      }`;
    const exited = spawnSync(process.execPath, ['--conditions=llm-gateway-source', '--input-type=module', '-e', mainScript], {
      encoding: 'utf8',
    });
    expect([exited.status, exited.stdout]).toEqual([0, 'ended\n']);
  });

  it.each([
    ['its entry file is missing', pathToFileURL('/nowhere/missing.js'), process.execPath],
    ['the Node binary is missing', entry, '/nowhere/node'],
  ])('replaces a process that cannot be started with a thread and reports it: %s', async (_, missing, path) => {
    const node = process.execPath;
    process.execPath = path;
    const messages: string[] = [];
    const client = clientWith({
      start: (events) => (messages.length > 0 ? threadPeer(events) : startProcess({ entry: missing, data: {}, heapMb: 64 }, events)),
      isPure: true,
      onStartFailure: ({ message }) => messages.push(message),
    });
    try {
      expect(await outcomes([client.call('echo', 1), client.call('echo', 2)])).toEqual([1, 2]);
      expect(messages).toEqual([expect.stringMatching(/code 1|ENOENT/)]);
    } finally {
      process.execPath = node;
    }
  });
});

it('RpcClient starts the timeout of a call when the previous calls are done', async () => {
  const client = clientWith({ isPure: true });
  const first = client.call('hang', 1, { limitMs: 200 });
  // Its timeout is shorter than that of the first call.
  const second = client.call('hang', 2, { limitMs: 1 });
  expect(await Promise.race([first.catch(() => 'first'), second.catch(() => 'second')])).toBe('first');
  expect(await outcomes([first, second])).toEqual(['log_unavailable', 'log_unavailable']);
});

it('RpcClient rejects a pure call that waits too long for the calls before it, and runs the next ones', async () => {
  const client = clientWith({ isPure: true, maxWaitMs: 50, maxPending: 2 });
  const first = client.call('hang', 1, { limitMs: 1000 });
  const waitTooLong = { code: 'log_unavailable', message: expect.stringContaining('earlier queries') as string };
  for (const n of [2, 3]) await expect(client.call('echo', n)).rejects.toMatchObject(waitTooLong);
  expect(await outcomes([first])).toEqual(['log_unavailable']);
  expect(await outcomes([client.call('echo', 4)])).toEqual([4]);
});

it('RpcClient ends an idle peer, and the next call starts another one', async () => {
  const client = clientWith({ isPure: true, idleMs: 1 });
  const firstEcho = echo(await client.call('echo', 1));
  await vi.waitUntil(async () => echo(await client.call('echo', 2)).who !== firstEcho.who, { timeout: 100_000 });
});

it('RpcClient fails all pending calls that are not pure when their thread dies', async () => {
  const client = clientWith({});
  expect(await outcomes([client.call('hang', 1, { limitMs: 100 }), client.call('echo', 2)])).toEqual([
    'log_unavailable',
    'log_unavailable',
  ]);
  expect(await outcomes([client.call('echo', 3)])).toEqual([3]);
});

it('QuestionClock.between() rejects after the time limit, and begin() restarts the limit', async () => {
  let now = 0;
  const clock = new QueryTimeout(100, () => now);
  clock.begin();
  now = 100;
  await clock.check();
  now = 101;
  await expect(clock.check()).rejects.toMatchObject({ code: 'log_unavailable' });
  clock.begin();
  await clock.check();
});

it('RpcClient resolves a call whose reply arrived while this process was stalled', async () => {
  const client = clientWith({ isPure: true });
  await client.call('echo', 0);
  // After it, timers run before messages are read.
  await nextTurn();
  const replied = new Int32Array(new SharedArrayBuffer(8));
  const call = client.call('echo', replied.buffer, { limitMs: 20 });
  do Atomics.wait(replied, 1, 0, 40);
  while (Atomics.load(replied, 0) === 0);
  expect(echo(await call).argument).toEqual({});
});
