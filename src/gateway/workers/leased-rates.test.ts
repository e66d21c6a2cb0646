import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { GatewayError } from '../../core/error.ts';
import { parseWindowLimit, type WindowLimit } from '../../core/limits/caller-limits.ts';
import { Rates, type RateGrant } from '../../core/limits/rates.ts';
import { LeasedRates } from './child/leased-rates.ts';

const noon = Date.parse('2026-11-21T12:00:00Z');

function rate(text: string): WindowLimit {
  const limit = parseWindowLimit(text);
  if (limit === undefined) throw new Error(`${text} is not a rate`);
  return limit;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Workers and their supervisor, to which each question needs a turn of the event loop. */
function createWorkers(count: number) {
  const parts = { questions: 0, now: noon };
  const now = (): number => parts.now;
  const rates = new Rates(now);
  const workers = Array.from({ length: count }, () => {
    const worker = new LeasedRates(async ({ caller, rate: limit, count: most, unused }): Promise<RateGrant> => {
      parts.questions += 1;
      await turn();
      const grant = rates.grant(caller, limit, most, unused);
      await turn();
      return grant;
    }, now);
    worker.workers = count;
    return worker;
  });
  return { workers, parts };
}

/** Sends this many requests at once, to the workers in turn. Returns how many were accepted. */
async function burst(workers: readonly LeasedRates[], limit: WindowLimit, requests: number): Promise<number> {
  const take = async (worker: LeasedRates | undefined) => await worker?.take('app', limit);
  const waits = await Promise.all(Array.from({ length: requests }, (_, n) => take(workers[n % workers.length])));
  expect(waits.every((wait) => wait === 0 || (wait !== undefined && wait > 0))).toBe(true);
  return waits.filter((wait) => wait === 0).length;
}

describe('LeasedRates', () => {
  it.each([
    [1, '1/s', 10, 1],
    [2, '100/h', 300, 100],
    [3, '7/min', 300, 7],
    [4, '100/min', 50, 50],
  ])('with %i workers, %s accepts of %i requests at once %i', async (count, text, requests, accepted) => {
    const { workers } = createWorkers(count);
    expect(await burst(workers, rate(text), requests)).toBe(accepted);
  });

  it.each(['1k/min', '10k/min', '1M/min'])('%s is never exceeded, and used but for a hundredth', async (text) => {
    const { workers } = createWorkers(4);
    const limit = rate(text);
    const requests = Math.min(limit.max * 2, 30_000);
    const accepted = await burst(workers, limit, requests);
    expect(accepted).toBeLessThanOrEqual(limit.max);
    expect(accepted).toBeGreaterThanOrEqual(Math.min(requests, limit.max * 0.99));
  });

  it('asks rarely under a high rate', async () => {
    const { workers, parts } = createWorkers(2);
    for (let i = 0; i < 1000; i += 1) await workers[0]?.take('app', rate('40k/min'));
    expect(parts.questions).toBe(5);
  });

  it('is synchronous within a lease', async () => {
    const { workers } = createWorkers(1);
    expect(workers[0]?.take('app', rate('1k/min'))).toBeInstanceOf(Promise);
    await turn();
    await turn();
    await turn();
    expect(workers[0]?.take('app', rate('1k/min'))).toBe(0);
  });

  it('does not use a lease long after it was counted', async () => {
    const { workers, parts } = createWorkers(1);
    const limit = rate('1k/min');
    await workers[0]?.take('app', limit);
    parts.now = noon + 600;
    await workers[0]?.take('app', limit);
    expect(parts.questions).toBe(2);
  });

  it.each(['10k/day', '10k/min'])('gives back what it does not use of %s', async (text) => {
    const { workers, parts } = createWorkers(8);
    const limit = rate(text);
    const slow = 300;
    for (let i = 0; i < slow; i += 1) {
      parts.now = noon + (i * limit.windowMs) / (2 * slow);
      expect(await workers[i % 8]?.take('app', limit)).toBe(0);
    }
    const accepted = slow + (await burst(workers, limit, limit.max));
    expect(accepted).toBeLessThanOrEqual(limit.max);
    expect(accepted).toBeGreaterThanOrEqual(limit.max * 0.99);
  });

  it('lets requests that waited use the grant they waited for, however long it took', async () => {
    const late = Promise.withResolvers<RateGrant>();
    const parts = { now: noon, questions: 0 };
    const worker = new LeasedRates(
      () => {
        parts.questions += 1;
        return late.promise;
      },
      () => parts.now,
    );
    const taken = [noon, noon + 500].map((at) => {
      parts.now = at;
      return worker.take('app', rate('10/s'));
    });
    parts.now = noon + 900;
    late.resolve({ count: 2, at: noon, waitMs: 0 });
    expect([await taken[0], await taken[1], parts.questions]).toEqual([0, 0, 1]);
  });

  it('rejects with overloaded if the supervisor does not answer', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const worker = new LeasedRates(
      () => new Promise(() => {}),
      () => noon,
    );
    const taken = Promise.resolve(worker.take('app', rate('1/s'))).catch((error: GatewayError) => error.code);
    await vi.advanceTimersByTimeAsync(6000);
    expect(await taken).toBe('overloaded');
  });
});
