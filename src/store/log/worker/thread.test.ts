import { afterEach, describe, expect, it } from 'vitest';
import { QuestionClock } from './clock.ts';
import { Thread, type ThreadOptions } from './thread.ts';

/** Does one call after the other; `hang` never responds, and `die` ends the thread. */
const text = `import { parentPort, threadId } from 'node:worker_threads';
parentPort.on('message', ({ id, name, argument }) => {
  if (name === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (name === 'die') process.exit(3);
  parentPort.postMessage({ id, value: { argument, threadId } });
});`;
const entry = new URL(`data:text/javascript,${encodeURIComponent(text)}`);
const threads: Thread[] = [];

afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.close();
});

function threadWith(options: Partial<ThreadOptions>): Thread {
  const thread = new Thread({ entry, data: () => ({}), most: 8, limitMs: 60_000, heapMb: 64, ...options });
  threads.push(thread);
  return thread;
}

const outcomes = async (calls: readonly Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.allSettled(calls)).map((one) =>
    one.status === 'fulfilled' ? (one.value as { argument: unknown }).argument : (one.reason as { code: string }).code,
  );

describe('where calls change nothing', () => {
  it.each(['hang', 'die'])('one that makes its thread %s fails alone, and another thread does what waited behind it', async (bad) => {
    const thread = threadWith({ isPure: true });
    const before = (await thread.call('echo', 0)) as { threadId: number };
    const calls = [thread.call('echo', 1), thread.call(bad, 2, { limitMs: 100 }), thread.call('echo', 3), thread.call('echo', 4)];
    expect(await outcomes(calls)).toEqual([1, 'log_unavailable', 3, 4]);
    const after = (await thread.call('echo', 5)) as { threadId: number };
    expect(after.threadId).not.toBe(before.threadId);
  });

  it('the time of a call begins when the ones before it are done', async () => {
    const thread = threadWith({ isPure: true });
    const first = thread.call('hang', 1, { limitMs: 200 });
    // Over long before the first one is.
    const second = thread.call('hang', 2, { limitMs: 1 });
    expect(await Promise.race([first.catch(() => 'first'), second.catch(() => 'second')])).toBe('first');
    expect(await outcomes([first, second])).toEqual(['log_unavailable', 'log_unavailable']);
  });
});

it('calls that change something fail with their thread: nobody knows which of them were done', async () => {
  const thread = threadWith({});
  expect(await outcomes([thread.call('hang', 1, { limitMs: 100 }), thread.call('echo', 2)])).toEqual([
    'log_unavailable',
    'log_unavailable',
  ]);
  expect(await outcomes([thread.call('echo', 3)])).toEqual([3]);
});

it('a question ends when its time is over, and the next one has its own', async () => {
  let now = 0;
  const clock = new QuestionClock(100, () => now);
  clock.begin();
  now = 100;
  await clock.between();
  now = 101;
  await expect(clock.between()).rejects.toMatchObject({ code: 'log_unavailable' });
  clock.begin();
  await clock.between();
});
