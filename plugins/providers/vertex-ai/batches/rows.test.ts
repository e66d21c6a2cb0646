import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/json/merge.ts';
import { toRow } from './rows.ts';

const line = (body: JsonObject, extra: JsonObject = {}): JsonObject => ({
  custom_id: 'r-1',
  method: 'POST',
  url: '/v1/chat/completions',
  body,
  ...extra,
});
const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hi' },
];

describe('toRow', () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      'Gemini',
      line({ model: '@vertex-eu/gemini-2.5-flash', messages, max_tokens: 5, stream: true }),
      {
        requestId: 'r-1',
        request: {
          systemInstruction: { parts: [{ text: 'Be brief.' }] },
          contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
          generationConfig: { maxOutputTokens: 5 },
        },
      },
    ],
    [
      'Anthropic',
      line({ model: 'anthropic.claude-sonnet-4-5@20250929', messages, max_tokens: 5, stream: true }),
      {
        custom_id: 'r-1',
        request: {
          anthropic_version: 'vertex-2023-10-16',
          max_tokens: 5,
          system: [{ type: 'text', text: 'Be brief.' }],
          messages: [{ role: 'user', content: 'Hi' }],
        },
      },
    ],
    [
      'Anthropic, from a messages body',
      line({ model: 'claude-opus-4-6', max_tokens: 5, stream: true, messages: [], top_k: 3 }, { url: '/v1/messages' }),
      { custom_id: 'r-1', request: { anthropic_version: 'vertex-2023-10-16', max_tokens: 5, messages: [], top_k: 3 } },
    ],
    [
      'beta features of a message, for which the gateway has another name',
      line({ model: 'claude-opus-4-6', max_tokens: 5, messages: [], anthropic_beta: ['a'], vendor_beta: 'a,b' }, { url: '/v1/messages' }),
      {
        custom_id: 'r-1',
        request: { anthropic_version: 'vertex-2023-10-16', max_tokens: 5, messages: [], anthropic_beta: ['a', 'b'] },
      },
    ],
    [
      'embeddings of an older model',
      line({ model: 'text-embedding-005', input: 'Hi', task_type: 'CLUSTERING' }, { url: '/v1/embeddings' }),
      { content: 'Hi', task_type: 'CLUSTERING', requestId: 'r-1' },
    ],
    [
      'embeddings of a newer model',
      line({ model: 'gemini-embedding-2', input: ['Hi'], dimensions: 768 }, { url: '/v1/embeddings' }),
      { key: 'r-1', request: { content: { parts: [{ text: 'Hi' }] }, embedContentConfig: { outputDimensionality: 768 } } },
    ],
    [
      'open models',
      line({ model: 'meta.llama-4', messages: [] }),
      { custom_id: 'r-1', method: 'POST', url: '/v1/chat/completions', body: { model: 'meta/llama-4', messages: [] } },
    ],
  ])('converts a line for %s', (_, line, row) => expect(toRow(line, {}).row).toMatchObject(row));

  it('writes neither model nor stream to a row', () => {
    for (const model of ['gemini-2.5-flash', 'anthropic.claude-opus-4-6']) {
      const request = toRow(line({ model, messages, stream: true }), {}).row['request'] as JsonObject;
      expect(Object.keys(request)).not.toEqual(expect.arrayContaining(['model']));
      expect(Object.keys(request)).not.toEqual(expect.arrayContaining(['stream']));
    }
  });

  it.each([
    ['gemini-2.5-flash', '/v1/chat/completions', ['stream']],
    ['anthropic.claude-opus-4-6', '/v1/chat/completions', ['stream', 'labels']],
    ['anthropic.claude-opus-4-6', '/v1/messages', ['stream', 'labels']],
    ['meta.llama-4-maverick-17b-128e-instruct-maas', '/v1/chat/completions', ['stream', 'labels']],
  ])('drops stream of a line for %s at %s, and reports it', (model, url, droppedParams) => {
    const { row, dropped } = toRow(line({ model, messages, max_tokens: 5, stream: true, labels: { a: 'b' } }, { url }), {});
    expect(dropped.map(({ param }) => param)).toEqual(droppedParams);
    expect(JSON.stringify(row)).not.toContain('stream');
  });

  it('drops the same fields for an open model as chat completions do', () => {
    const openaiOnly = { store: true, metadata: { a: 'b' }, service_tier: 'auto', prompt_cache_key: 'k', labels: { a: 'b' } };
    const requestMessages = [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ];
    const { row, dropped } = toRow(line({ model: 'meta.llama-4', messages: requestMessages, seed: 1, ...openaiOnly }), {});
    expect(row['body']).toEqual({ model: 'meta/llama-4', messages, seed: 1 });
    expect(dropped.map(({ param }) => param).toSorted()).toEqual(Object.keys(openaiOnly).toSorted());
    const passedThrough = toRow(line({ model: 'meta.llama-4', messages, labels: { a: 'b' } }), { extensions: 'pass' });
    expect([passedThrough.row['body'], passedThrough.dropped]).toEqual([{ model: 'meta/llama-4', messages, labels: { a: 'b' } }, []]);
  });

  it.each(['gemini-2.5-flash', 'meta.llama-4'])('checks file URIs of a line for %s', (model) => {
    const checkedUris: string[] = [];
    const files = { check: (uri: string): void => void checkedUris.push(uri) };
    const content = [{ type: 'image_url', image_url: { url: 'gs://b/c.png' } }];
    toRow(line({ model, messages: [{ role: 'user', content }] }), {}, files);
    expect(checkedUris).toEqual(['gs://b/c.png']);
  });

  it('derives the endpoint from the body if the line has no url', () => {
    expect(toRow({ custom_id: 'a', body: { model: 'text-embedding-005', input: 'x' } }, {}).endpoint).toBe('/v1/embeddings');
    expect(toRow({ custom_id: 'a', body: { model: 'gemini-2.5-flash', messages } }, {}).endpoint).toBe('/v1/chat/completions');
  });

  it('sends functions of open models as tools, in earlier turns too', () => {
    const called = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } };
    const body = {
      model: 'meta.llama-4',
      messages: [...messages, called, { role: 'function', name: 'f', content: '1' }],
      functions: [{ name: 'f' }],
      function_call: { name: 'f' },
    };
    const { row, dropped } = toRow(line(body), {});
    expect(row['body']).toMatchObject({
      messages: [...messages, { tool_calls: [{ type: 'function', function: { name: 'f' } }] }, { role: 'tool', content: '1' }],
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
    });
    expect(row['body']).not.toHaveProperty('functions');
    expect(dropped).toEqual([]);
  });

  it('reports dropped parameters', () => {
    expect(toRow(line({ model: 'gemini-2.5-flash', messages, logit_bias: { 1: 2 } }), {}).dropped).toEqual([
      { param: 'logit_bias', reason: 'not supported by this service' },
    ]);
    expect(toRow(line({ model: 'text-embedding-005', input: 'x', dimensions: 4 }, { url: '/v1/embeddings' }), {}).dropped).toMatchObject([
      { param: 'dimensions' },
    ]);
    expect(toRow(line({ model: 'anthropic.claude-opus-4-6', messages, labels: { team: 'a' } }), {}).dropped).toMatchObject([
      { param: 'labels' },
    ]);
    for (const model of ['text-embedding-005', 'gemini-embedding-2']) {
      const droppedOf = (format: string) => {
        const body = { model, input: 'x', encoding_format: format };
        return toRow(line(body, { url: '/v1/embeddings' }), {}).dropped.map(({ param }) => param);
      };
      expect(droppedOf('base64')).toEqual(['encoding_format']);
      expect(droppedOf('float')).toEqual([]);
    }
  });

  const oddTool = { type: 'function', function: { name: 'get weather' } };
  it.each<[string, JsonObject, object]>([
    ['a line without custom_id', { body: { model: 'gemini-2.5-flash' } }, { code: 'missing_required_parameter', param: 'custom_id' }],
    ['a line without model', line({ messages }), { code: 'missing_required_parameter', param: 'body.model' }],
    ['another url', line({ model: 'gemini-2.5-flash', messages }, { url: '/v1/responses' }), { code: 'invalid_value', param: 'url' }],
    [
      'embeddings of a chat model',
      line({ model: 'meta.llama-4', input: 'x' }, { url: '/v1/embeddings' }),
      { code: 'unsupported_parameter' },
    ],
    ['messages for Gemini', line({ model: 'gemini-2.5-flash', messages }, { url: '/v1/messages' }), { code: 'unsupported_parameter' }],
    ['a model that is an endpoint', line({ model: 'endpoints.1', messages }), { code: 'unsupported_parameter', param: 'body.model' }],
    ['a model name with a path', line({ model: '../x', messages }), { code: 'model_not_found' }],
    ['a tool name that Gemini rejects', line({ model: 'gemini-2.5-flash', messages, tools: [oddTool] }), { param: 'body.tools' }],
    [
      'a tool name that Anthropic rejects',
      line({ model: 'anthropic.claude-opus-4-6', messages, functions: [{ name: 'a.b' }] }),
      { param: 'body.tools' },
    ],
    ['several input texts', line({ model: 'text-embedding-005', input: ['a', 'b'] }, { url: '/v1/embeddings' }), { param: 'body.input' }],
    [
      'an image URL for Anthropic',
      line({
        model: 'anthropic.claude-opus-4-6',
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://h.example/a.png' } }] }],
      }),
      { code: 'unsupported_parameter', param: 'body.messages' },
    ],
  ])('rejects %s', (_, line, error) => {
    expect(() => toRow(line, {})).toThrow(expect.objectContaining(error) as Error);
  });
});
