import { expect, it } from 'vitest';
import { toConverse } from './index.ts';

const file = { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } };
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };

function kinds(...messages: readonly object[]): readonly string[][] {
  const { body } = toConverse({ messages }, { model: 'amazon.nova-pro-v1:0', foundationModel: undefined }, { media: new Map() });
  return (body['messages'] as { content: object[] }[]).map(({ content }) => content.flatMap((block) => Object.keys(block)));
}

it.each<[string, readonly object[], readonly string[]]>([
  ['a document alone', [file], ['document', 'text']],
  ['a document with a blank text', [file, { type: 'text', text: ' ' }], ['document', 'text']],
  ['a document with a cache mark', [{ ...file, cache_control: { type: 'ephemeral' } }], ['document', 'cachePoint', 'text']],
  ['a document with a text', [{ type: 'text', text: 'x' }, file], ['text', 'document']],
  ['an image alone', [image], ['image']],
])('%s is sent in a message with a text if one is required', (_name, content, expected) => {
  expect(kinds({ role: 'user', content })).toEqual([expected]);
});

it('a document next to a result gets a text too', () => {
  const messages = [
    { role: 'user', content: 'x' },
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: 'r' },
  ];
  expect(kinds(...messages, { role: 'user', content: [file] }).at(-1)).toEqual(['toolResult', 'document', 'text']);
});

it.each([
  ['', {}, 'The tool returned nothing.'],
  [[], {}, 'The tool returned nothing.'],
  [' ', { is_error: true }, 'The tool failed.'],
  [null, { is_error: true }, 'The tool failed.'],
  ['r', { is_error: true }, 'r'],
])('a result of a tool is never empty: %j %j', (content, members, text) => {
  const messages = [
    { role: 'user', content: 'x' },
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content, ...members },
  ];
  const { body } = toConverse({ messages }, { model: 'amazon.nova-pro-v1:0', foundationModel: undefined }, { media: new Map() });
  expect(body['messages']).toMatchObject([{}, {}, { content: [{ toolResult: { content: [{ text }] } }] }]);
});
