import { JsonBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import type { Call, CommonSettings, StepReply } from '#core/provider.ts';
import { describe, expect, it } from 'vitest';
import { begin, callOf } from '../../../../test/contract/call.ts';
import anthropic from '../index.ts';

type Json = Record<string, unknown>;
type CommonCall = Call<CommonSettings>;
type CallOverrides = Partial<CommonCall>;

const callFor = (endpoint: Endpoint, overrides: CallOverrides = {}): CommonCall =>
  callOf({ endpoint, method: 'GET', model: '', ...overrides });
const reply = (value: unknown): StepReply => ({
  status: 200,
  headers: {},
  text: typeof value === 'string' ? value : JSON.stringify(value),
});

const line = {
  custom_id: 'r-1',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
};
const create = { endpoint: '/v1/chat/completions', completion_window: '24h', requests: [line] };
const batch = { id: 'msgbatch_1', processing_status: 'in_progress', request_counts: { processing: 1 }, created_at: '2026-01-01T00:00:00Z' };

const createBatch = (body: Json, overrides: CallOverrides = {}) => {
  const translation = begin(anthropic, callFor('batches', { method: 'POST', ...overrides }), JsonBody.of(body));
  return { translation, request: translation.request };
};

const sentBody = (request: { readonly body: { readonly kind: string } }): Json => (request.body as JsonBody).json();

describe('POST /v1/batches for anthropic', () => {
  it('sends the requests of the body', () => {
    const { request, translation } = createBatch({ ...create, metadata: { team: 'a' }, output_expires_after: { seconds: 3600 } });
    expect(request).toMatchObject({ method: 'POST', origin: 'https://api.anthropic.com', path: '/v1/messages/batches' });
    expect(request.headers.join()).toBe('accept,application/json,content-type,application/json,anthropic-version,2023-06-01');
    expect(sentBody(request)).toEqual({
      requests: [{ custom_id: 'r-1', params: expect.objectContaining({ model: 'm', max_tokens: 4096 }) as object }],
    });
    expect(request.dropped.map(({ param }) => param)).toEqual(['output_expires_after', 'metadata']);
    const unset = { ...create, completion_window: null, metadata: null, output_expires_after: null };
    expect(createBatch(unset).request.dropped).toEqual([]);
    expect(translation.then).toBeUndefined();
    expect(translation.result?.(JSON.stringify(batch))).toMatchObject({
      id: 'msgbatch_1',
      input_file_id: null,
      endpoint: '/v1/chat/completions',
    });
  });

  it('downloads the input file first', () => {
    const { request, translation } = createBatch({
      endpoint: '/v1/chat/completions',
      input_file_id: 'file_1/..',
      metadata: { a: 'b' },
    });
    expect(request).toMatchObject({ method: 'GET', path: '/v1/files/file_1%2F../content' });
    expect(request.headers.join()).toContain('anthropic-beta,files-api-2025-04-14');
    expect(request.dropped.map(({ param }) => param)).toEqual(['metadata']);
    expect(translation.tap.form).toBe('text');
    const file = reply(
      `\uFEFF${JSON.stringify(line)}\n\n${JSON.stringify({ ...line, custom_id: 'r-2', body: { ...line.body, seed: 1 } })}\r\n`,
    );
    const next = translation.then?.(file);
    expect(next?.request).toMatchObject({ method: 'POST', path: '/v1/messages/batches', dropped: [{ param: 'seed' }] });
    expect((sentBody(next?.request as never)['requests'] as Json[]).map((request) => request['custom_id'])).toEqual(['r-1', 'r-2']);
    expect(next?.then).toBeUndefined();
    expect(next?.result?.(JSON.stringify(batch))).toMatchObject({ input_file_id: 'file_1/..' });
  });

  it('reports the number of an invalid line of the input file', () => {
    const { translation } = createBatch({ endpoint: '/v1/chat/completions', input_file_id: 'file_1' });
    const followUp = (text: string) => () => translation.then?.(reply(text));
    expect(followUp(`${JSON.stringify(line)}\n{"a"`)).toThrow(
      expect.objectContaining({ code: 'invalid_json', param: 'input_file_id', message: expect.stringContaining('Line 2') as string }),
    );
    expect(followUp(`\n${JSON.stringify({ ...line, custom_id: 'a b' })}`)).toThrow(/line 2/);
    expect(followUp('')).toThrow(expect.objectContaining({ code: 'invalid_value' }));
  });

  it('returns an id with the suffix -messages for the endpoint /v1/messages', () => {
    const { request, translation } = createBatch({
      ...create,
      endpoint: '/v1/messages',
      requests: [{ ...line, url: '/v1/messages' }],
    });
    expect(sentBody(request)).toEqual({ requests: [{ custom_id: 'r-1', params: line.body }] });
    expect(translation.result?.(JSON.stringify(batch))).toMatchObject({ id: 'msgbatch_1-messages', endpoint: '/v1/messages' });
  });

  it('uses the model of the batch for lines without one, and sends the beta features of lines', () => {
    const { model: _, ...body } = line.body;
    const { request } = createBatch({ ...create, model: '@claude/m-2', requests: [{ ...line, body: { ...body, anthropic_beta: 'x-1' } }] });
    expect(sentBody(request)).toMatchObject({ requests: [{ params: { model: 'm-2' } }] });
    expect(request.headers.join()).toContain('anthropic-beta,x-1');
  });

  it.each([
    [{}, 'missing_required_parameter', 'endpoint'],
    [{ endpoint: 5 }, 'invalid_value', 'endpoint'],
    [{ endpoint: '/v1/embeddings' }, 'invalid_value', 'endpoint'],
    [{ ...create, completion_window: '1h' }, 'invalid_value', 'completion_window'],
    [{ ...create, requests: {} }, 'invalid_type', 'requests'],
    [{ ...create, requests: [] }, 'invalid_value', 'requests'],
    [{ ...create, input_file_id: 'file_1' }, 'invalid_value', 'input_file_id'],
    [{ ...create, requests: null }, 'missing_required_parameter', 'input_file_id'],
    [{ endpoint: '/v1/messages' }, 'missing_required_parameter', 'input_file_id'],
    [{ endpoint: '/v1/messages', input_file_id: 7 }, 'missing_required_parameter', 'input_file_id'],
    [{ ...create, metadata: { a: 1 } }, 'invalid_type', 'metadata.a'],
    [{ ...create, metadata: { a: 'x'.repeat(513) } }, 'string_above_max_length', 'metadata.a'],
    [
      { ...create, metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, ''])) },
      'object_above_max_properties',
      'metadata',
    ],
  ])('rejects %j with 400 without sending a request', (body, code, param) => {
    expect(() => createBatch(body)).toThrow(expect.objectContaining({ code, param, status: 400 }));
  });
});

