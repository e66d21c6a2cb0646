import { expect, it } from 'vitest';
import { JsonBody } from '../../../core/json/body.ts';
import type { JsonObject } from '../../../core/json/merge.ts';
import { withoutPlaceholders } from '../../anthropic-messages/placeholders.ts';
import { type ApiEvent, MessageEvents } from '../../anthropic-messages/to-client/events.ts';
import { wholeMessage } from '../../anthropic-messages/to-client/index.ts';
import { messagesRequests } from '../../anthropic-messages/to-hub/index.ts';
import { historyOf } from '../../history/rules.ts';
import { dropExtensions } from '../extensions.ts';
import { ChatReader } from './chunks.ts';

const names = { id: 'r', model: 'm' };
const service = historyOf([{ thoughts: 'reasoning', details: true, takes: ['reasoning_content', 'reasoning_details'] }]);

/** In the format of signatures of the messages API. */
const signature = Buffer.concat([Buffer.from([0x12, 0x40, 0x0a, 0x10, 0x08, 0x0b]), Buffer.alloc(60, 1)]).toString('base64');
const claude = { format: 'anthropic-claude-v1', index: 0 };
const openai = { format: 'openai-responses-v1', index: 0 };
const gemini = { format: 'google-gemini-v1', index: 0 };
const text = (value: string, extra: JsonObject = {}): JsonObject => ({ type: 'reasoning.text', text: value, ...extra });
const summary = (value: string, extra: JsonObject = openai): JsonObject => ({ type: 'reasoning.summary', summary: value, ...extra });
const encrypted = (data: string, extra: JsonObject): JsonObject => ({ type: 'reasoning.encrypted', data, ...extra });
const call = (id: string): JsonObject => ({ index: 0, id, type: 'function', function: { name: 'f', arguments: '{"a":1}' } });

/** The content of a messages API stream after all events. */
function contentOf(events: readonly ApiEvent[]): JsonObject[] {
  const blocks: Record<string, unknown>[] = [];
  for (const { type, index, content_block: block, delta } of events) {
    const at = Number(index);
    if (type === 'content_block_start') blocks[at] = { ...(block as JsonObject) };
    if (type !== 'content_block_delta') continue;
    const { type: _type, partial_json: json, ...members } = delta as JsonObject;
    for (const [key, value] of Object.entries(members)) (blocks[at] ??= {})[key] = String(blocks[at]?.[key] ?? '') + String(value);
    if (typeof json === 'string') (blocks[at] ??= {})['input'] = JSON.parse(json);
  }
  return blocks;
}

function streamed(deltas: readonly JsonObject[]): JsonObject[] {
  const reader = new ChatReader();
  const writer = new MessageEvents(names);
  const modelEvents = deltas.flatMap((delta) =>
    reader.push({ name: '', data: JSON.stringify({ id: 'c', choices: [{ index: 0, delta }] }) }),
  );
  const end = [...reader.push({ name: '', data: '[DONE]' }), ...reader.end()];
  return contentOf([...[...modelEvents, ...end].flatMap((event) => writer.push(event)), ...writer.end()]);
}

const contentFrom = (message: JsonObject): unknown =>
  wholeMessage({ choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }] }, names)['content'];

const requestWith = (content: unknown): JsonObject => ({ model: 'm', max_tokens: 9, messages: [{ role: 'assistant', content }] });

/** What the service receives in the next request. */
function sentBack(content: unknown): { readonly details: unknown; readonly dropped: readonly string[] } {
  const hub = messagesRequests.toHub(requestWith(content));
  const { body, dropped } = dropExtensions(JsonBody.of(hub.body), service);
  const [message] = body.value('messages') as JsonObject[];
  return {
    details: message?.['reasoning_details'],
    dropped: messagesRequests.ownNames([...hub.dropped, ...dropped], false).map(({ param }) => param),
  };
}

