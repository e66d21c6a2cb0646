import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withTimeout } from './with-timeout.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const after = (ms: number, end: () => string): Promise<string> => new Promise((resolve) => void setTimeout(resolve, ms)).then(end);
const late = (): string => 'late';
const fails = (): string => {
  throw new Error('it failed');
};

describe('inTime', () => {
  it.each<[string, () => string | Promise<string>, () => string, string]>([
    ['returns a result that arrives in time', () => after(99, () => 'done'), late, 'done'],
    ['accepts a value instead of a promise', () => 'done', late, 'done'],
    ['returns the fallback value if the result arrives too late', () => after(101, () => 'done'), late, 'late'],
    ['rejects with the error of the work if it fails in time', () => after(99, fails), late, 'it failed'],
    ['ignores an error of the work after the timeout', () => after(101, fails), late, 'late'],
    ['rejects with the error of the fallback if the result arrives too late', () => after(101, () => 'done'), fails, 'it failed'],
  ])('%s', async (_, work, end, outcome) => {
    const found = withTimeout(work(), 100, end).catch((error: unknown) => (error as Error).message);
    await vi.runAllTimersAsync();
    expect(await found).toBe(outcome);
  });

  it('leaves no timer after an immediate result', async () => {
    await withTimeout('done', 100, late);
    expect(vi.getTimerCount()).toBe(0);
  });
});
