import { expect, it } from 'vitest';
import type { ModelEvent } from '../../../core/events.ts';
import { isJsonObject } from '../../../core/json/merge.ts';
import { MessageEvents } from './events.ts';

const thinking: ModelEvent = { type: 'thinking', choice: 0, text: 'Hm.' };
const text: ModelEvent = { type: 'text', choice: 0, text: 'Hi' };
const signed: ModelEvent = { ...text, signature: 'x' };
const encrypted: ModelEvent = { type: 'redacted', choice: 0, block: -2, data: 'gateway:detail' };
const call: ModelEvent = { type: 'tool_call', choice: 0, index: 0, id: 'a', name: 'f', arguments: '{}' };
const finish: ModelEvent = { type: 'finish', choice: 0, reason: 'stop' };

/** The type of each block, or the data of encrypted ones. */
function blocksOf(events: readonly ModelEvent[]): readonly unknown[] {
  const out = new MessageEvents({ id: 'a', model: 'm', warn: () => undefined });
  const written = [...events, finish].flatMap((event) => out.push(event)).concat(out.end());
  return written.flatMap(({ content_block: block }) => (isJsonObject(block) ? [block['data'] ?? block['type']] : []));
}

it.each<[string, readonly ModelEvent[], readonly string[]]>([
  ['a signature', [thinking, signed], ['thinking', 'text']],
  ['the signature of one of two texts', [thinking, signed, { ...text, block: 2 }], ['thinking', 'text']],
  ['encrypted reasoning', [text, encrypted], ['text']],
  ['encrypted reasoning, and behind thinking, too', [thinking, encrypted, text, encrypted], ['thinking', 'gateway:detail', 'text']],
])('no reasoning follows the last text of a response, behind which is %s', (_, events, blocks) => {
  expect(blocksOf(events)).toEqual(blocks);
});

it.each<[string, readonly ModelEvent[], readonly string[]]>([
  ['a signature', [thinking, signed, call], ['thinking', 'text', 'gateway:text:0:2:x', 'tool_use']],
  ['a signature, after the call', [thinking, call, signed], ['thinking', 'tool_use', 'text', 'gateway:text:0:2:x']],
  ['encrypted reasoning', [text, encrypted, call], ['text', 'gateway:detail', 'tool_use']],
  ['both', [thinking, signed, encrypted, call], ['thinking', 'text', 'gateway:text:0:2:x', 'gateway:detail', 'tool_use']],
])('what a later request needs stays in a response with a call, whose text has behind it %s', (_, events, blocks) => {
  expect(blocksOf(events)).toEqual(blocks);
});

it('encrypted reasoning stays between two texts', () => {
  expect(blocksOf([text, encrypted, text])).toEqual(['text', 'gateway:detail', 'text']);
});
