import { expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/merge.ts';
import { wholeMessage } from '../anthropic-messages/to-client/index.ts';
import { MessageEvents } from '../anthropic-messages/to-client/events.ts';
import { ChatReader } from '../openai-chat/reader/chunks.ts';
import { ResponseEvents } from '../openai-responses/to-client/events.ts';
import { wholeResponse } from '../openai-responses/to-client/index.ts';

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const pdf = { type: 'image_url', image_url: { url: 'data:application/pdf;base64,AAAA' } };
const code = { type: 'executable_code', executable_code: { language: 'PYTHON', code: '1' } };
const ran = { type: 'server_tool_use', id: 's', name: 'code_execution', input: {} };
const search = { type: 'server_tool_use', id: 'w', name: 'web_search', input: { query: 'q' } };
const found = { type: 'web_search_tool_result', tool_use_id: 'w', content: [] };

const warningFor = (kind: string): string => `Left out of the response, because this API cannot return it: ${kind}`;

function warningsOf(convert: (warn: (text: string) => void) => unknown): string[] {
  const warnings: string[] = [];
  convert((text) => void warnings.push(text));
  return warnings;
}

it.each<[string, JsonObject, messages: readonly string[], responses: readonly string[]]>([
  ['text and searches', { content_blocks: [search, found, { type: 'text', text: 'x' }] }, [], []],
  ['images, each kind once', { content_blocks: [image, image] }, ['image/png'], []],
  ['another file', { content_blocks: [pdf] }, ['application/pdf'], ['application/pdf']],
  ['steps of code', { content_blocks: [code, ran] }, ['executable_code'], ['executable_code', 'code_execution']],
  ['sound', { content: null, audio: { data: 'AAAA', transcript: 'hi' } }, ['audio'], ['audio']],
])('clients are told what their API cannot return: %s', (_name, message, messages, responses) => {
  const names = { id: 'r', model: 'm', createdAt: 0 };
  const completion = { choices: [{ message, finish_reason: 'stop' }] };
  expect(warningsOf((warn) => wholeMessage(completion, { ...names, warn }))).toEqual(messages.map(warningFor));
  expect(warningsOf((warn) => wholeResponse(completion, { ...names, warn }))).toEqual(responses.map(warningFor));

  const blocks = (message['content_blocks'] as JsonObject[] | undefined)?.map((delta, index) => ({ index, delta }));
  const delta = blocks === undefined ? message : { content_blocks: blocks };
  const chunk = JSON.stringify({ choices: [{ index: 0, delta, finish_reason: 'stop' }] });
  const streamed = (writer: MessageEvents | ResponseEvents): void => {
    const reader = new ChatReader();
    for (const event of [...reader.push({ name: '', data: chunk }), ...reader.end()]) writer.push(event);
  };
  expect(warningsOf((warn) => streamed(new MessageEvents({ ...names, warn })))).toEqual(messages.map(warningFor));
  expect(warningsOf((warn) => streamed(new ResponseEvents({ ...names, warn })))).toEqual(responses.map(warningFor));
});

it('citations of other services have the index that clients of the messages API require', () => {
  const page = { type: 'web_search_result_location', url: 'https://a.example', title: null };
  const text = { type: 'text', text: 'x', citations: [page, { ...page, encrypted_index: 'own' }] };
  const message = { content_blocks: [text] };
  const { content } = wholeMessage({ choices: [{ message, finish_reason: 'stop' }] }, { id: 'r', model: 'm' });
  const expected = [
    { ...page, encrypted_index: 'gateway:unsigned' },
    { ...page, encrypted_index: 'own' },
  ];
  expect(content).toEqual([{ type: 'text', text: 'x', citations: expected }]);
});
