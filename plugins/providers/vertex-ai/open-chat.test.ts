import { JsonBody } from '#core/json/body.ts';
import type { JsonObject } from '#core/json/merge.ts';
import type { Provider } from '#core/provider.ts';
import { describe, expect, it } from 'vitest';
import { begin, callOf } from '../../../test/contract/call.ts';
import vertexAi from './index.ts';

const settings: object = { region: 'us-central1', project: 'p1' };
const messages = [{ role: 'user', content: 'Hi' }];

function beginWith(model: string, fields: JsonObject, isTranslated = false) {
  const call = callOf({ model, settings, ...(isTranslated ? { isTranslated } : {}) });
  return begin(vertexAi as Provider, call, JsonBody.of({ messages, ...fields }));
}

function sent(model: string, fields: JsonObject) {
  const { body, dropped } = beginWith(model, fields).request;
  const { messages: _messages, model: _model, ...rest } = body.kind === 'json' ? body.json() : {};
  return { body: rest, dropped: dropped.map(({ param }) => param) };
}

it('keeps all digits of a seed that has another name at the service', () => {
  const call = callOf({ model: 'mistralai.codestral-2', settings });
  const { body } = begin(vertexAi as Provider, call, JsonBody.from(Buffer.from('{"messages":[],"seed":9007199254740993}'))).request;
  expect(body.kind === 'json' ? body.bytes().toString() : '').toBe('{"messages":[],"random_seed":9007199254740993,"model":"codestral-2"}');
});

describe.each(['meta.llama-4', 'endpoints.my-llm', 'mistralai.codestral-2'])('chat with %s', (model) => {
  it.each<[string, JsonObject, JsonObject, string[]]>([
    ['two limits', { max_tokens: 8, max_completion_tokens: 64 }, { max_tokens: 64 }, ['max_tokens']],
    ['two equal limits', { max_tokens: 8, max_completion_tokens: 8 }, { max_tokens: 8 }, []],
    ['a limit next to null', { max_tokens: null, max_completion_tokens: 8 }, { max_tokens: 8 }, []],
    ['null next to a limit', { max_tokens: 8, max_completion_tokens: null }, { max_tokens: 8 }, []],
    ['neutral values', { store: false, metadata: {}, modalities: ['text'], audio: null, prompt_cache_key: '' }, {}, []],
    ['a search with the default options', { web_search_options: {} }, {}, ['web_search_options']],
    ['fields of other services', { metadata: { a: 'b' }, prompt_cache_key: 'k' }, {}, ['prompt_cache_key', 'metadata']],
  ])('converts %s', (_name, fields, body, dropped) => {
    const result = sent(model, fields);
    expect({ body: result.body, dropped: result.dropped.toSorted() }).toEqual({ body, dropped: dropped.toSorted() });
  });

  it('restores the names of tools in a translated response', () => {
    const name = `tool_${'x'.repeat(80)}`;
    const translation = beginWith(model, { tools: [{ type: 'function', function: { name, parameters: { type: 'object' } } }] }, true);
    const { body } = translation.request;
    const [tool] = (body.kind === 'json' ? body.json()['tools'] : []) as { function: { name: string } }[];
    expect(tool?.function.name).toHaveLength(64);
    const call = { id: 'a', type: 'function', function: { name: tool?.function.name, arguments: '{}' } };
    const answer = {
      choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }],
    };
    const result = translation.result?.(JSON.stringify(answer), answer);
    expect(JSON.stringify(result ?? answer)).toContain(name);
  });
});
