import { expect, it } from 'vitest';
import { toMessages } from '../index.ts';

const directOptions = { media: new Map<string, never>() };
const vertex = { ...directOptions, vertex: { version: 'vertex-2023-10-16' } };
const count = { type: 'integer', minimum: 1, description: 'How many.' };
const parameters = { type: 'object', properties: { count }, required: ['count'] };
const closed = {
  type: 'object',
  properties: { count: { type: 'integer', description: 'How many.\n\n{minimum: 1}' } },
  additionalProperties: false,
  required: ['count'],
};

it.each<[string, string, object, object, object, string[]]>([
  [
    'as structured outputs require it',
    'claude-sonnet-4-5',
    directOptions,
    { strict: true, parameters },
    { strict: true, input_schema: closed },
    ['tools[].function.parameters.minimum'],
  ],
  ['unchanged if strict is not requested', 'claude-sonnet-4-5', directOptions, { parameters }, { input_schema: parameters }, []],
  [
    'unchanged if the model has no strict tools',
    'claude-sonnet-4-0',
    directOptions,
    { strict: true, parameters },
    { input_schema: parameters },
    ['tools[].function.strict'],
  ],
  [
    'unchanged on Vertex AI',
    'claude-sonnet-4-5',
    vertex,
    { strict: true, parameters },
    { input_schema: parameters },
    ['tools[].function.strict'],
  ],
  [
    'for a tool without parameters',
    'claude-sonnet-4-5',
    directOptions,
    { strict: true },
    { strict: true, input_schema: { type: 'object', properties: {}, additionalProperties: false } },
    [],
  ],
])('toMessages sends the schema of a tool %s', (_name, model, options, fn, expected, names) => {
  const tools = [{ type: 'function', function: { name: 'f', ...fn } }];
  const call = { model, stream: false, foundationModel: undefined, showsReasoning: false };
  const { body, dropped } = toMessages({ messages: [{ role: 'user', content: 'x' }], tools }, call, options as typeof directOptions);
  expect(body['tools']).toEqual([{ name: 'f', ...expected }]);
  expect(dropped.map(({ param }) => param)).toEqual(names);
});
