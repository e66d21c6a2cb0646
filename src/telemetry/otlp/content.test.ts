import { expect, it } from 'vitest';
import type { LogRecord } from '../../core/records/record.ts';
import { messagesOf } from './content.ts';

const record = {} as LogRecord;
const inputOf = (messages: readonly object[]): unknown[] =>
  JSON.parse(messagesOf({ record, request: JSON.stringify({ messages }), response: undefined }).input ?? '[]') as unknown[];
const said = (content: string) => ({ role: 'user', content });
const shown = (content: string) => ({ role: 'user', parts: [{ type: 'text', content }] });

it('the latest messages of a long conversation are shown, as many as fit', () => {
  const long = Array.from({ length: 100 }, (_, index) => said(`${index} ${'x'.repeat(1000)}`));
  const kept = inputOf(long);
  expect(kept.at(-1)).toEqual(shown(`99 ${'x'.repeat(1000)}`));
  const size = JSON.stringify(kept).length;
  expect(size).toBeLessThanOrEqual(64 * 1024);
  expect(size + JSON.stringify(shown(`1 ${'x'.repeat(1000)}`)).length).toBeGreaterThan(64 * 1024);
});

it('a conversation that fits is shown whole, to the last character', () => {
  const empty = JSON.stringify([shown('a'), shown('')]).length;
  const full = [said('a'), said('x'.repeat(64 * 1024 - empty))];
  expect(inputOf(full)).toHaveLength(2);
  expect(inputOf([said('ab'), ...full.slice(1)])).toHaveLength(1);
  expect(inputOf([said('x'.repeat(64 * 1024))])).toEqual([]);
});
