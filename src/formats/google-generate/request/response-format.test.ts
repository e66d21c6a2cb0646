import { expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/merge.ts';
import { toGenerateContent } from './index.ts';

const call = { model: 'gemini-3-pro', strict: true, showsReasoning: false, media: new Map() };
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const messages = [{ role: 'user', content: 'x' }];

it.each<[string, 'converted' | 'original', object, unknown]>([
  ['its description', 'converted', { schema, description: 'A note.' }, 'A note.'],
  ['its description', 'original', { schema, description: 'A note.' }, 'A note.'],
  [
    'the description of the schema, before that of the format',
    'converted',
    { schema: { ...schema, description: 'B' }, description: 'A note.' },
    'B',
  ],
  ['no description', 'converted', { schema }, undefined],
])('toGenerateContent sends %s in a schema that is %s', (_, schemas, format, expected) => {
  const body = { messages, response_format: { type: 'json_schema', json_schema: { name: 'n', ...format } } };
  const config = toGenerateContent(body, call, { surface: 'vertex', schemas, signatureStandIn: true }).body[
    'generationConfig'
  ] as JsonObject;
  const sent = (config['responseSchema'] ?? config['responseJsonSchema']) as JsonObject;
  expect([sent['description'], sent['required']]).toEqual([expected, ['a']]);
});
