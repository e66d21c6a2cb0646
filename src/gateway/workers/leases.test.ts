import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { GatewayError } from '../../core/error.ts';
import { InFlightByKey, type KeyInFlight, type Shares } from '../../pipeline/in-flight.ts';
import { LeasedShares } from './child/leased-shares.ts';
import { KeyLeases } from './leases.ts';

const app = { name: 'app', owner: 'key:app' };

/** Workers that lend from each other, each call a turn of the event loop away. @param answer of a worker that gives back */
function made(count: number, answer = (): Promise<unknown> => Promise.resolve()): LeasedShares[] {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const workers: LeasedShares[] = [];
  const leases = new KeyLeases<number>(count, async (worker, name) => {
    await turn();
    workers[worker]?.spare(name);
    await answer();
  });
  for (let n = 0; n < count; n += 1)
    workers.push(
      new LeasedShares({
        ask: async (name, limit) => {
          await turn();
          return await leases.ask(n, name, limit);
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

describe('what a key has in flight in several processes', () => {
  it('is not waited for without end, and what comes late is still there', async () => {
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

  it.each([1, 2, 3, 7, 100])('is %i at most, and as many as that, wherever they are', async (limit) => {
    const workers = made(3);
    // All at one worker, then at the next: what the one does not use any more moves.
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

  it('is not lost with an answer that comes too late', async () => {
    const [one, other] = made(2, () => Promise.reject(new Error('the process did not respond in time')));
    ((await tryTake(one, 1)) as KeyInFlight).count -= 1;
    expect((await tryTake(other, 1)) ?? (await tryTake(other, 1))).toMatchObject({ count: 1 });
  });

  it('is the new limit at most when that is lower, wherever the old one was lent', async () => {
    const workers = made(2);
    const before = await Promise.all(Array.from({ length: 20 }, (_, n) => tryTake(workers[n % 2], 20)));
    for (const share of before) if (share !== undefined) share.count -= 1;
    const taken = await Promise.all(Array.from({ length: 20 }, (_, n) => tryTake(workers[n % 2], 4)));
    expect(taken.filter((share) => share !== undefined).length).toBe(4);
  });

  it('is the new limit at most also when requests from before end later', async () => {
    const workers = made(2);
    const before = await Promise.all(Array.from({ length: 20 }, (_, n) => tryTake(workers[n % 2], 20)));
    for (const worker of workers) expect(await tryTake(worker, 4)).toBeUndefined();
    for (const share of before) if (share !== undefined) share.count -= 1;
    const taken = await Promise.all(Array.from({ length: 20 }, (_, n) => tryTake(workers[n % 2], 4)));
    const [held, ...others] = taken.filter((share) => share !== undefined);
    expect(others.length).toBe(3);
    // What is lent under the new limit stays.
    if (held !== undefined) held.count -= 1;
    expect(workers[taken.indexOf(held) % 2]?.take(app, 4)).toBe(held);
  });

  it('asks nobody within what was lent', async () => {
    const [worker] = made(2);
    const first = await worker?.take(app, 100);
    expect(worker?.take(app, 100)).toBe(first);
  });

  it('is free again when its worker has died', async () => {
    const leases = new KeyLeases<number>(2, () => Promise.reject(new Error('it has died')));
    expect(await leases.ask(1, 'app', 1)).toBe(1);
    expect(await leases.ask(2, 'app', 1)).toBe(0);
    leases.forget(1);
    expect(await leases.ask(2, 'app', 1)).toBe(1);
  });
});

it.each<[string, () => Shares | undefined]>([
  ['one process', () => new InFlightByKey()],
  ['several', () => made(2)[0]],
])('tells callers of one name apart in %s', async (_where, make) => {
  const shares = make();
  // Of two issuers, or of two names that are cut to the same.
  const other = { name: 'app', owner: 'jwt:other' };
  expect(await shares?.take(app, 1)).toMatchObject({ count: 1 });
  expect(await shares?.take(other, 1)).toMatchObject({ count: 1 });
  await expect(async () => shares?.take(other, 1)).rejects.toThrow('Key "app" has 1 requests in flight, its limit.');
});