describe('GET /v1/batches for anthropic', () => {
  it.each([
    ['', '', []],
    ['limit=2', 'limit=2', []],
    // Both lists are newest first: the next page of one is what follows a row of the other.
    ['after=msgbatch_9&limit=100', 'limit=100&after_id=msgbatch_9', []],
    ['after=msgbatch_9-messages', 'after_id=msgbatch_9', []],
    ['limit=0', 'limit=0', []],
    ['limit=x%20y', 'limit=x+y', []],
    ['before=msgbatch_1&order=asc&limit=5', 'limit=5', ['before', 'order']],
  ])('sends the query %j as %j', (query, expected, dropped) => {
    const { request } = begin(anthropic, callFor('batches/list', { query }));
    expect(request).toMatchObject({ method: 'GET', path: `/v1/messages/batches${expected === '' ? '' : '?'}${expected}` });
    expect(request.dropped.map(({ param }) => param)).toEqual(dropped);
  });
});

describe('a single batch or file', () => {
  it.each([
    ['batches/{id}', 'GET', 'msgbatch_1', '/v1/messages/batches/msgbatch_1'],
    ['batches/{id}', 'GET', 'msgbatch_1-messages', '/v1/messages/batches/msgbatch_1'],
    ['batches/{id}', 'GET', 'b?c', '/v1/messages/batches/b%3Fc'],
    ['batches/{id}/cancel', 'POST', 'msgbatch_1-messages', '/v1/messages/batches/msgbatch_1/cancel'],
    ['batches/{id}/output', 'GET', 'msgbatch_1', '/v1/messages/batches/msgbatch_1'],
    ['files/{id}/content', 'GET', 'msgbatch_1-output', '/v1/messages/batches/msgbatch_1'],
    ['files/{id}', 'GET', 'msgbatch_1-messages-output', '/v1/messages/batches/msgbatch_1'],
    ['files/{id}', 'GET', 'file_1', '/v1/files/file_1'],
    ['files/{id}/content', 'GET', 'file_1', '/v1/files/file_1/content'],
    ['files/{id}/delete', 'DELETE', 'file_1', '/v1/files/file_1'],
  ] as const)('%s is sent as %s with id %s', (endpoint, method, id, path) => {
    const call = callFor(endpoint, { method, params: { id }, query: 'x=1' });
    expect(begin(anthropic, call).request).toMatchObject({ method, path, body: { kind: 'none' } });
  });

  it.each(['batches/{id}', 'batches/{id}/cancel', 'batches/{id}/output', 'files/{id}'] as const)(
    '%s rejects an id with slashes',
    (endpoint) => {
      const call = callFor(endpoint, { params: { id: 'a/../b' } });
      expect(() => begin(anthropic, call)).toThrow(expect.objectContaining({ code: 'invalid_value', status: 404 }) as Error);
    },
  );

  it('keeps the endpoint that is part of its id', () => {
    const call = callFor('batches/{id}', { params: { id: 'msgbatch_1-messages' } });
    expect(begin(anthropic, call).result?.(JSON.stringify(batch))).toMatchObject({
      id: 'msgbatch_1-messages',
      endpoint: '/v1/messages',
    });
  });
});

