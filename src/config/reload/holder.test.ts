import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { closeLimitMs, createHolder } from './holder.ts';

const createRecordingHolder = () => {
  const disposed: string[] = [];
  return { disposed, holder: createHolder<string>('one', (value) => void disposed.push(value)) };
};

describe('snapshot holder', () => {
  it('returns the new value to new leases and keeps the old value for old leases', () => {
    const { holder, disposed } = createRecordingHolder();
    const oldLease = holder.acquire();
    holder.swap('two');
    expect([oldLease.value, holder.acquire().value, holder.current()]).toEqual(['one', 'two', 'two']);
    expect(disposed).toEqual([]);
  });

  it('disposes of a replaced value once, after its last lease', async () => {
    const { holder, disposed } = createRecordingHolder();
    const [a, b] = [holder.acquire(), holder.acquire()];
    holder.swap('two');
    holder.swap('three');
    expect(disposed).toEqual(['two']);
    a.release();
    a.release();
    expect(disposed).toEqual(['two']);
    b.release();
    await holder.whenIdle();
    expect(disposed).toEqual(['two', 'one']);
  });

  it('does not dispose of the current value', () => {
    const { holder, disposed } = createRecordingHolder();
    holder.acquire().release();
    expect(disposed).toEqual([]);
  });

  it('waits in close() for the last lease', async () => {
    const { holder, disposed } = createRecordingHolder();
    const lease = holder.acquire();
    const closed = holder.close();
    expect(() => holder.acquire()).toThrow('after close');
    expect(() => holder.swap('two')).toThrow('after close');
    lease.release();
    await closed;
    await holder.close();
    expect(disposed).toEqual(['one']);
  });

  it('ends close() without a lease that is never released, and reports it', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const faults: unknown[] = [];
    const holder = createHolder(
      'one',
      () => {},
      (fault) => faults.push(fault),
    );
    holder.acquire();
    const closed = holder.close();
    await vi.advanceTimersByTimeAsync(closeLimitMs - 1);
    expect(faults).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    await closed;
    expect(faults).toEqual([expect.objectContaining({ message: 'a request or a plugin still uses a configuration' })]);
  });

  it('waits in whenIdle() for a slow dispose and reports its error', async () => {
    const faults: unknown[] = [];
    let finish = (): void => {};
    const holder = createHolder(
      1,
      () =>
        new Promise<void>((_resolve, reject) => {
          finish = () => reject(new Error('stuck'));
        }),
      (fault) => faults.push(fault),
    );
    holder.swap(2);
    let idle = false;
    const waiting = holder.whenIdle().then(() => {
      idle = true;
    });
    await Promise.resolve();
    expect(idle).toBe(false);
    finish();
    await waiting;
    expect(faults).toEqual([expect.objectContaining({ message: 'stuck' })]);
  });
});
