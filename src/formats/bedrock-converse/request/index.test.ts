import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/merge.ts';
import { toConverse } from './index.ts';

/** A chat completions body and its conversion to Converse; `dropped` lists the parameters that are lost. */
interface Row {
  readonly name: string;
  readonly model: string;
  readonly chat: JsonObject;
  readonly converse: JsonObject;
  readonly dropped: readonly string[];
}

const rows = JSON.parse(readFileSync(new URL('../fixtures/requests.json', import.meta.url), 'utf8')) as readonly Row[];

it.each(rows)('toConverse converts $name', ({ model, chat, converse, dropped }) => {
  const converted = toConverse(chat, { model, foundationModel: undefined }, { media: new Map() });
  expect(converted.body).toEqual(converse);
  expect(converted.dropped.map(({ param }) => param)).toEqual(dropped);
});

it.each([
  ['an image', [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }], { format: 'png' }],
  ['nothing', undefined, undefined],
  ['null', null, undefined],
])('toConverse converts a tool result in the format of the messages API: %s', (_name, content, image) => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] },
  ];
  const converted = toConverse({ messages }, { model: 'amazon.nova-pro-v1:0', foundationModel: undefined }, { media: new Map() });
  const expected = image === undefined ? [{ text: 'The tool returned nothing.' }] : [{ image: { ...image, source: { bytes: 'AAAA' } } }];
  expect((converted.body['messages'] as readonly JsonObject[])[2]).toEqual({
    role: 'user',
    content: [{ toolResult: { toolUseId: 'a', content: expected } }],
  });
});

it.each([
  [
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'gs://b/k.png' } }] }] },
    'it accepts bytes, and addresses of S3',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: 'data:application/zip;base64,AAAA' } }] }] },
    'application/zip are not read',
  ],
  [{ messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'f' } }] }] }, 'Files by id are not read'],
  [{ messages: [{ role: 'user', content: [{ type: { toString: 1 }, x: 1 }] }] }, 'Content parts must have a "type"'],
  [{ messages: [{ role: 'user', content: [{ type: 'image' }] }] }, 'of type "image" cannot be sent'],
  [{ messages: [{ role: 'user', content: 'Hi' }], n: 2 }, 'The service returns one choice'],
  [{ messages: 'Hi' }, '"messages" is a string'],
])('toConverse rejects %j', (chat, message) => {
  expect(() => toConverse(chat, { model: 'amazon.nova-pro-v1:0', foundationModel: undefined }, { media: new Map() })).toThrow(message);
});

it.each([
  [
    ['a', 'a', 'a (2)'],
    ['a', 'a (2)', 'a (2) (2)'],
  ],
  [
    ['a (2)', 'a', 'a', 'a'],
    ['a (2)', 'a', 'a (3)', 'a (4)'],
  ],
  [
    ['a', 'a!', 'a?', 'a'],
    ['a', 'a (2)', 'a (3)', 'a (4)'],
  ],
])('toConverse gives each document another name: %j', (filenames, names) => {
  const content = filenames.map((filename) => ({ type: 'file', file: { filename, file_data: 'data:text/plain;base64,AAAA' } }));
  const chat = { messages: [{ role: 'user', content }] };
  const made = toConverse(chat, { model: 'amazon.nova-pro-v1:0', foundationModel: undefined }, { media: new Map() });
  const [message] = made.body['messages'] as readonly { content: { document?: { name: string } }[] }[];
  expect(message?.content.flatMap(({ document }) => document?.name ?? [])).toEqual(names);
});

it('toConverse drops a context summary (compaction), which only Anthropic can read', () => {
  const assistantMessage = {
    role: 'assistant',
    content: 'b',
    content_blocks: [
      { type: 'compaction', content: 'c' },
      { type: 'text', text: 'b' },
    ],
  };
  const chat = { messages: [{ role: 'user', content: 'Hi' }, assistantMessage, { role: 'user', content: 'Ho' }] };
  const converted = toConverse(chat, { model: 'anthropic.claude-sonnet-4-5', foundationModel: undefined }, { media: new Map() });
  expect((converted.body['messages'] as readonly JsonObject[])[1]).toEqual({ role: 'assistant', content: [{ text: 'b' }] });
  expect(converted.dropped).toMatchObject([{ param: 'messages[].content[].compaction' }]);
  expect(converted.body).not.toHaveProperty('additionalModelRequestFields');
});

it('toConverse sends beta features only to Claude', () => {
  const chat = { messages: [{ role: 'user', content: 'Hi' }] };
  const options = { media: new Map(), betas: ['a-1'], maxTokens: 7, defaults: { guardrailConfig: { guardrailIdentifier: 'g' } } };
  const convertFor = (model: string, foundationModel?: string) => toConverse(chat, { model, foundationModel }, options);
  const expected = { inferenceConfig: { maxTokens: 7 }, guardrailConfig: { guardrailIdentifier: 'g' } };
  expect(convertFor('arn:x', 'anthropic.claude-sonnet-4-5').body).toMatchObject({
    ...expected,
    additionalModelRequestFields: { anthropic_beta: ['a-1'] },
  });
  expect(convertFor('amazon.nova-pro-v1:0')).toMatchObject({ body: expected, dropped: [{ param: 'anthropic_beta' }] });
});
