import { expect, it } from 'vitest';
import type { ModelEvent } from '../../core/events.ts';
import type { JsonObject } from '../../core/json/merge.ts';
import { collectChat } from './collect.ts';
import { ChatReader } from './reader/chunks.ts';
import { completionEvents } from './reader/completion.ts';
import { chatChunks } from './whole-as-chunks.ts';

const call = { strict: false, showsReasoning: true, includeUsage: true, provider: 'p', model: 'm', id: 'r', createdAt: 1 };
const completion = (message: JsonObject): JsonObject => ({
  id: 'c',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
});
const chunksOf = (message: JsonObject): readonly string[] =>
  (chatChunks(completion(message), call) ?? '')
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => event.slice('data: '.length));

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const thought = { type: 'thinking', thinking: [{ type: 'text', text: 'x' }] };

it.each<[unknown, unknown, JsonObject?]>([
  ['x', 'x'],
  [null, null],
  // Workers AI sends the object itself if JSON was requested (recorded).
  [{ a: 1 }, '{"a":1}'],
  [[{ type: 'text', text: 'x' }, 'y'], 'xy'],
  [[{ type: 'text', text: 'x' }, image], 'x', { content_blocks: [{ type: 'text', text: 'x' }, image] }],
  // Mistral sends the same lists in streams (recorded).
  [
    [thought, { type: 'text', text: 'y' }],
    [thought, { type: 'text', text: 'y' }],
  ],
])('content %j of a complete response is streamed as %j', (content, delta, extra = {}) => {
  expect(JSON.parse(chunksOf({ content, ...extra })[0] ?? '')).toMatchObject({ choices: [{ delta: { content: delta } }] });
});

const server = { type: 'server_tool_use', id: 's', name: 'web_search', input: { q: 'x' } };
const fn = { name: 'f', arguments: '{"a":1}' };
const listed = [{ id: 'c', type: 'function', function: fn }];

/** Read in both forms. Content is compared if no other member repeats it. */
it.each<[string, JsonObject]>([
  [
    'blocks',
    {
      content: 'x',
      content_blocks: [
        { type: 'thinking', thinking: 't', signature: 's' },
        { type: 'text', text: 'x' },
      ],
    },
  ],
  [
    'encrypted reasoning',
    {
      content: 'x',
      content_blocks: [
        { type: 'redacted_thinking', data: 'D' },
        { type: 'text', text: 'x' },
      ],
    },
  ],
  ['citations', { content: 'x', content_blocks: [{ type: 'text', text: 'x', citations: [{ type: 'char_location' }] }] }],
  ['steps of server tools', { content: 'x', content_blocks: [server, { type: 'text', text: 'x' }] }],
  ['thinking in a list', { content: [thought, { type: 'text', text: 'y' }] }],
  ['a call in both members', { content: null, function_call: fn, tool_calls: listed }],
  ['an empty call next to the list', { content: null, function_call: { name: '', arguments: '' }, tool_calls: listed }],
  ['another call in each member', { content: null, function_call: { ...fn, name: 'g' }, tool_calls: listed }],
])('a complete response is the same after conversion to chunks and back: %s', (_name, message) => {
  const reader = new ChatReader();
  const streamed = [...chunksOf(message).flatMap((data): readonly ModelEvent[] => reader.push({ name: '', data })), ...reader.end()];
  expect(collectChat(streamed, call)['choices']).toEqual(collectChat(completionEvents(completion(message)), call)['choices']);
});
