import { expect, it } from 'vitest';
import { emptyRecord } from '../../core/records/empty.ts';
import type { LogRecord } from '../../core/records/record.ts';
import { RecordListeners } from './record-listeners.ts';

const record = { ...emptyRecord, id: 'req_1' } as unknown as LogRecord;

it('notifies each subscriber until it unsubscribes', () => {
  const received: string[] = [];
  const listeners = new RecordListeners(() => {});
  const unsubscribe = listeners.add(({ id }) => received.push(`a ${id}`));
  listeners.add(({ id }) => received.push(`b ${id}`));
  listeners.notify(record);
  unsubscribe();
  listeners.notify(record);
  expect(received).toEqual(['a req_1', 'b req_1', 'b req_1']);
});

it('notifies the other subscribers if one throws', () => {
  const received: unknown[] = [];
  const listeners = new RecordListeners((error) => received.push((error as Error).message));
  listeners.add(() => {
    throw new Error('boom');
  });
  listeners.add(({ id }) => received.push(id));
  listeners.notify(record);
  expect(received).toEqual(['boom', 'req_1']);
});
