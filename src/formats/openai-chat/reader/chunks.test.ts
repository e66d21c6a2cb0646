import { expect, it } from 'vitest';
import { ChatReader } from './chunks.ts';

const chunk = (choices: readonly object[]): { name: string; data: string } => ({ name: '', data: JSON.stringify({ id: 'c', choices }) });
const done = { name: '', data: '[DONE]' };

it('keeps many answers and many sources apart', () => {
  const reader = new ChatReader();
  const numbers = Array.from({ length: 1000 }, (_, index) => index);
  reader.push(chunk(numbers.map((index) => ({ index, delta: { content: 'x' }, finish_reason: 'stop' }))));
  const annotations = Array.from({ length: 125_000 }, () => ({}));
  reader.push(chunk([{ index: 7, delta: { annotations } }]));
  reader.push(done);
  const events = reader.end();
  expect(events.filter(({ type }) => type === 'finish').map((event) => 'choice' in event && event.choice)).toEqual(numbers);
  expect(events.find(({ type }) => type === 'annotations')).toMatchObject({ choice: 7, annotations: { length: 125_000 } });
});
