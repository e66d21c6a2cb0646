import { describe, expect, it, vi } from 'vitest';
import { ExportQueue, type ExportQueueLimits, type ExportResult } from './export-queue.ts';
import type { SendResult } from './sender.ts';

const collector = { url: 'http://collector', headers: {} };
const accepted: SendResult = { kind: 'accepted', rejected: 0, why: undefined };
const retryResult: SendResult = { kind: 'retry', afterMs: undefined, why: 'status 503' };

function createQueue(sendResults: readonly SendResult[], limits: Partial<ExportQueueLimits> = {}) {
  const sent: string[] = [];
  const results: [number, ExportResult][] = [];
  const retries: string[] = [];
  const remaining = [...sendResults];
  const pipe = new ExportQueue({
    collector,
    payload: (items) => items.join(','),
    send: (_to, text) => {
      sent.push(text);
      return Promise.resolve(remaining.shift() ?? accepted);
    },
    onResult: (items, result) => results.push([items, result]),
    onRetry: (why) => retries.push(why),
    limits: { linger: 5, firstRetry: 1, longestRetry: 2, ...limits },
  });
  return { pipe, sent, results, retries };
}

describe('ExportQueue', () => {
  it('sends items added together in one export', async () => {
    const { pipe, sent, results } = createQueue([]);
    pipe.add(['a', 'b']);
    pipe.add(['c']);
    await pipe.flush(1000);
    expect({ sent, results }).toEqual({ sent: ['a,b,c'], results: [[3, 'exported']] });
  });

  it('sends without a flush', async () => {
    const { pipe, sent } = createQueue([]);
    pipe.add(['a']);
    await expect.poll(() => sent).toEqual(['a']);
  });

  it('reports the first retry of each batch', async () => {
    const { pipe, sent, retries } = createQueue([retryResult, retryResult, retryResult]);
    pipe.add(Array.from({ length: 513 }, () => 'x'));
    await expect.poll(() => sent).toHaveLength(5);
    expect(retries).toEqual(['status 503']);
  });

  it('sends at most 512 items per export', async () => {
    const { pipe, sent, results } = createQueue([]);
    pipe.add(Array.from({ length: 1200 }, () => 'x'));
    await pipe.flush(1000);
    expect(sent.map((text) => text.split(',').length)).toEqual([512, 512, 176]);
    expect(results.every(([, result]) => result === 'exported')).toBe(true);
  });

  it.each<[string, readonly SendResult[], number, readonly [number, ExportResult][]]>([
    ['again if the collector is busy', [retryResult, { kind: 'retry', afterMs: 0, why: '' }], 3, [[2, 'exported']]],
    ['again after a Retry-After longer than its patience', [{ kind: 'retry', afterMs: 400, why: '' }], 2, [[2, 'exported']]],
    ['once if the collector rejects the items', [{ kind: 'refused', isTooLarge: false, why: 'status 400' }], 1, [[2, 'rejected']]],
    [
      'once if the collector rejects a small export as too large',
      [{ kind: 'refused', isTooLarge: true, why: 'status 413' }],
      1,
      [[2, 'rejected']],
    ],
    ['once if the collector reports too many rejected items', [{ kind: 'accepted', rejected: 9, why: 'odd' }], 1, [[2, 'rejected']]],
    [
      'once if the collector rejects some items',
      [{ kind: 'accepted', rejected: 1, why: 'odd' }],
      1,
      [
        [1, 'rejected'],
        [1, 'exported'],
      ],
    ],
  ])('sends %s, and counts the results', async (_, sendResults, sendCount, expected) => {
    const { pipe, sent, results } = createQueue(sendResults, { patience: 300 });
    pipe.add(['a', 'b']);
    await expect.poll(() => results).toEqual(expected);
    expect(sent).toHaveLength(sendCount);
  });

  it('splits an export that is too large for the collector, and rejects an item that is too large alone', async () => {
    const results: [number, ExportResult][] = [];
    const pipe = new ExportQueue({
      collector,
      payload: (items) => items.join(','),
      send: (_to, text) => Promise.resolve(text.length > 100_000 ? { kind: 'refused', isTooLarge: true, why: 'status 413' } : accepted),
      onRetry: () => undefined,
      onResult: (items, result) => results.push([items, result]),
    });
    pipe.add([...Array.from({ length: 5 }, () => 'x'.repeat(30_000)), 'y'.repeat(200_000)]);
    await pipe.flush(10_000);
    expect(results).toEqual([
      [3, 'exported'],
      [2, 'exported'],
      [1, 'rejected'],
    ]);
  });

  it('waits for Retry-After of the collector, even after it dropped the export', async () => {
    const { pipe, sent, results } = createQueue([{ kind: 'retry', afterMs: 250_000, why: 'busy' }], { patience: -1 });
    pipe.add(Array.from({ length: 600 }, () => 'x'));
    await expect.poll(() => results).toEqual([[512, 'failed']]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toHaveLength(1);
    await pipe.flush(1000);
    expect(results).toEqual([
      [512, 'failed'],
      [88, 'exported'],
    ]);
  });

  it('starts to measure its patience when it may send', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const retryLater: SendResult = { kind: 'retry', afterMs: 400_000, why: 'busy' };
      const { pipe, sent, results } = createQueue([retryLater, retryLater, retryResult], { patience: 300_000 });
      pipe.add(Array.from({ length: 600 }, () => 'x'));
      await vi.advanceTimersByTimeAsync(900_000);
      expect(results).toEqual([
        [512, 'failed'],
        [88, 'exported'],
      ]);
      expect(sent).toHaveLength(4);
    } finally {
      vi.useRealTimers();
    }
  });

  it('fails an export after its patience', async () => {
    const { pipe, results } = createQueue(
      Array.from({ length: 1000 }, () => retryResult),
      { patience: 10 },
    );
    pipe.add(['a']);
    await expect.poll(() => results).toEqual([[1, 'failed']]);
    pipe.add(['b']);
    await expect
      .poll(() => results)
      .toEqual([
        [1, 'failed'],
        [1, 'failed'],
      ]);
  });

  it.each([0, 1])('pauses between retries, even if the collector asks for %i ms', async (afterMs) => {
    const { pipe, sent, results } = createQueue(
      Array.from({ length: 1000 }, () => ({ kind: 'retry', afterMs, why: 'busy' })),
      { firstRetry: 40, patience: 60 },
    );
    pipe.add(['a']);
    await expect.poll(() => results).toEqual([[1, 'failed']]);
    expect(sent.length).toBeLessThanOrEqual(3);
  });

  it('drops items beyond its limit, and accepts items again once there is space', async () => {
    const { pipe, sent, results } = createQueue([], { waiting: 10 });
    pipe.add(['12345', '67890', 'x']);
    expect(results).toEqual([[1, 'dropped']]);
    await expect.poll(() => sent).toEqual(['12345,67890']);
    pipe.add(['y']);
    await pipe.flush(1000);
    expect(sent).toEqual(['12345,67890', 'y']);
  });

  it('ends a pause on flush() and counts the items sent then', async () => {
    const { pipe, sent, results } = createQueue([{ kind: 'retry', afterMs: 250_000, why: 'busy' }]);
    pipe.add(['a']);
    await expect.poll(() => sent).toHaveLength(1);
    await pipe.flush(1000);
    expect({ sent, results }).toEqual({ sent: ['a', 'a'], results: [[1, 'exported']] });
  });

  it('fails items on flush() if the collector does not respond, and counts them once', async () => {
    const results: [number, ExportResult][] = [];
    const pendingSend = Promise.withResolvers<SendResult>();
    const pipe = new ExportQueue({
      collector,
      payload: (items) => items.join(','),
      send: () => pendingSend.promise,
      onRetry: () => undefined,
      onResult: (items, result) => results.push([items, result]),
      limits: { linger: 1 },
    });
    pipe.add(Array.from({ length: 600 }, () => 'x'));
    await pipe.flush(10);
    pendingSend.resolve(accepted);
    await new Promise((resolve) => setImmediate(resolve));
    expect(results).toEqual([[600, 'failed']]);
  });
});
