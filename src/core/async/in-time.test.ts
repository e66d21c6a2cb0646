import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { inTime } from './in-time.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const after = (ms: number, end: () => string): Promise<string> => new Promise((resolve) => void setTimeout(resolve, ms)).then(end);
const late = (): string => 'late';
const fails = (): string => {
  throw new Error('it failed');
};

describe('a result within a time', () => {
  it.each<[string, () => string | Promise<string>, () => string, string]>([
    ['is the result', () => after(99, () => 'done'), late, 'done'],
    ['may be there already', () => 'done', late, 'done'],
    ['is what the caller says if it comes later', () => after(101, () => 'done'), late, 'late'],
    ['is the error of the work', () => after(99, fails), late, 'it failed'],
    ['is not the error of the work that comes later', () => after(101, fails), late, 'late'],
    ['is the error of the caller if it comes later', () => after(101, () => 'done'), fails, 'it failed'],
  ])('%s', async (_, work, end, outcome) => {
    const found = inTime(work(), 100, end).catch((error: unknown) => (error as Error).message);
    await vi.runAllTimersAsync();
    expect(await found).toBe(outcome);
  });

  it('leaves no timer', async () => {
    await inTime('done', 100, late);
    expect(vi.getTimerCount()).toBe(0);
  });
});
