import { expect, it } from 'vitest';
import { sampleRecord } from '../../store/fixtures/sample.ts';
import { LiveHub } from './hub.ts';

const minute = 60_000;

it('keeps rows for one minute after the last client left, for a client that reconnects', () => {
  let now = 0;
  const hub = new LiveHub(
    () => now,
    (error) => expect.fail(String(error)),
  );
  hub.publish(sampleRecord());
  expect(hub.since(0)).toBeUndefined();
  const unsubscribe = hub.add({ owner: 'a', addRow: () => undefined, flush: () => undefined });
  const lastSeen = hub.last;
  unsubscribe();
  now += minute;
  hub.publish(sampleRecord());
  hub.publish(sampleRecord());
  expect(hub.since(lastSeen)?.map(({ id }) => id - lastSeen)).toEqual([1, 2]);
  now += 1;
  hub.publish(sampleRecord());
  expect([hub.since(lastSeen), hub.last - lastSeen]).toEqual([undefined, 3]);
});

it('sends waiting rows before it skips ids', () => {
  const hub = new LiveHub(
    () => 0,
    (error) => expect.fail(String(error)),
  );
  const received: number[] = [];
  hub.add({ owner: 'a', addRow: ({ id }) => void received.push(id), flush: () => undefined });
  hub.publish(sampleRecord());
  hub.skip(5);
  hub.publish(sampleRecord());
  expect([hub.last, received]).toEqual([7, [1, 7]]);
});
