import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { GatewayError } from '../../core/error.ts';
import { InFlightByKey, type KeyInFlight, type InFlightLimiter } from '../../pipeline/in-flight.ts';
import { LeasedShares } from './child/leased-shares.ts';
import { KeyLeases } from './leases.ts';

const caller = { name: 'app', owner: 'key:app' };

/** Workers that lend from each other; each call takes one turn of the event loop. @param respond of a worker that gives back */
function createWorkers(count: number, respond = (): Promise<unknown> => Promise.resolve()): LeasedShares[] {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const workers: LeasedShares[] = [];
  const leases = new KeyLeases<number>(count, async (worker, name) => {
    await turn();
    workers[worker]?.returnUnused(name);
    await respond();
  });
  for (let n = 0; n < count; n += 1)
    workers.push(
      new LeasedShares({
        ask: async (name, limit) => {
          await turn();
          return await leases.lease(n, name, limit);
        },
        giveBack: (name, returnedCount) => leases.returned(n, name, returnedCount),
      }),
    );
  return workers;
}

async function tryTake(worker: LeasedShares | undefined, limit: number): Promise<KeyInFlight | undefined> {
  try {
    return await worker?.take(caller, limit);
  } catch (error) {
    expect((error as GatewayError).code).toBe('rate_limited');
    return undefined;
  }
}

describe('LeasedShares', () => {
  it('rejects with overloaded if no lease arrives in time, and uses the late lease for the next request', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const response = Promise.withResolvers<number>();
    const worker = new LeasedShares({ ask: () => response.promise, giveBack: () => {} });
    const pendingTake = Promise.resolve(worker.take(caller, 2)).catch((error: unknown) => (error as GatewayError).code);
    await vi.advanceTimersByTimeAsync(5001);
    expect(await pendingTake).toBe('overloaded');
    response.resolve(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(await worker.take(caller, 2)).toMatchObject({ count: 1, granted: 1 });
  });

  it.each([1, 2, 3, 7, 100])('allows exactly %i requests in flight, in any distribution over the workers', async (limit) => {
    const workers = createWorkers(3);
    // All at one worker, then at the next: shares that a worker no longer uses move on.
    for (const worker of workers) {
      const takenShares = await Promise.all(Array.from({ length: limit + 5 }, () => tryTake(worker, limit)));
      const heldShares = takenShares.filter((share) => share !== undefined);
      expect(heldShares.length).toBe(limit);
      for (const worker of workers) expect(await tryTake(worker, limit)).toBeUndefined();
      for (const share of heldShares) share.count -= 1;
    }
    const takenByAll = await Promise.all(Array.from({ length: 2 * limit + 6 }, (_, n) => tryTake(workers[n % 3], limit)));
    expect(takenByAll.filter((share) => share !== undefined).length).toBe(limit);
  });

  it('does not lose a share if the reply that returns it fails', async () => {
    const [first, second] = createWorkers(2, () => Promise.reject(new Error('the process did not respond in time')));
    ((await tryTake(first, 1)) as KeyInFlight).count -= 1;
    expect((await tryTake(second, 1)) ?? (await tryTake(second, 1))).toMatchObject({ count: 1 });
  });

  it('enforces a lowered limit on shares lent under the old limit', async () => {
    const workers = createWorkers(2);
    const takenBefore = await Promise.all(Array.from({ length: 20 }, (_, n) => tryTake(workers[n % 2], 20)));
    for (const share of takenBefore) if (share !== undefined) share.count -= 1;
    const takenShares = await Promise.all(Array.from({ length: 20 }, (_, n) => tryTake(workers[n % 2], 4)));
    expect(takenShares.filter((share) => share !== undefined).length).toBe(4);
  });

  it('enforces a lowered limit when earlier requests end later', async () => {
    const workers = createWorkers(2);
    const takenBefore = await Promise.all(Array.from({ length: 20 }, (_, n) => tryTake(workers[n % 2], 20)));
    for (const worker of workers) expect(await tryTake(worker, 4)).toBeUndefined();
    for (const share of takenBefore) if (share !== undefined) share.count -= 1;
    const takenShares = await Promise.all(Array.from({ length: 20 }, (_, n) => tryTake(workers[n % 2], 4)));
    const [firstShare, ...otherShares] = takenShares.filter((share) => share !== undefined);
    expect(otherShares.length).toBe(3);
    // Shares lent under the new limit stay with the worker.
    if (firstShare !== undefined) firstShare.count -= 1;
    expect(workers[takenShares.indexOf(firstShare) % 2]?.take(caller, 4)).toBe(firstShare);
  });

  it('takes shares already lent to the worker without asking for more', async () => {
    const [worker] = createWorkers(2);
    const first = await worker?.take(caller, 100);
    expect(worker?.take(caller, 100)).toBe(first);
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
  ['several processes', () => createWorkers(2)[0]],
])('limits callers of the same name but different owners separately in %s', async (_name, createShares) => {
  const shares = createShares();
  // Callers of two issuers, or of two names that are truncated to the same text.
  const otherCaller = { name: 'app', owner: 'jwt:other' };
  expect(await shares?.take(caller, 1)).toMatchObject({ count: 1 });
  expect(await shares?.take(otherCaller, 1)).toMatchObject({ count: 1 });
  await expect(async () => shares?.take(otherCaller, 1)).rejects.toThrow('Key "app" has 1 request in flight, its limit.');
});
