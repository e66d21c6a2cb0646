import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type TimeoutGroup, TimerWheel } from './timer-wheel.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Advances the time, with a millisecond for each check: it is one turn of the event loop later than its timer. */
const pass = (ms: number): void => void vi.advanceTimersByTime(ms + ms / 100 + 1);

/** Counts how often it was checked, and wants no more after so many checks. */
class CountingGroup implements TimeoutGroup {
  checks = 0;
  readonly everyMs: number;
  readonly #maxChecks: number;

  constructor(everyMs: number, maxChecks = Number.POSITIVE_INFINITY) {
    this.everyMs = everyMs;
    this.#maxChecks = maxChecks;
  }

  check(): boolean {
    this.checks += 1;
    return this.checks < this.#maxChecks;
  }
}

it('checks each group at its own interval with one timer', () => {
  const wheel = new TimerWheel();
  const [slow, fast] = [new CountingGroup(1000), new CountingGroup(100)];
  wheel.add(slow);
  wheel.add(fast);
  wheel.add(fast);
  pass(3000);
  expect([slow.checks, fast.checks, vi.getTimerCount()]).toEqual([3, 30, 1]);
});

it('ticks at the interval of the fastest group, and stops without groups', () => {
  const wheel = new TimerWheel();
  const [slow, fast] = [new CountingGroup(1000, 4), new CountingGroup(100, 5)];
  wheel.add(fast);
  wheel.add(slow);
  pass(500);
  expect([slow.checks, fast.checks]).toEqual([0, 5]);
  vi.advanceTimersToNextTimer();
  vi.advanceTimersToNextTimer();
  expect([slow.checks, fast.checks]).toEqual([1, 5]);
  pass(2000);
  expect([slow.checks, vi.getTimerCount()]).toEqual([3, 1]);
  pass(1000);
  expect([slow.checks, vi.getTimerCount()]).toEqual([4, 0]);
  wheel.add(fast);
  pass(100);
  expect(fast.checks).toBe(6);
});

it('does not check a deleted group', () => {
  const wheel = new TimerWheel();
  const group = new CountingGroup(100);
  wheel.add(group);
  wheel.delete(group);
  pass(1000);
  expect([group.checks, vi.getTimerCount()]).toEqual([0, 0]);
});

it('checks the other groups, and the same group again, if a check throws', () => {
  const defects: unknown[] = [];
  const wheel = new TimerWheel((error) => defects.push(error));
  const group = new CountingGroup(100);
  wheel.add({
    everyMs: 100,
    check() {
      throw new Error('boom');
    },
  });
  wheel.add(group);
  pass(200);
  expect([defects.length, group.checks]).toEqual([2, 2]);
});

it('keeps the process alive while it is held, in any order of add and hold', () => {
  vi.useRealTimers();
  const hasTimer = (): boolean => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length > timersBefore;
  const timersBefore = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const wheel = new TimerWheel();
  const group = new CountingGroup(1000);
  wheel.add(group);
  expect(hasTimer()).toBe(false);
  wheel.ref();
  wheel.ref();
  expect(hasTimer()).toBe(true);
  wheel.unref();
  expect(hasTimer()).toBe(true);
  wheel.add(new CountingGroup(100));
  expect(hasTimer()).toBe(true);
  wheel.unref();
  expect(hasTimer()).toBe(false);
  wheel.delete(group);
});

it('checks after a stall only once the data that arrived meanwhile was read', async () => {
  vi.useRealTimers();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[socket]] = (await Promise.all([once(server, 'connection'), once(client, 'connect')])) as [[Socket], unknown];
  let hasRead = false;
  client.on('data', () => (hasRead = true));
  const checked = new Promise<boolean>((resolve) => {
    const check = (): boolean => {
      resolve(hasRead);
      return false;
    };
    new TimerWheel().add({ everyMs: 20, check });
  });
  socket.write('in time');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
  expect(await checked).toBe(true);
  client.destroy();
  server.close();
});