describe('output of a batch', () => {
  const batchWithUrl = { ...batch, processing_status: 'ended', ended_at: '2026-01-01T01:00:00Z' };
  const results_url = 'https://elsewhere.example/v1/messages/batches/msgbatch_1/results';

  it.each([
    ['batches/{id}/output', 'msgbatch_1'],
    ['files/{id}/content', 'msgbatch_1-output'],
  ] as const)('%s of %s is read from the configured host and converted', (endpoint, id) => {
    const translation = begin(anthropic, callFor(endpoint, { params: { id } }));
    const next = translation.then?.(reply({ ...batchWithUrl, results_url }));
    expect(next?.request).toMatchObject({
      origin: 'https://api.anthropic.com',
      path: '/v1/messages/batches/msgbatch_1/results',
      method: 'GET',
    });
    expect([next?.then, translation.tap.form, next?.tap.form]).toEqual([undefined, undefined, 'bytes']);
    const message = { content: [{ type: 'text', text: 'x' }], stop_reason: 'end_turn' };
    const outputLine = next?.lines?.(JSON.stringify({ custom_id: 'a', result: { type: 'succeeded', message } }), 0) ?? '';
    expect(JSON.parse(outputLine)).toMatchObject({
      custom_id: 'a',
      response: { body: { object: 'chat.completion', created: 1_767_229_200 } },
    });
  });

  it.each([
    ['in progress', batch, 409, /"in_progress"/],
    ['being cancelled', { ...batch, processing_status: 'canceling' }, 409, /"cancelling"/],
    ['archived', { ...batchWithUrl, results_url: null }, 404, /"completed"/],
  ])('is rejected while the batch is %s', (_, value, status, message) => {
    const call = callFor('batches/{id}/output', { params: { id: 'msgbatch_1' } });
    expect(() => begin(anthropic, call).then?.(reply(value))).toThrow(
      expect.objectContaining({ code: 'no_batch_output', status, message: expect.stringMatching(message) as string }),
    );
  });

  it('is requested without the range header, other files with it', () => {
    const header = (name: string): string | undefined => (name === 'range' ? 'bytes=0-9' : undefined);
    const sent = (id: string) => begin(anthropic, callFor('files/{id}/content', { params: { id }, header })).request.headers;
    expect(sent('file_1').join()).toContain('range,bytes=0-9');
    expect(sent('msgbatch_1-output').join()).not.toContain('range');
  });

  it('does not affect other files, which are forwarded unchanged', () => {
    const translation = begin(anthropic, callFor('files/{id}/content', { params: { id: 'file_1' } }));
    expect([translation.then, translation.lines, translation.tap.form]).toEqual([undefined, undefined, 'bytes']);
  });
});

describe('fault', () => {
  it('has a hint for a file that is not downloadable', () => {
    const body = {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'No.', details: { error_code: 'file_not_downloadable' } },
    };
    expect(anthropic.fault(400, JSON.stringify(body)).hint).toContain('"requests"');
    expect(
      anthropic.fault(400, '{"type":"error","error":{"type":"invalid_request_error","message":"File is not downloadable."}}').hint,
    ).toContain('"requests"');
    expect(anthropic.fault(404, '{"type":"error","error":{"type":"not_found_error","message":"File not found."}}').hint).toBeUndefined();
  });
});
