import { expect, it } from 'vitest';
import { emptyRecord } from '../../core/records/empty.ts';
import type { LogRecord } from '../../core/records/record.ts';
import { RecordListeners } from './record-listeners.ts';

const record = { ...emptyRecord, id: 'req_1' } as unknown as LogRecord;

it('notifies each subscriber until it unsubscribes', () => {
  const heard: string[] = [];
  const subscribers = new RecordListeners(() => {});
  const leave = subscribers.add(({ id }) => heard.push(`a ${id}`));
  subscribers.add(({ id }) => heard.push(`b ${id}`));
  subscribers.notify(record);
  leave();
  subscribers.notify(record);
  expect(heard).toEqual(['a req_1', 'b req_1', 'b req_1']);
});

it('notifies the other subscribers if one throws', () => {
  const heard: unknown[] = [];
  const subscribers = new RecordListeners((error) => heard.push((error as Error).message));
  subscribers.add(() => {
    throw new Error('boom');
  });
  subscribers.add(({ id }) => heard.push(id));
  subscribers.notify(record);
  expect(heard).toEqual(['boom', 'req_1']);
});
