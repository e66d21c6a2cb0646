import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { describeApi } from '../../src/openapi/document.ts';

/** Requests that common clients send. A library that is generated from the description must be able to send them too. */

const user = (content: unknown): object => ({ model: 'm', messages: [{ role: 'user', content }] });
const bodyWith = (content: unknown): object => ({ ...user(content), max_tokens: 9 });
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };

/** Requests in a form, with each file as a string. A field that is sent several times is an array. */
const forms: readonly [string, string, object][] = [
  ['one image', 'images/edits', { model: 'm', prompt: 'p', image: 'bytes', mask: 'bytes' }],
  ['several images', 'images/edits', { model: 'm', prompt: 'p', 'image[]': ['bytes', 'bytes'] }],
  ['a format with speakers', 'audio/transcriptions', { model: 'm', file: 'bytes', response_format: 'diarized_json' }],
];

it.each<[string, string, object]>([
  ['an image', 'chat/completions', user([{ type: 'image_url', image_url: { url: 'https://host.example/a.png', detail: 'low' } }])],
  ['audio', 'chat/completions', user([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }])],
  ['a file', 'chat/completions', user([{ type: 'file', file: { file_id: 'file-1' } }])],
  [
    'a call without content, and its result in parts',
    'chat/completions',
    {
      model: 'm',
      messages: [
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'ok' }] },
      ],
    },
  ],
  ['a refusal', 'chat/completions', { model: 'm', messages: [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }] }],
  ['an image', 'messages', bodyWith([{ type: 'image', source: { type: 'url', url: 'https://host.example/a.png' } }])],
  ['the result of a tool', 'messages', bodyWith([{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'ok' }] }])],
  [
    'thoughts',
    'messages',
    { ...bodyWith('hi'), messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking: '', signature: 's' }] }] },
  ],
  ['tokens', 'embeddings', { model: 'm', input: [1, 2] }],
  ['lists of tokens', 'embeddings', { model: 'm', input: [[1], [2, 3]] }],
  ['tokens', 'completions', { model: 'm', prompt: [1, 2] }],
  ['an image', 'moderations', { input: [{ type: 'image_url', image_url: { url: 'https://host.example/a.png' } }] }],
  ['images by URL', 'images/edits', { model: 'm', prompt: 'p', images: [{ image_url: 'https://host.example/a.png' }] }],
  ['one image by file id', 'images/edits', { model: 'm', prompt: 'p', image: { file_id: 'file-1' }, mask: { file_id: 'file-2' } }],
  ['a custom voice', 'audio/speech', { model: 'm', input: 'hi', voice: { id: 'voice_1' } }],
  ...forms,
])('%s is valid in a request of %s', (_, route, body) => {
  const { paths, components } = describeApi('1') as { paths: Record<string, unknown>; components: object };
  const { post } = paths[`/v1/${route}`] as { post: { requestBody: { content: Record<string, { schema: object }> } } };
  const isForm = forms.some((row) => row[2] === body);
  const schema = post.requestBody.content[isForm ? 'multipart/form-data' : 'application/json']?.schema;
  expect(schema).toBeDefined();
  const validate = new Ajv2020({ strict: false }).compile({ ...schema, components });
  validate(body);
  expect(validate.errors).toBeNull();
});

it.each(['images/generations', 'images/edits', 'audio/transcriptions', 'audio/speech'])('%s has a member for streaming', (route) => {
  const { paths } = describeApi('1') as { paths: Record<string, unknown> };
  const { post } = paths[`/v1/${route}`] as { post: { requestBody: { content: Record<string, { schema: { properties: object } }> } } };
  const member = route === 'audio/speech' ? 'stream_format' : 'stream';
  for (const { schema } of Object.values(post.requestBody.content)) expect(schema.properties).toHaveProperty(member);
});