/** The details of a response, the deltas of the same response as a stream, the kinds of its blocks, and what is sent back to the API itself. */
it.each<[string, JsonObject, readonly JsonObject[], readonly string[], readonly string[]]>([
  [
    'signed thinking of Claude with the signature in the last delta',
    { content: 'x', reasoning: 'Hm.', reasoning_details: [text('Hm.', { signature, ...claude })] },
    [
      { reasoning: 'H', reasoning_details: [text('H', claude)] },
      { reasoning: 'm.', reasoning_details: [text('m.', { signature: null, ...claude })] },
      { content: '', reasoning_details: [{ type: 'reasoning.text', signature, ...claude }] },
      { content: 'x' },
    ],
    ['thinking', 'text'],
    ['thinking', 'text'],
  ],
  [
    'a signature next to the first text',
    { content: 'x', reasoning_details: [text('Hm.', { signature, ...claude })] },
    [{ reasoning_details: [text('Hm.', claude)] }, { content: 'x', reasoning_details: [text('', { signature, ...claude })] }],
    ['thinking', 'text'],
    ['thinking', 'text'],
  ],
  [
    'two thinking blocks with one index, and a redacted one',
    {
      content: 'x',
      reasoning_details: [
        text('A', { signature, ...claude }),
        text('B', { signature, ...claude, index: 1 }),
        encrypted('blob', { ...claude, index: 2 }),
      ],
    },
    [
      { reasoning_details: [text('A', claude), text('', { signature, ...claude }), text('B', claude)] },
      { reasoning_details: [text('', { signature, ...claude })] },
      { reasoning_details: [encrypted('blob', claude)] },
      { content: 'x' },
    ],
    ['thinking', 'thinking', 'redacted_thinking', 'text'],
    ['thinking', 'thinking', 'redacted_thinking', 'text'],
  ],
  [
    'a summary and encrypted reasoning',
    { content: 'x', reasoning: 'Sum.', reasoning_details: [summary('Sum.'), encrypted('gAAA', { id: 'rs_1', ...openai })] },
    [
      { reasoning: 'Su', reasoning_details: [summary('Su')] },
      { reasoning: 'm.', reasoning_details: [summary('m.')] },
      { content: '', reasoning: null, reasoning_details: [encrypted('gAAA', { id: 'rs_1', ...openai })] },
      { content: 'x' },
    ],
    ['thinking', 'redacted_thinking', 'text'],
    ['text'],
  ],
  [
    'a signature of Gemini for a call, after the call',
    { content: null, tool_calls: [call('t')], reasoning_details: [encrypted('sig', { id: 't', ...gemini })] },
    [{ tool_calls: [call('t')] }, { reasoning_details: [encrypted('sig', { id: 't', ...gemini })] }, {}],
    ['redacted_thinking', 'tool_use'],
    ['tool_use'],
  ],
  [
    'a signature in an unknown format',
    { content: 'x', reasoning_details: [text('Hm.', { format: 'other-v1', signature: 's' })] },
    [{ reasoning_details: [text('Hm.', { format: 'other-v1' })] }, { reasoning_details: [text('', { signature: 's' })] }, { content: 'x' }],
    ['thinking', 'text'],
    ['text'],
  ],
])('reasoning_details survive the conversion to messages and back: %s', (_name, message, deltas, kinds, expectedBack) => {
  const firstPass = contentFrom(message);
  expect((firstPass as JsonObject[]).map(({ type }) => type)).toEqual(kinds);
  const parts = streamed(deltas);
  // Details that arrive during a call follow it, because a call is not interrupted.
  expect(parts.toSorted(byKind)).toEqual((firstPass as JsonObject[]).toSorted(byKind));
  for (const content of [firstPass, parts]) expect(sentBack(content)).toEqual({ details: message['reasoning_details'], dropped: [] });
  const cleaned = withoutPlaceholders(JsonBody.of(requestWith(firstPass))).value('messages') as { content: JsonObject[] }[];
  expect(cleaned[0]?.content.map(({ type }) => type)).toEqual(expectedBack);
});

const byKind = (a: JsonObject, b: JsonObject): number =>
  Number(String(a['type']).startsWith('redacted')) - Number(String(b['type']).startsWith('redacted'));

it.each<[string, JsonObject, unknown]>([
  ['unsigned text', { content: 'x', reasoning_details: [text('Hm.', { format: 'unknown', index: 0 })] }, undefined],
  ['no details', { content: 'x', reasoning: 'Hm.' }, undefined],
])('unsigned thinking is sent back without reasoning_details: %s', (_name, message, details) => {
  const content = contentFrom(message);
  expect(content).toMatchObject([{ type: 'thinking', thinking: 'Hm.', signature: 'gateway:unsigned' }, { type: 'text' }]);
  expect(sentBack(content)).toEqual({ details, dropped: [] });
});

it('services that do not read reasoning_details do not get them, and the loss is reported', () => {
  const content = contentFrom({ content: 'x', reasoning_details: [summary('Sum.'), encrypted('gAAA', openai)] });
  const { body, dropped } = dropExtensions(JsonBody.of(messagesRequests.toHub(requestWith(content)).body));
  expect(body.value('messages')).toEqual([{ role: 'assistant', content: 'x' }]);
  expect(messagesRequests.ownNames(dropped, false).map(({ param }) => param)).toEqual(['messages[].content[].thinking']);
});
