import { describe, expect, it } from 'vitest';
import { runSteps, runInSlices, type Steps } from './steps.ts';

function* count(to: number, made: number[]): Steps<string> {
  for (let i = 0; i < to; i += 1) {
    made.push(i);
    yield;
  }
  return 'done';
}

describe('Steps', () => {
  it('complete() runs all steps at once', () => {
    const made: number[] = [];
    expect(runSteps(count(3, made))).toBe('done');
    expect(made).toEqual([0, 1, 2]);
  });

  it('inSlices() yields to the event loop after each time slice', async () => {
    const made: number[] = [];
    const turns: number[] = [];
    let now = 0;
    let working = true;
    const look = (): void => {
      turns.push(made.length);
      if (working) setImmediate(look);
    };
    setImmediate(look);
    // Each call of the clock adds a millisecond: a slice has four steps.
    expect(await runInSlices(count(40, made), () => (now += 1))).toBe('done');
    working = false;
    expect(made).toHaveLength(40);
    expect(turns.length).toBeGreaterThanOrEqual(8);
    expect(Math.max(...turns.map((at, i) => at - (turns[i - 1] ?? 0)))).toBeLessThanOrEqual(5);
  });
});
