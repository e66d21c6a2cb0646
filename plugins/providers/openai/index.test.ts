import { emptyBody, JsonBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import type { Call, CommonSettings } from '#core/provider.ts';
import { describe, expect, it } from 'vitest';
import { begin } from '../../../test/contract/call.ts';
import openai from './index.ts';

type Settings = CommonSettings & Readonly<Record<string, unknown>>;

function callOf(endpoint: Endpoint, settings: Settings, overrides: Partial<Call<Settings>> = {}): Call<Settings> {
  const headers: Readonly<Record<string, string>> = {
    'openai-beta': 'assistants=v2',
    'openai-project': 'proj_caller',
    'x-stainless-lang': 'js',
    'idempotency-key': 'k-1',
  };
  return {
    endpoint,
    method: 'POST',
    settings,
    model: 'gpt-4o-mini',
    deployment: undefined,
    foundationModel: undefined,
    strict: true,
    stream: false,
    includeUsage: false,
    params: {},
    query: '',
    header: (name) => headers[name],
    form: undefined,
    credential: 'catalog',
    media: new Map(),
    id: 'req_1',
    createdAt: 1,
    ...overrides,
  };
}

const send = (endpoint: Endpoint, text: string, settings: Settings = {}, overrides: Partial<Call<Settings>> = {}) => {
  const { request } = begin(openai, callOf(endpoint, settings, overrides), text === '' ? emptyBody : JsonBody.from(Buffer.from(text)));
  return { ...request, url: request.origin + request.path, text: request.body.kind === 'json' ? request.body.bytes().toString() : '' };
};

/** URL from which the output of a batch is read if the batch names this file. */
const outputPathOf = (id: string): string => {
  const call = callOf('batches/{id}/output', {}, { params: { id: 'batch-1' } });
  const batch = { status: 200, headers: {}, text: JSON.stringify({ id: 'batch-1', output_file_id: id }) };
  const next = begin(openai, call).then?.(batch)?.request;
  return `${next?.origin}${next?.path}`;
};

describe('the upstream URL of openai', () => {
  it.each([
    ['chat/completions', {}, {}, 'https://api.openai.com/v1/chat/completions'],
    ['chat/completions', { custom_host: 'http://127.0.0.1:11434/v1' }, {}, 'http://127.0.0.1:11434/v1/chat/completions'],
    ['embeddings', { custom_host: 'https://host.example/openai/' }, {}, 'https://host.example/openai/embeddings'],
    [
      'responses/{id}',
      {},
      { params: { id: 'resp/../1' }, query: 'include=a&include=b' },
      'https://api.openai.com/v1/responses/resp%2F..%2F1?include=a&include=b',
    ],
    ['responses/{id}/cancel', {}, { params: { id: 'resp_1' } }, 'https://api.openai.com/v1/responses/resp_1/cancel'],
    ['models', {}, { method: 'GET' }, 'https://api.openai.com/v1/models'],
  ] as const)('of %s with %j is correct', (endpoint, settings, overrides, url) => {
    expect(send(endpoint, '', settings, overrides).url).toBe(url);
  });

  it('of a relayed path is correct', () => {
    const address = openai.relay?.(callOf('relay', {}, { query: 'purpose=batch' }), '/v1/files/file-1');
    expect(`${address?.origin}${address?.path}`).toBe('https://api.openai.com/v1/files/file-1?purpose=batch');
  });

  it.each(['.', '..', ''])('with the id %j is rejected', (id) => {
    for (const endpoint of ['batches/{id}/cancel', 'files/{id}/content', 'fine_tuning/jobs/{id}', 'batches/{id}/output'] as const) {
      expect(() => send(endpoint, '', {}, { params: { id } })).toThrow(/part of an upstream path/);
    }
  });

  it.each([
    ['file-1', 'https://api.openai.com/v1/files/file-1/content'],
    ['a?b#c\r\nd', 'https://api.openai.com/v1/files/a%3Fb%23c%0D%0Ad/content'],
  ])('of the output file %j stays below /v1/files', (id, url) => {
    expect(outputPathOf(id)).toBe(url);
  });

  it.each(['..', '../../admin', 'https://evil.example/x', '..\\x'])('of the output file %j is rejected with 404', (id) => {
    expect(() => outputPathOf(id)).toThrow(expect.objectContaining({ status: 404 }) as Error);
  });

  it('with an invalid custom host is rejected', () => {
    expect(() => send('models', '', { custom_host: 'nonsense' })).toThrow(/custom host/);
  });
});

describe('the body sent to openai', () => {
  it('is unchanged if the model needs no change', () => {
    const text = '{ "model":"gpt-4o-mini", "seed":12345678901234567890, "temperature":1.0,\n "messages":[], "hologram":{"a":1} }';
    expect(send('chat/completions', text).text).toBe(text);
  });

  it('contains the model of the call, without other changes', () => {
    const text = '{"model":"@main/gpt-4o-mini","seed":12345678901234567890,"messages":[{"content":"ü"}]}';
    expect(send('chat/completions', text).text).toBe('{"model":"gpt-4o-mini","seed":12345678901234567890,"messages":[{"content":"ü"}]}');
  });

  it.each([
    ['the default host', {}, '{"model":"gpt-4o-mini"}', ['labels', 'thinking']],
    [
      'a custom host',
      { custom_host: 'https://host.example/v1' },
      '{"model":"gpt-4o-mini","labels":{"a":"b"},"thinking":{"type":"enabled"}}',
      [],
    ],
    [
      'a custom host with extensions drop',
      { custom_host: 'https://host.example/v1', extensions: 'drop' },
      '{"model":"gpt-4o-mini"}',
      ['labels', 'thinking'],
    ],
    [
      'the default host with extensions pass',
      { extensions: 'pass' },
      '{"model":"gpt-4o-mini","labels":{"a":"b"},"thinking":{"type":"enabled"}}',
      [],
    ],
  ] as const)('keeps or drops gateway extensions for %s', (_name, settings, text, dropped) => {
    const request = send('chat/completions', '{"model":"gpt-4o-mini","labels":{"a":"b"},"thinking":{"type":"enabled"}}', settings);
    expect(request.text).toBe(text);
    expect(request.dropped.map(({ param }) => param)).toEqual(dropped);
  });
});

describe('labels of a config', () => {
  const text = '{"model":"m","labels":{"a":"b"},"input":1.0}';
  it.each([
    ...['responses', 'embeddings', 'moderations', 'completions', 'images/generations', 'audio/speech', 'fine_tuning/jobs'].map(
      (endpoint) => [endpoint, '{"model":"m","input":1.0}', ['labels']] as const,
    ),
    ['batches', '{"input":1.0}', ['labels', 'model']],
  ] as const)('are not sent to an endpoint that rejects them: %s', (endpoint, sent, dropped) => {
    const request = send(endpoint as Endpoint, text, {}, { model: 'm' });
    expect(request.text).toBe(sent);
    expect(request.dropped.map(({ param }) => param)).toEqual(dropped);
    expect(send(endpoint as Endpoint, text, { extensions: 'pass' }, { model: 'm' }).text).toContain('"labels"');
  });
});

describe('the body of a batch or fine-tuning job', () => {
  it.each(['batches', 'fine_tuning/jobs'] as const)('with invalid metadata is rejected before anything is sent: %s', (endpoint) => {
    expect(() => send(endpoint, '{"metadata":{"k":1}}')).toThrow(/'metadata.k': expected a string/);
    expect(send(endpoint, '{"metadata":null,"a":1.0}', {}, { model: '' }).text).toBe('{"metadata":null,"a":1.0}');
  });

  it('contains no model for a batch', () => {
    expect(send('batches', '{"input_file_id":"f"}').text).toBe('{"input_file_id":"f"}');
    expect(send('batches', '{"model":"@main/m","input_file_id":"f"}')).toMatchObject({ text: '{"input_file_id":"f"}', dropped: [] });
    expect(send('batches', '{"input_file_id":"f","model":"m"}')).toMatchObject({
      text: '{"input_file_id":"f"}',
      dropped: [{ param: 'model' }],
    });
  });
});

describe('the headers sent to openai', () => {
  it('request a range of the output of a batch from its file, not from the batch', () => {
    const call = callOf('batches/{id}/output', {}, { params: { id: 'b' }, header: (name) => (name === 'range' ? 'bytes=2-3' : undefined) });
    const { request, then } = begin(openai, call);
    const file = then?.({ status: 200, headers: {}, text: JSON.stringify({ id: 'b', output_file_id: 'f' }) })?.request;
    expect([request.headers.includes('range'), file?.headers]).toEqual([false, ['accept', '*/*', 'range', 'bytes=2-3']]);
  });

  it('are those that OpenAI defines, with settings before client headers', () => {
    expect(send('chat/completions', '{}', { organization: 'org-1' }, { stream: true }).headers).toEqual([
      'accept',
      'text/event-stream',
      'openai-organization',
      'org-1',
      'openai-project',
      'proj_caller',
      'openai-beta',
      'assistants=v2',
      'idempotency-key',
      'k-1',
      'content-type',
      'application/json',
    ]);
    expect(send('chat/completions', '{}', { project: 'proj_entry' }).headers).toContain('proj_entry');
  });

  it('contain the key as bearer token', () => {
    expect(openai.entry.credential({}, 'sk-1')).toEqual({ scheme: 'bearer', secret: 'sk-1' });
  });
});

it.each(['chat/completions', 'embeddings', 'responses'] as const)('%s: extra_body may replace parameters of a config', (endpoint) => {
  expect(openai.operations[endpoint]?.ownForms).toContain('extra_body');
});
