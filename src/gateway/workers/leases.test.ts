import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { GatewayError } from '../../core/error.ts';
import { InFlightByKey, type KeyInFlight, type InFlightLimiter } from '../../pipeline/in-flight.ts';
import { LeasedShares } from './child/leased-shares.ts';
import { KeyLeases } from './leases.ts';

const app = { name: 'app', owner: 'key:app' };

/** Workers that lend from each other; each call takes one turn of the event loop. @param answer of a worker that gives back */
function made(count: number, answer = (): Promise<unknown> => Promise.resolve()): LeasedShares[] {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const workers: LeasedShares[] = [];
  const leases = new KeyLeases<number>(count, async (worker, name) => {
    await turn();
    workers[worker]?.returnUnused(name);
    await answer();
  });
  for (let n = 0; n < count; n += 1)
    workers.push(
      new LeasedShares({
        ask: async (name, limit) => {
          await turn();
          return await leases.lease(n, name, limit);
        },
        giveBack: (name, spare) => leases.returned(n, name, spare),
      }),
    );
  return workers;
}

async function tryTake(worker: LeasedShares | undefined, limit: number): Promise<KeyInFlight | undefined> {
  try {
    return await worker?.take(app, limit);
  } catch (error) {
    expect((error as GatewayError).code).toBe('rate_limited');
    return undefined;
  }
}

describe('LeasedShares', () => {
  it('rejects with overloaded if no lease arrives in time, and uses the late lease for the next request', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const answer = Promise.withResolvers<number>();
    const worker = new LeasedShares({ ask: () => answer.promise, giveBack: () => {} });
    const taken = Promise.resolve(worker.take(app, 2)).catch((error: unknown) => (error as GatewayError).code);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await taken).toBe('overloaded');
    answer.resolve(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(await worker.take(app, 2)).toMatchObject({ count: 1, granted: 1 });
  });

  it.each([1, 2, 3, 7, 100])('allows exactly %i requests in flight, in any distribution over the workers', async (limit) => {
    const workers = made(3);
    // All at one worker, then at the next: shares that a worker no longer uses move on.
    for (const worker of workers) {
      const taken = await Promise.all(Array.from({ length: limit + 5 }, () => tryTake(worker, limit)));
      const held = taken.filter((share) => share !== undefined);
      expect(held.length).toBe(limit);
      for (const other of workers) expect(await tryTake(other, limit)).toBeUndefined();
      for (const share of held) share.count -= 1;
    }
    const mixed = await Promise.all(Array.from({ length: 2 * limit + 6 }, (_, n) => tryTake(workers[n % 3], limit)));
    expect(mixed.filter((share) => share !== undefined).length).toBe(limit);
  });

  it('does not lose a share if the reply that returns it fails', async () => {
    const [one, other] = made(2, () => Promise.reject(new Error('the process did not respond in time')));
    ((await tryTake(one, 1)) as KeyInFlight).count -= 1;
    expect((await tryTake(other, 1)) ?? (await tryTake(other, 1))).toMatchObject({ count: 1 });
  });

  it('enforces a lowered limit on shares lent under the old limit', async () => {
    const workers = made(2);
    const before = await Promise.all(Array.from({ length: 20 }, (_, n) => tryTake(workers[n % 2], 20)));
    for (const share of before) if (share !== undefined) share.count -= 1;
    const taken = await Promise.all(Array.from({ length: 20 }, (_, n) => tryTake(workers[n % 2], 4)));
    expect(taken.filter((share) => share !== undefined).length).toBe(4);
  });

  it('enforces a lowered limit when earlier requests end later', async () => {
    const workers = made(2);
    const before = await Promise.all(Array.from({ length: 20 }, (_, n) => tryTake(workers[n % 2], 20)));
    for (const worker of workers) expect(await tryTake(worker, 4)).toBeUndefined();
    for (const share of before) if (share !== undefined) share.count -= 1;
    const taken = await Promise.all(Array.from({ length: 20 }, (_, n) => tryTake(workers[n % 2], 4)));
    const [held, ...others] = taken.filter((share) => share !== undefined);
    expect(others.length).toBe(3);
    // Shares lent under the new limit stay with the worker.
    if (held !== undefined) held.count -= 1;
    expect(workers[taken.indexOf(held) % 2]?.take(app, 4)).toBe(held);
  });

  it('takes shares already lent to the worker without asking for more', async () => {
    const [worker] = made(2);
    const first = await worker?.take(app, 100);
    expect(worker?.take(app, 100)).toBe(first);
  });

  it('frees the shares of a worker that died', async () => {
    const leases = new KeyLeases<number>(2, () => Promise.reject(new Error('it has died')));
    expect(await leases.lease(1, 'app', 1)).toBe(1);
    expect(await leases.lease(2, 'app', 1)).toBe(0);
    leases.forget(1);
    expect(await leases.lease(2, 'app', 1)).toBe(1);
  });
});

it.each<[string, () => InFlightLimiter | undefined]>([
  ['a single process', () => new InFlightByKey()],
  ['several processes', () => made(2)[0]],
])('limits callers of the same name but different owners separately in %s', async (_where, make) => {
  const shares = make();
  // Callers of two issuers, or of two names that are truncated to the same text.
  const other = { name: 'app', owner: 'jwt:other' };
  expect(await shares?.take(app, 1)).toMatchObject({ count: 1 });
  expect(await shares?.take(other, 1)).toMatchObject({ count: 1 });
  await expect(async () => shares?.take(other, 1)).rejects.toThrow('Key "app" has 1 request in flight, its limit.');
});
