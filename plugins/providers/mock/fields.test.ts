import { JsonBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import { describe, expect, it } from 'vitest';
import { callOf } from '../../../test/contract/call.ts';
import mock from './index.ts';

type Json = Record<string, unknown>;

const user = { role: 'user', content: 'hi' };
const chat = { messages: [user] };

function send(endpoint: Endpoint, body: Json, model = 'echo') {
  const call = callOf({ endpoint, model, stream: body['stream'] === true });
  const translation = mock.operations[endpoint]?.begin(JsonBody.of(body), call);
  if (translation?.local === undefined) throw new Error(`no ${endpoint}`);
  const { status, pieces } = translation.local(translation.request);
  return { status, error: status < 400 ? undefined : (JSON.parse(pieces.map(({ text }) => text).join('')) as { error: Json }).error };
}

describe('the mock provider rejects invalid bodies', () => {
  it.each<[Endpoint, Json, string, string]>([
    ['chat/completions', {}, 'messages', 'missing_required_parameter'],
    ['chat/completions', { messages: null }, 'messages', 'missing_required_parameter'],
    ['chat/completions', { messages: 'hi' }, 'messages', 'invalid_type'],
    ['chat/completions', { messages: [] }, 'messages', 'empty_array'],
    ['chat/completions', { messages: [1] }, 'messages[0]', 'invalid_type'],
    ['chat/completions', { messages: [user, { content: 'x' }] }, 'messages[1].role', 'missing_required_parameter'],
    ['chat/completions', { messages: [{ role: 'king' }] }, 'messages[0].role', 'invalid_value'],
    ['chat/completions', { messages: [{ role: 'user', content: 5 }] }, 'messages[0].content', 'invalid_type'],
    ['chat/completions', { ...chat, n: 0 }, 'n', 'integer_below_min_value'],
    ['chat/completions', { ...chat, n: 1.5 }, 'n', 'invalid_type'],
    ['chat/completions', { ...chat, n: 129 }, 'n', 'integer_above_max_value'],
    ['chat/completions', { ...chat, temperature: 3 }, 'temperature', 'decimal_above_max_value'],
    ['chat/completions', { ...chat, temperature: '1' }, 'temperature', 'invalid_type'],
    ['chat/completions', { ...chat, stream: 'yes' }, 'stream', 'invalid_type'],
    ['chat/completions', { ...chat, stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop', 'array_above_max_length'],
    ['chat/completions', { ...chat, tools: {} }, 'tools', 'invalid_type'],
    ['chat/completions', { ...chat, metadata: { a: 1 } }, 'metadata.a', 'invalid_type'],
    ['completions', { prompt: { a: 1 } }, 'prompt', 'invalid_type'],
    ['embeddings', {}, 'input', 'missing_required_parameter'],
    ['embeddings', { input: '' }, 'input', 'invalid_value'],
    ['embeddings', { input: [] }, 'input', 'empty_array'],
    ['embeddings', { input: 'a', dimensions: 0 }, 'dimensions', 'integer_below_min_value'],
    ['embeddings', { input: 'a', dimensions: 5000 }, 'dimensions', 'integer_above_max_value'],
    ['embeddings', { input: 'a', encoding_format: 'int8' }, 'encoding_format', 'invalid_value'],
    ['images/generations', {}, 'prompt', 'missing_required_parameter'],
    ['images/generations', { prompt: 'a', n: 11 }, 'n', 'integer_above_max_value'],
    ['audio/speech', { voice: 'alloy' }, 'input', 'missing_required_parameter'],
    ['audio/speech', { input: 'a' }, 'voice', 'missing_required_parameter'],
    ['audio/speech', { input: 'a'.repeat(4097), voice: 'alloy' }, 'input', 'string_above_max_length'],
    ['audio/speech', { input: 'a', voice: 'alloy', speed: 5 }, 'speed', 'decimal_above_max_value'],
    ['moderations', {}, 'input', 'missing_required_parameter'],
    ['moderations', { input: 5 }, 'input', 'invalid_type'],
    ['responses', {}, 'input', 'missing_required_parameter'],
    ['responses', { input: [] }, 'input', 'empty_array'],
    ['responses', { input: [5] }, 'input[0]', 'invalid_type'],
    ['batches', {}, 'input_file_id', 'missing_required_parameter'],
    ['batches', { input_file_id: 'file-1', endpoint: '/v1/x', completion_window: '24h' }, 'endpoint', 'invalid_value'],
    ['batches', { input_file_id: 'file-1', endpoint: '/v1/embeddings', completion_window: '1h' }, 'completion_window', 'invalid_value'],
    ['fine_tuning/jobs', {}, 'training_file', 'missing_required_parameter'],
    ['fine_tuning/jobs', { training_file: 'x', suffix: 'a'.repeat(65) }, 'suffix', 'string_above_max_length'],
    [
      'fine_tuning/jobs',
      { training_file: 'x', metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, ''])) },
      'metadata',
      'object_above_max_properties',
    ],
  ])('of %s: %j', (endpoint, body, param, code) => {
    const { status, error } = send(endpoint, body);
    expect(status).toBe(400);
    expect(error).toMatchObject({ type: 'invalid_request_error', message: expect.stringContaining(param) as string });
    expect({ param: error?.['param'], code: error?.['code'] }).toEqual({ param, code });
  });

  it.each<[Endpoint, Json]>([
    ['chat/completions', chat],
    ['embeddings', { input: 'a' }],
    ['responses', { input: 'a' }],
    ['fine_tuning/jobs', { training_file: 'x' }],
  ])('of %s without a model', (endpoint, body) => {
    expect(send(endpoint, body, '')).toMatchObject({ status: 400, error: { param: 'model', code: 'missing_required_parameter' } });
  });
});

