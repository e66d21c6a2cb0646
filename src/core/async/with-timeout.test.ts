import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withTimeout } from './with-timeout.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const delayed = (ms: number, end: () => string): Promise<string> => new Promise((resolve) => void setTimeout(resolve, ms)).then(end);
const lateResult = (): string => 'late';
const fails = (): string => {
  throw new Error('it failed');
};

describe('withTimeout', () => {
  it.each<[string, () => string | Promise<string>, () => string, string]>([
    ['returns a result that arrives in time', () => delayed(99, () => 'done'), lateResult, 'done'],
    ['accepts a value instead of a promise', () => 'done', lateResult, 'done'],
    ['returns the fallback value if the result arrives too late', () => delayed(102, () => 'done'), lateResult, 'late'],
    ['rejects with the error of the work if it fails in time', () => delayed(99, fails), lateResult, 'it failed'],
    ['ignores an error of the work after the timeout', () => delayed(102, fails), lateResult, 'late'],
    ['rejects with the error of the fallback if the result arrives too late', () => delayed(102, () => 'done'), fails, 'it failed'],
  ])('%s', async (_, start, end, outcome) => {
    const result = withTimeout(start(), 100, end).catch((error: unknown) => (error as Error).message);
    await vi.runAllTimersAsync();
    expect(await result).toBe(outcome);
  });

  it('leaves no timer after an immediate result', async () => {
    await withTimeout('done', 100, lateResult);
    expect(vi.getTimerCount()).toBe(0);
  });
});

const echoWorker = `const { parentPort, workerData: replied } = require('node:worker_threads');
parentPort.on('message', (value) => {
  parentPort.postMessage(value);
  Atomics.add(replied, 0, 1);
});`;

it('withTimeout does not call the fallback after a result that was only read when the time was over', async () => {
  const onTimeout = vi.fn<() => string>(lateResult);
  // The result is read in the same turn as the timer, and before it: so is one that arrived during a stall.
  const work = new Promise<string>((resolve) => setTimeout(() => setImmediate(resolve, 'done'), 100));
  const result = withTimeout(work, 100, onTimeout);
  await vi.runAllTimersAsync();
  expect([await result, onTimeout.mock.calls.length]).toEqual(['done', 0]);
});

it('withTimeout returns a result that arrived while this process was stalled', async () => {
  vi.useRealTimers();
  const replied = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(echoWorker, { eval: true, workerData: replied });
  const reply = async (value: string): Promise<string> => {
    worker.postMessage(value);
    const [received] = (await once(worker, 'message')) as [string];
    return received;
  };
  await reply('started');
  // After it, timers run before messages are read.
  await nextTurn();
  const result = withTimeout(reply('done'), 20, lateResult);
  do Atomics.wait(replied, 1, 0, 40);
  while (Atomics.load(replied, 0) < 2);
  expect(await result).toBe('done');
  await worker.terminate();
});
