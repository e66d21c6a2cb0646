import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/json/merge.ts';
import type { BatchEndpoint } from './kind.ts';
import { outputLines } from './output-lines.ts';

const call = { strict: true, id: 'req_1', createdAt: 1_793_610_000 };
const convertOutput = (
  row: JsonObject | string,
  endpoint: BatchEndpoint = '/v1/chat/completions',
  model = 'gemini-2.5-flash',
  strict = true,
): JsonObject => {
  const line = outputLines({ endpoint, model }, { ...call, strict })(typeof row === 'string' ? row : JSON.stringify(row), 3);
  return JSON.parse(line ?? 'null') as JsonObject;
};
const response = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
  modelVersion: 'gemini-2.5-flash',
  responseId: 'r9',
};

describe('an output line of vertex-ai', () => {
  it('is converted from a row of Gemini', () => {
    const row = { status: '', processed_time: '2026-11-02T09:00:00Z', request: {}, response, requestId: 'a-1' };
    expect(convertOutput(row)).toEqual({
      id: 'batch_req_req_1_3',
      custom_id: 'a-1',
      response: {
        status_code: 200,
        request_id: 'r9',
        body: {
          id: 'r9',
          object: 'chat.completion',
          created: 1_793_610_000,
          model: 'gemini-2.5-flash',
          choices: [{ index: 0, message: { role: 'assistant', content: 'Hello', refusal: null }, logprobs: null, finish_reason: 'stop' }],
          usage: expect.objectContaining({ prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }) as unknown,
        },
      },
      error: null,
    });
  });

  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-4-6',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 2 },
  };

  it('is converted from a row of Anthropic to a chat completion', () => {
    const body = { object: 'chat.completion', id: 'msg_1', choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }] };
    expect(convertOutput({ custom_id: 'a-1', request: {}, response: message })).toMatchObject({
      custom_id: 'a-1',
      response: { status_code: 200, body },
    });
  });

  it('contains the message of an Anthropic row for the endpoint /v1/messages', () => {
    expect(convertOutput({ custom_id: 'a-1', response: message }, '/v1/messages')).toMatchObject({ response: { body: message } });
  });

  it.each<[string, JsonObject]>([
    [
      'older format',
      { instance: { content: 'x', requestId: 'a-1' }, predictions: [{ embeddings: { values: [0.5], statistics: { token_count: 4 } } }] },
    ],
    [
      'older format with the id at the top level',
      { requestId: 'a-1', instance: {}, predictions: [{ embeddings: { values: [0.5], statistics: { token_count: 4 } } }] },
    ],
    ['newer format', { key: 'a-1', response: { embedding: { values: [0.5] }, usageMetadata: { promptTokenCount: 4 } } }],
  ])('is converted from a row with embeddings: %s', (_, row) => {
    const body = {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
      model: 'm',
      usage: { prompt_tokens: 4, total_tokens: 4 },
    };
    expect(convertOutput(row, '/v1/embeddings', 'm')).toMatchObject({
      custom_id: 'a-1',
      response: { status_code: 200, body },
      error: null,
    });
  });

  it('contains the completion of an open model unchanged', () => {
    const completion = { id: 'c1', object: 'chat.completion', choices: [] };
    expect(convertOutput({ custom_id: 'a-1', response: completion })).toMatchObject({ response: { request_id: 'c1', body: completion } });
  });

  it.each([
    [200, { id: 'c1', object: 'chat.completion', choices: [] }],
    [400, { error: { message: 'no', type: 'invalid_request_error' } }],
  ])('contains the response of an open model in the batch format unchanged, with status %i', (status_code, body) => {
    const lineResponse = { status_code, request_id: 'r1', body };
    expect(convertOutput({ id: 'b1', custom_id: 'a-1', response: lineResponse, error: null })).toEqual({
      id: 'batch_req_req_1_3',
      custom_id: 'a-1',
      response: lineResponse,
      error: null,
    });
  });

  it.each<[string, JsonObject | string, object]>([
    ['a status text', { requestId: 'a', status: 'Bad Request: no', response: {} }, { code: 'provider_error', message: 'Bad Request: no' }],
    [
      'a JSON error as status',
      { requestId: 'a', status: '{"error": {"code": 400, "message": "bad", "status": "INVALID_ARGUMENT"}}', response: {} },
      { code: 'INVALID_ARGUMENT', message: 'bad' },
    ],
    ['a JSON status', { requestId: 'a', status: '{"code": 8, "message": "quota"}' }, { code: '8', message: 'quota' }],
    [
      'an error of Anthropic',
      { custom_id: 'a', response: { type: 'error', error: { type: 'overloaded_error', message: 'busy' } } },
      { code: 'overloaded_error', message: 'busy' },
    ],
    ['an error member', { custom_id: 'a', error: { message: 'gone' } }, { code: 'provider_error', message: 'gone' }],
    ['an empty response', { custom_id: 'a', status: '', response: {} }, { code: 'provider_error' }],
  ])('is an error for a row with %s', (_, row, error) => {
    expect(convertOutput(row)).toMatchObject({ custom_id: 'a', response: null, error });
  });

  it('is an error for invalid JSON, and absent for an empty row', () => {
    expect(convertOutput('{"a":')).toMatchObject({ custom_id: null, response: null, error: { code: 'upstream_invalid' } });
    expect(outputLines({ endpoint: '/v1/chat/completions', model: 'm' }, call)('  ', 0)).toBeUndefined();
  });

  it('is an error for a row without valid embeddings', () => {
    expect(convertOutput({ key: 'a', response: { foo: 1 } }, '/v1/embeddings')).toMatchObject({
      custom_id: 'a',
      error: { code: 'upstream_invalid' },
    });
  });

  it('keeps the digits of long numbers in function calls', () => {
    const text =
      '{"requestId":"a","response":{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"n":12345678901234567890}}}]}}]}}';
    expect(JSON.stringify(convertOutput(text))).toContain(String.raw`{\"n\":12345678901234567890}`);
  });

  it('contains reasoning only with strict compliance off', () => {
    const row = { requestId: 'a', response: { candidates: [{ content: { parts: [{ text: 'why', thought: true }, { text: 'so' }] } }] } };
    expect(JSON.stringify(convertOutput(row))).not.toContain('why');
    expect(JSON.stringify(convertOutput(row, '/v1/chat/completions', 'g', false))).toContain('why');
  });
});
