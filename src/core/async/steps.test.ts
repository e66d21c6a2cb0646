import { describe, expect, it } from 'vitest';
import { runSteps, runInSlices, type Steps } from './steps.ts';

function* count(limit: number, produced: number[]): Steps<string> {
  for (let i = 0; i < limit; i += 1) {
    produced.push(i);
    yield;
  }
  return 'done';
}

describe('Steps', () => {
  it('complete() runs all steps at once', () => {
    const produced: number[] = [];
    expect(runSteps(count(3, produced))).toBe('done');
    expect(produced).toEqual([0, 1, 2]);
  });

  it('runInSlices() yields to the event loop after each time slice', async () => {
    const produced: number[] = [];
    const counts: number[] = [];
    let now = 0;
    let working = true;
    const countTurn = (): void => {
      counts.push(produced.length);
      if (working) setImmediate(countTurn);
    };
    setImmediate(countTurn);
    // Each call of the clock adds a millisecond: a slice has four steps.
    expect(await runInSlices(count(40, produced), () => (now += 1))).toBe('done');
    working = false;
    expect(produced).toHaveLength(40);
    expect(counts.length).toBeGreaterThanOrEqual(8);
    expect(Math.max(...counts.map((count, i) => count - (counts[i - 1] ?? 0)))).toBeLessThanOrEqual(5);
  });
});
