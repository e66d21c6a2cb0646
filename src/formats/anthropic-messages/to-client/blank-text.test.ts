import { expect, it } from 'vitest';
import type { ModelEvent } from '../../../core/events.ts';
import { MessageEvents } from './events.ts';

const text = (part: string, block?: number): ModelEvent => ({
  type: 'text',
  choice: 0,
  text: part,
  ...(block === undefined ? {} : { block }),
});
const thinking: ModelEvent = { type: 'thinking', choice: 0, text: 'Hm' };
const call = (index: number): ModelEvent => ({ type: 'tool_call', choice: 0, index, id: `c${index}`, name: 'f', arguments: '{}' });
const closed = (block: number): ModelEvent => ({ type: 'block', choice: 0, kind: 'text', state: 'close', block });

/** The blocks of a response: texts as they are, and the types of the others. */
function blocksOf(events: readonly ModelEvent[]): readonly string[] {
  const writer = new MessageEvents({ id: 'r', model: 'm' });
  const written = [...events, { type: 'finish', choice: 0, reason: 'stop' } as const].flatMap((event) => writer.push(event));
  const blocks: string[] = [];
  for (const event of [...written, ...writer.end()]) {
    const { type, index, content_block: start, delta } = event as typeof event & Record<'content_block' | 'delta', Record<string, string>>;
    if (type === 'content_block_start') blocks.push(start['type'] === 'text' ? '' : (start['type'] ?? ''));
    if (type === 'content_block_delta' && delta['type'] === 'text_delta') blocks[Number(index)] += delta['text'] ?? '';
  }
  return blocks;
}

it.each<[string, readonly ModelEvent[], readonly string[]]>([
  ['white space before a text', [text('\n'), text('\n'), text('Hi'), text(' ')], ['\n\nHi ']],
  ['white space before a call', [thinking, text('\n\n'), call(0)], ['thinking', 'tool_use']],
  ['white space between calls', [call(0), text('\n'), call(1)], ['tool_use', 'tool_use']],
  ['white space before thinking', [text('\n'), thinking, text('Hi')], ['thinking', 'Hi']],
  ['a blank text between two others', [text('Hi', 0), closed(0), text('\n', 1), closed(1), text('Ho', 2)], ['Hi', '\nHo']],
  ['a blank text', [text(' \n')], []],
])('writes no blank text for %s', (_name, events, expected) => {
  expect(blocksOf(events)).toEqual(expected);
});
