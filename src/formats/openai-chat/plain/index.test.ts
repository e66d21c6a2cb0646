import { expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/merge.ts';
import { toHub } from '../../anthropic-messages/to-hub/index.ts';
import { ownNames } from '../../anthropic-messages/to-hub/names.ts';
import { Drops } from '../../shared/request/drops.ts';
import { plainChat } from './index.ts';
import { withFittingStrict } from './strict.ts';

const service = { model: 'gpt-5', isOpenAi: true, passes: false, known: [], media: new Map() };
const search = { type: 'web_search_20250305', name: 'web_search' };
const ownTool = { type: 'function', function: { name: 'f' } };
const forcedChoice = (name: string): JsonObject => ({ type: 'function', function: { name } });

it.each<[name: string, body: JsonObject, sent: JsonObject, dropped: readonly string[]]>([
  [
    'a forced tool that the service does not have',
    { tools: [ownTool, search], tool_choice: forcedChoice('web_search') },
    { tools: [ownTool] },
    ['tools[].web_search_20250305', 'tool_choice'],
  ],
  [
    'tool_choice "required" without tools',
    { tools: [search], tool_choice: 'required' },
    {},
    ['tools[].web_search_20250305', 'tool_choice'],
  ],
  [
    'a forced function',
    { tools: [ownTool, search], tool_choice: forcedChoice('f') },
    { tools: [ownTool], tool_choice: forcedChoice('f') },
    ['tools[].web_search_20250305'],
  ],
  [
    'a thinking budget together with an effort',
    { thinking: { type: 'enabled', budget_tokens: 5000 }, reasoning_effort: 'low' },
    { reasoning_effort: 'low' },
    ['thinking'],
  ],
  [
    'thinking without a budget together with an effort',
    { thinking: { type: 'adaptive' }, reasoning_effort: 'low' },
    { reasoning_effort: 'low' },
    [],
  ],
])('plainChat sends %s', (_name, body, sent, dropped) => {
  const converted = plainChat({ ...body, messages: [] }, service);
  expect(converted.body).toEqual({ ...sent, messages: [] });
  expect(converted.dropped.map(({ param }) => param)).toEqual(dropped);
});

it('plainChat sends an assistant message without content and calls with an empty text instead of null', () => {
  const { body } = toHub({ max_tokens: 9, messages: [{ role: 'assistant', content: [] }] });
  expect(plainChat(body, service).body['messages']).toEqual([{ role: 'assistant', content: '' }]);
});

const object = (properties: JsonObject, extra: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...extra,
});
const text = { type: 'string' };

it.each<[name: string, schema: JsonObject, isStrict: boolean]>([
  ['closed objects with all properties required', object({ a: text, b: { type: 'array', items: object({ c: text }) } }), true],
  ['references and anyOf below the root', object({ a: { anyOf: [text, { $ref: '#/$defs/b' }] } }, { $defs: { b: object({}) } }), true],
  ['a property with the name of a keyword', object({ default: text, oneOf: text }), true],
  ['an optional property', object({ a: text }, { required: [] }), false],
  [
    'an optional property in a nested object',
    object({ a: { anyOf: [object({ b: text }, { required: undefined }), { type: 'null' }] } }),
    false,
  ],
  ['an optional property in a definition', object({}, { $defs: { a: object({ b: text }, { required: [] }) } }), false],
  ['an open object', object({ a: object({}, { additionalProperties: true }) }), false],
  ['an open object or null', object({ a: { type: ['object', 'null'] } }), false],
  ['a default', object({ a: { ...text, default: 'x' } }), false],
  ['oneOf', object({ a: { oneOf: [text] } }), false],
  ['anyOf at the root', { anyOf: [object({})] }, false],
])('plainChat sends a schema as strict only if OpenAI accepts it: %s', (_name, schema, isStrict) => {
  const request = {
    messages: [{ role: 'user', content: 'x' }],
    tools: [{ name: 'f', input_schema: schema, strict: true }],
    output_config: { format: { type: 'json_schema', schema } },
  };
  const { body, dropped } = plainChat(toHub(request).body, service);
  const strict = isStrict ? { strict: true } : {};
  expect(body['tools']).toEqual([{ type: 'function', function: { name: 'f', parameters: schema, ...strict } }]);
  expect(body['response_format']).toEqual({ type: 'json_schema', json_schema: { name: 'response', schema, ...strict } });
  const names = ownNames(dropped, false).map(({ param }) => param);
  expect(names).toEqual(isStrict ? [] : ['tools[].strict', 'output_config.format.strict']);
});

