import { expect, it } from 'vitest';
import { Wheel } from '../transport/wire/wheel.ts';
import { garbageCollector } from '../core/memory/garbage-collector.ts';
import { IdleMemory } from './idle-memory.ts';

const mb = 1024 * 1024;

/** What happens at each look, and at how many bytes a collection ended. */
function start(figures: { inFlight: number; size: number }, live = 20 * mb) {
  const collected: number[] = [];
  const memory = new IdleMemory({
    wheel: new Wheel(),
    inFlight: () => figures.inFlight,
    size: () => figures.size,
    collect: () => {
      collected.push(figures.size);
      figures.size = live;
    },
  });
  memory.used();
  return { memory, collected };
}

it('collects once, at the second look after the last request', () => {
  const { memory, collected } = start({ inFlight: 0, size: 90 * mb });
  expect([memory.look(), collected.length]).toEqual([true, 0]);
  expect([memory.look(), collected.length]).toEqual([false, 1]);
});

it('does not collect while a request is in progress', () => {
  const figures = { inFlight: 1, size: 90 * mb };
  const { memory, collected } = start(figures);
  expect([memory.look(), memory.look(), memory.look(), collected.length]).toEqual([true, true, true, 0]);
  figures.inFlight = 0;
  expect([memory.look(), collected.length]).toEqual([false, 1]);
});

it('does not collect for a few requests: 8 MB must have come together since the last time', () => {
  const figures = { inFlight: 0, size: 90 * mb };
  const { memory, collected } = start(figures);
  const idle = (): void => {
    memory.used();
    memory.look();
    memory.look();
  };
  idle();
  figures.size += 7 * mb;
  idle();
  expect(collected).toEqual([90 * mb]);
  figures.size += mb;
  idle();
  expect(collected).toEqual([90 * mb, 28 * mb]);
});

it('collects what only a full collection finds', async () => {
  const garbage = ((): WeakRef<object> => new WeakRef(Buffer.alloc(64)))();
  // Until the end of a turn V8 keeps what a reference was made to in it.
  await new Promise((resolve) => setImmediate(resolve));
  garbageCollector()({ type: 'major', flavor: 'last-resort' });
  expect(garbage.deref()).toBeUndefined();
});
