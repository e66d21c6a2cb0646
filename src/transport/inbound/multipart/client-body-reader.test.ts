import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import type { Sweepable, Sweeper } from '../../wire/sweeper.ts';
import { ClientBodyReader } from './client-body-reader.ts';

/** A request whose events the test emits, and a clock that the test sets. */
function start(bytes = 1000) {
  const calls: string[] = [];
  const emitter = new EventEmitter();
  const request = Object.assign(emitter, { pause: () => calls.push('pause'), resume: () => calls.push('resume') });
  const sweepables = new Set<Sweepable>();
  const sweeper: Sweeper = {
    add: (item) => void sweepables.add(item),
    delete: (item) => void sweepables.delete(item),
    close: () => {},
    get size() {
      return sweepables.size;
    },
  };
  const time = { now: 0 };
  const limit = { bytes, setting: 'server.max_upload' };
  const source = new ClientBodyReader(request as unknown as IncomingMessage, limit, {
    sweeper,
    monotonic: () => time.now,
    passed: () => {},
  });
  const setTime = (now: number): void => {
    time.now = now;
    for (const item of sweepables) item.sweep(now);
  };
  return { source, emitter, swept: sweepables, setTime, calls };
}

it('returns chunks in order, and undefined at the end', async () => {
  const { source, emitter } = start();
  emitter.emit('data', Buffer.from('a'));
  expect((await source.next())?.toString()).toBe('a');
  const pendingRead = source.next();
  emitter.emit('data', Buffer.from('b'));
  expect((await pendingRead)?.toString()).toBe('b');
  emitter.emit('end');
  expect(await source.next()).toBeUndefined();
  expect(source.count).toBe(2);
});

it('returns waiting bytes as one chunk', async () => {
  const { source, emitter } = start();
  for (const byte of 'abcd') emitter.emit('data', Buffer.from(byte));
  emitter.emit('end');
  expect((await source.next())?.toString()).toBe('abcd');
  expect(await source.next()).toBeUndefined();
});

it('pauses the client while nobody reads', async () => {
  const { source, emitter, calls } = start(1e9);
  emitter.emit('data', Buffer.alloc(64 * 1024));
  expect(calls).toEqual(['pause']);
  await source.next();
  expect(calls).toEqual(['pause', 'resume']);
});

it('rejects with timeout if the client sends nothing for a minute while somebody reads', async () => {
  const { source, emitter, setTime, swept: sweepables } = start();
  setTime(100_000);
  expect(sweepables.size).toBe(0);
  const pendingRead = source.next();
  setTime(159_000);
  emitter.emit('data', Buffer.from('x'));
  await pendingRead;
  const secondRead = source.next();
  const failed = secondRead.catch((error: unknown) => error);
  setTime(219_001);
  expect(await failed).toMatchObject({ message: 'The body of the request did not arrive in time: no data for 60 s.' });
  await expect(source.next()).rejects.toMatchObject({ code: 'timeout', source: 'gateway' });
});

it('rejects with timeout a client that sends one byte from time to time, despite pauses of the reader', async () => {
  const { source, emitter, setTime } = start();
  for (let now = 10_000; now <= 60_000; now += 10_000) {
    const pendingRead = source.next();
    setTime(now);
    emitter.emit('data', Buffer.from('x'));
    await pendingRead;
  }
  // Nobody reads: the provider is slow.
  setTime(1_000_000);
  const lastRead = source.next().catch((error: unknown) => error);
  setTime(1_000_500);
  expect(await lastRead).toMatchObject({ code: 'timeout', message: 'The body of the request arrives too slowly: 6 bytes in 1 min 1 s.' });
});

it('rejects with timeout a client that takes longer than server.body_timeout', async () => {
  const { source, emitter, setTime } = start();
  source.limitMs = 5000;
  const pendingRead = source.next();
  setTime(4000);
  emitter.emit('data', Buffer.alloc(999));
  await pendingRead;
  const lastRead = source.next().catch((error: unknown) => error);
  setTime(5001);
  expect(await lastRead).toMatchObject({ code: 'timeout', hint: 'Send the body faster, or raise server.body_timeout.' });
});

it('rejects with body_too_large beyond server.max_upload', async () => {
  const { source, emitter } = start(3);
  emitter.emit('data', Buffer.from('abc'));
  emitter.emit('data', Buffer.from('d'));
  await expect(source.next()).rejects.toMatchObject({ code: 'body_too_large', hint: 'Send a smaller body, or raise server.max_upload.' });
});

it('rejects the waiting reader on stop() and discards later data', async () => {
  const { source, emitter, swept: sweepables } = start();
  const pendingRead = source.next();
  const failed = pendingRead.catch((error: unknown) => error);
  source.stop(new Error('over'));
  expect(await failed).toMatchObject({ message: 'over' });
  emitter.emit('data', Buffer.from('x'));
  expect(source.count).toBe(0);
  expect(sweepables.size).toBe(0);
});
