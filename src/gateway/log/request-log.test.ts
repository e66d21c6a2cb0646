import { expect, it, vi } from 'vitest';
import { scheduleNow, type Schedule } from '../../core/async/schedule.ts';
import type { RecordStore } from '../../store/frame.ts';
import { RpcClient } from '../../store/log/rpc/client.ts';
import { RequestLog } from './request-log.ts';
import { turns } from '../../../test/support/time.ts';

/** Records the calls to writer and reader in order; the test ends each drain. */
function createRequestLog(writerState?: object, schedule: Schedule = scheduleNow) {
  const calls: string[] = [];
  const drains: (() => void)[] = [];
  const failures: ((why: Error) => void)[] = [];
  const stats = { frames: 0, bytes: 0, dropped: 0, evicted: 0 };
  const client = (call: (name: string) => Promise<unknown>): RpcClient =>
    Object.assign(Object.create(RpcClient.prototype) as RpcClient, { call });
  const spool: RecordStore = { stats, append: () => {}, close: () => {} };
  const log = new RequestLog({
    writer: client((name) => {
      calls.push(name);
      return new Promise((resolve, reject) => {
        drains.push(() => resolve(writerState === undefined ? undefined : { ...writerState }));
        failures.push(reject);
      });
    }),
    reader: client((name) => {
      calls.push(name);
      return writerState === undefined ? Promise.resolve(Buffer.from('[]')) : Promise.reject(new Error('too slow'));
    }),
    spool,
    spoolLimit: 0,
    notes: [],
    later: schedule,
    bounded: (retention) => retention,
  });
  return { log, calls, drains, failures, stats, spool };
}

it('runs a query after all records written before it are stored, sharing a drain between queries', async () => {
  const { log, calls, drains, stats } = createRequestLog();
  stats.frames = 1;
  const first = log.get('one');
  await turns(2);
  stats.frames = 2;
  const laterQueries = [log.get('two'), log.get('three')];
  await turns(2);
  expect(calls).toEqual(['drain']);
  drains[0]?.();
  await first;
  await turns(2);
  expect(calls).toEqual(['drain', 'get', 'drain']);
  drains[1]?.();
  await Promise.all(laterQueries);
  await log.get('four');
  expect(calls).toEqual(['drain', 'get', 'drain', 'get', 'get', 'get']);
});

it('stores records for consecutive queries in one drain, after a pause', async () => {
  const scheduled: (() => void)[] = [];
  const { log, calls, drains, stats } = createRequestLog(undefined, (_delayMs, run) => {
    scheduled.push(run);
    return () => {};
  });
  const first = log.get('one');
  await turns(2);
  drains[0]?.();
  await first;
  stats.frames = 1;
  const laterQueries = [log.get('two')];
  await turns(3);
  stats.frames = 2;
  laterQueries.push(log.get('three'));
  await turns(3);
  expect(calls).toEqual(['drain', 'get']);
  scheduled[0]?.();
  await turns(3);
  drains[1]?.();
  await Promise.all(laterQueries);
  expect(calls).toEqual(['drain', 'get', 'drain', 'get', 'get']);
});

it('indexes words after a text search, even if the search failed', async () => {
  for (const writerState of [undefined, {}]) {
    const { log, calls, drains } = createRequestLog(writerState);
    const [search, status] = [log.search({ query: 'refund', limit: 1 }), log.search({ query: 'status:200', limit: 1 })];
    await turns(2);
    drains[0]?.();
    await Promise.allSettled([search, status]);
    expect(calls).toEqual(['drain', 'search', 'search', 'words']);
  }
});

it('drains a backlog once while queries read what is already stored', async () => {
  const { log, calls, drains, stats } = createRequestLog();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    // Opening the store may take longer than the timeout of a query.
    const firstQueries = [log.get('one'), log.get('two')];
    await vi.advanceTimersByTimeAsync(5000);
    expect(calls).toEqual(['drain']);
    drains[0]?.();
    await Promise.all(firstQueries);
    stats.frames = 1;
    const first = log.get('three');
    await vi.advanceTimersByTimeAsync(1500);
    await first;
    for (const id of ['four', 'five', 'six']) await log.get(id);
    expect(calls.slice(3)).toEqual(['drain', 'get', 'get', 'get', 'get']);
  } finally {
    vi.useRealTimers();
  }
  drains[1]?.();
  await turns(3);
  const lastQuery = log.get('seven');
  await turns(2);
  expect(calls.slice(8)).toEqual(['drain']);
  drains[2]?.();
  await lastQuery;
});