it.each<[model: string, asked: JsonObject, sent: JsonObject, dropped: readonly string[]]>([
  ['gpt-5.2', { reasoning_effort: 'high', tools: [ownTool] }, { reasoning_effort: 'high' }, []],
  ['gpt-5', { reasoning_effort: 'max' }, { reasoning_effort: 'high' }, ['reasoning_effort']],
  ['o3', { reasoning_effort: 'xhigh' }, { reasoning_effort: 'high' }, ['reasoning_effort']],
  ['gpt-5.1-codex-max', { reasoning_effort: 'xhigh' }, { reasoning_effort: 'xhigh' }, []],
  ['gpt-5.2', { reasoning_effort: 'xhigh' }, { reasoning_effort: 'xhigh' }, []],
  ['gpt-6-astra', { reasoning_effort: 'max' }, { reasoning_effort: 'xhigh' }, ['reasoning_effort']],
  ['gpt-5.6-luna', { reasoning_effort: 'high' }, { reasoning_effort: 'high' }, []],
  ['gpt-5.6-luna', { reasoning_effort: 'high', tools: [ownTool] }, { reasoning_effort: 'none' }, ['reasoning_effort']],
  ['gpt-5.6-luna', { thinking: { type: 'enabled', budget_tokens: 9000 }, tools: [ownTool] }, { reasoning_effort: 'none' }, ['thinking']],
  ['gpt-5.6-luna', { reasoning_effort: 'none', tools: [ownTool] }, { reasoning_effort: 'none' }, []],
  ['gpt-5.6-luna', { tools: [ownTool] }, { reasoning_effort: 'none' }, []],
  ['gpt-5.6-luna', { reasoning_effort: 'high', tools: [search] }, { reasoning_effort: 'high' }, ['tools[].web_search_20250305']],
  ['openai/gpt-6-sol', { reasoning_effort: 'high', tools: [ownTool] }, { reasoning_effort: 'none' }, ['reasoning_effort']],
  ['gpt-6-astra', { reasoning_effort: 'high', tools: [ownTool] }, { reasoning_effort: 'high' }, []],
  ['gpt-6-astra', { temperature: 0.5, stop: ['x'] }, {}, ['stop', 'temperature']],
  ['gpt-5', { thinking: { type: 'disabled' } }, { reasoning_effort: 'low' }, ['thinking']],
  ['o3', { thinking: { type: 'enabled', budget_tokens: 0 } }, { reasoning_effort: 'low' }, ['thinking']],
  ['gpt-5', { thinking: { type: 'disabled' }, reasoning_effort: 'high' }, { reasoning_effort: 'high' }, ['thinking']],
  ['gpt-5.1', { thinking: { type: 'disabled' } }, { reasoning_effort: 'none' }, []],
  ['gpt-5.1', { thinking: { type: 'disabled' }, reasoning_effort: 'high' }, { reasoning_effort: 'none' }, ['reasoning_effort']],
  ['gpt-5.1-codex', { thinking: { type: 'disabled' } }, { reasoning_effort: 'low' }, ['thinking']],
  ['gpt-6-astra', { thinking: { type: 'disabled' } }, { reasoning_effort: 'low' }, ['thinking']],
  ['openai/gpt-6-sol', { thinking: { type: 'disabled' }, tools: [ownTool] }, { reasoning_effort: 'none' }, []],
  ['gpt-4o', { tools: [ownTool], temperature: 0.5 }, { temperature: 0.5 }, []],
])('plainChat converts thinking settings for %s: %j', (model, thinkingSettings, sent, dropped) => {
  const { body, dropped: droppedParams } = plainChat({ ...thinkingSettings, messages: [] }, { ...service, model });
  const { messages: _messages, tools: _tools, ...rest } = body;
  expect(rest).toEqual(sent);
  expect(droppedParams.map(({ param }) => param).toSorted()).toEqual([...dropped].toSorted());
});

it('withFittingStrict reads the list of required properties once, so that its work is linear', () => {
  const schema = object(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`p${index}`, text])));
  let reads = 0;
  const required = new Proxy(schema['required'] as string[], {
    get(target, name) {
      if (/^\d+$/.test(String(name))) reads += 1;
      return Reflect.get(target, name) as unknown;
    },
  });
  const holder = { strict: true };
  expect(withFittingStrict(holder, { ...schema, required }, '', new Drops())).toBe(holder);
  expect(reads).toBe(100);
});

it.each([[['cache_control'], true] as const, [[], false] as const])('cache marks are sent to a service that reads %j', (known, isKept) => {
  const cache_control = { type: 'ephemeral' };
  const mark = isKept ? { cache_control } : {};
  const text = (value: string, end: JsonObject = {}): JsonObject => ({ type: 'text', text: value, ...end });
  const image = { type: 'image', source: { type: 'url', url: 'https://a.test/b.png' } };
  const { body } = toHub({
    max_tokens: 9,
    system: [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', cache_control },
    ],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'x', cache_control }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'y', cache_control },
          { type: 'tool_use', id: 't', name: 'f', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'r', cache_control }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [text('p', { cache_control }), text('q')] }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [text('p'), text('q')], cache_control }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [image], cache_control }] },
    ],
    tools: [{ name: 'f', input_schema: { type: 'object' }, cache_control }],
  });
  const plain = plainChat(body, { ...service, model: 'm', isOpenAi: false, known });
  expect(plain.body['tools']).toEqual([{ type: 'function', function: { name: 'f', parameters: { type: 'object' } }, ...mark }]);
  expect(plain.body['messages']).toMatchObject([
    { content: isKept ? [text('a'), text('b', mark)] : 'a\n\nb' },
    { content: isKept ? [text('x', mark)] : 'x' },
    { content: isKept ? [text('y', mark)] : 'y' },
    { role: 'tool', content: isKept ? [text('r', mark)] : 'r' },
    { role: 'tool', content: isKept ? [text('p', mark), text('q')] : 'p\n\nq' },
    { role: 'tool', content: isKept ? [text('p'), text('q', mark)] : 'p\n\nq' },
    { role: 'tool', content: isKept ? [text('The result is in the next message.', mark)] : 'The result is in the next message.' },
    { role: 'user', content: [text('From the result of t:'), { type: 'image_url', image_url: { url: 'https://a.test/b.png' } }] },
  ]);
  expect(plain.dropped.map(({ param }) => param)).toEqual(isKept ? [] : ['tools[].cache_control', 'messages[].content[].cache_control']);
});