describe('the mock provider accepts', () => {
  it.each<[Endpoint, Json]>([
    ['chat/completions', { messages: [{ role: 'assistant', content: null, tool_calls: [{ id: 'a' }] }, user], temperature: null, n: null }],
    ['chat/completions', { messages: [{ role: 'user', content: [{ type: 'text', text: '\ud800' }] }], unknown_field: [[[]]] }],
    ['completions', {}],
    ['completions', { prompt: [[1, 2], [3]] }],
    ['embeddings', { input: [1, 2, 3] }],
    ['embeddings', { input: [[1], [2, 3]], encoding_format: 'base64' }],
    ['embeddings', { input: ['a', 'b'] }],
    ['moderations', { input: [{ type: 'text', text: 'a' }] }],
    ['responses', { input: [{ role: 'user', content: 'a' }], instructions: null }],
    ['audio/speech', { input: 'a', voice: { id: 'v' }, response_format: 'wav' }],
  ])('%s with body %j', (endpoint, body) => {
    expect(send(endpoint, body)).toEqual({ status: 200, error: undefined });
  });

  it('images/generations without a model', () => {
    expect(send('images/generations', { prompt: 'a' }, '')).toEqual({ status: 200, error: undefined });
  });
});

describe('the mock provider limits the size of its response', () => {
  const long = 'a'.repeat(1024 * 1024);
  const saying = (content: string) => ({ messages: [{ role: 'user', content }] });
  const inputs = (count: number, input: unknown = 'a') => ({ input: Array<unknown>(count).fill(input) });

  it.each<[string, Endpoint, Json, Json, string]>([
    ['numbers of vectors', 'embeddings', { ...inputs(64), dimensions: 4096 }, { ...inputs(65), dimensions: 4096 }, 'input'],
    [
      'numbers of vectors of images',
      'images/embeddings',
      { ...inputs(64, { image: 'a' }), dimensions: 4096 },
      { ...inputs(65, { image: 'a' }), dimensions: 4096 },
      'input',
    ],
    ['characters of choices', 'chat/completions', { ...saying(long), n: 16 }, { ...saying(long), n: 17 }, 'n'],
    [
      'characters of streamed choices',
      'chat/completions',
      { ...saying(long), n: 16, stream: true },
      { ...saying(long), n: 17, stream: true },
      'n',
    ],
    ['characters of completions', 'completions', { prompt: long, n: 16 }, { prompt: long, n: 17 }, 'n'],
    ['choices', 'completions', { prompt: Array(1024).fill('a'), n: 2 }, { prompt: Array(1025).fill('a'), n: 2 }, 'n'],
    ['prompts', 'completions', { prompt: Array(2048).fill('a') }, { prompt: Array(2049).fill('a') }, 'prompt'],
    ['moderated inputs', 'moderations', inputs(2048), inputs(2049), 'input'],
  ])('by the number of %s', (_, endpoint, accepted, rejected, param) => {
    expect(send(endpoint, accepted).status).toBe(200);
    const { status, error } = send(endpoint, rejected);
    expect([status, error?.['param']]).toEqual([400, param]);
    expect(error?.['code']).toBe(param === 'n' ? 'integer_above_max_value' : 'array_above_max_length');
    expect(String(error?.['message']).length).toBeLessThan(250);
  });
});