it('adds records dropped before the store to those the store dropped, minus those stored after all', async () => {
  const writerState = { dropped: 3, dropped_bodies: 2, behind: { bytes: 5, ms: 7 }, stored_of_gone: { 'a.log': 1 }, problems: ['full'] };
  const { log, drains, stats, spool } = createRequestLog(writerState);
  stats.dropped = 20;
  spool.reportStored = (stored) => void (stats.dropped -= stored['a.log'] ?? 0);
  const pendingState = log.state();
  drains[0]?.();
  expect(await pendingState).toEqual({ dropped: 22, dropped_bodies: 2, spool: { bytes: 5, limit: 0, behind_ms: 7 }, problems: ['full'] });
});

it('keeps the count of records that a replaced writer dropped', async () => {
  const writerState = { dropped: 0, dropped_bodies: 0, behind: { bytes: 0, ms: 0 }, stored_of_gone: {}, problems: [] };
  const { log, drains } = createRequestLog(writerState);
  const counts: (readonly number[])[] = [];
  for (const [dropped, bodies] of [
    [3, 1],
    [5, 4],
    [0, 0],
    [2, 5],
  ] as const) {
    Object.assign(writerState, { dropped, dropped_bodies: bodies });
    const pendingState = log.state();
    drains.at(-1)?.();
    const state = await pendingState;
    counts.push([state.dropped, state.dropped_bodies]);
  }
  expect(counts).toEqual([
    [3, 1],
    [5, 4],
    [5, 4],
    [7, 9],
  ]);
});

it('reports that the store does not respond, without asking it again in the meantime', async () => {
  const { log, calls, drains } = createRequestLog();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const first = log.state();
    await vi.advanceTimersByTimeAsync(10_000);
    for (const { problems } of [await first, await log.state()]) expect(problems.join()).toContain('does not respond');
    expect(calls).toEqual(['state']);
  } finally {
    vi.useRealTimers();
  }
  for (const end of drains) end();
});

it('returns the last known state after the given time, and reports a problem only if the store takes long', async () => {
  const writerState = { kind: 'sqlite', dropped: 0, dropped_bodies: 0, behind: { bytes: 0, ms: 0 }, stored_of_gone: {}, problems: [] };
  const { log, calls, drains } = createRequestLog(writerState);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const shown: unknown[] = [];
    const show = async (ms: number): Promise<void> => {
      void log.state(300).then(({ kind, problems }) => shown.push([kind, problems.length]));
      await vi.advanceTimersByTimeAsync(ms);
    };
    await show(300);
    drains[0]?.();
    await vi.advanceTimersByTimeAsync(0);
    await show(300);
    await vi.advanceTimersByTimeAsync(5000);
    await show(0);
    drains[1]?.();
    await vi.advanceTimersByTimeAsync(0);
    await show(300);
    expect(shown).toEqual([
      ['not known yet', 0],
      ['sqlite', 0],
      ['sqlite', 1],
      ['sqlite', 0],
    ]);
    expect(calls).toEqual(['state', 'state', 'state']);
  } finally {
    vi.useRealTimers();
  }
});

it('returns the last known state with a problem if the writer fails', async () => {
  const { log, failures } = createRequestLog();
  const pendingState = log.state();
  failures[0]?.(new Error('the thread ended'));
  expect((await pendingState).problems.join()).toContain('does not respond');
});

it('does not delay queries while records cannot be stored', async () => {
  const { log, calls, drains, failures, stats } = createRequestLog();
  stats.frames = 1;
  const first = log.get('one');
  await turns(2);
  failures[0]?.(new Error('the database does not respond'));
  await first;
  // The second drain has not ended.
  const second = log.get('two');
  await turns(3);
  expect(calls).toEqual(['drain', 'get', 'drain', 'get']);
  drains[1]?.();
  await second;
  await turns(3);
  const third = log.get('three');
  await turns(3);
  expect(calls.slice(4)).toEqual(['drain']);
  drains[2]?.();
  await third;
});
