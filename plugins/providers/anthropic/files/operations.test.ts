import type { Endpoint } from '#core/endpoint.ts';
import type { FormBody } from '#core/http/form.ts';
import type { Call, CommonSettings } from '#core/provider.ts';
import { describe, expect, it } from 'vitest';
import { begin, callOf } from '../../../../test/contract/call.ts';
import anthropic from '../index.ts';
import { isNative } from './operations.ts';

type CommonCall = Call<CommonSettings>;
type CallOverrides = Partial<CommonCall>;

/** The members that a provider reads. */
const form = (fields: Record<string, string>) => ({ kind: 'form', fields: new Map(Object.entries(fields)) }) as unknown as FormBody;

const callFor = (endpoint: Endpoint, overrides: CallOverrides = {}): CommonCall =>
  callOf({ endpoint, method: 'GET', model: '', form: endpoint === 'files' ? form({}) : undefined, ...overrides });
const headers = (requestHeaders: Record<string, string>) => ({
  header: (name: string): string | undefined =>
    requestHeaders[name] ?? requestHeaders[`x-gateway-${name}`] ?? requestHeaders[`x-portkey-${name}`],
});
const native = headers({ 'anthropic-version': '2023-06-01' });

const file = {
  type: 'file',
  id: 'file_1',
  size_bytes: 27_749,
  created_at: '2026-01-23T06:01:38.323000Z',
  filename: 'a.png',
  mime_type: 'image/png',
  downloadable: false,
};
const converted = {
  id: 'file_1',
  object: 'file',
  bytes: 27_749,
  created_at: 1_769_148_098,
  filename: 'a.png',
  purpose: 'user_data',
  status: 'processed',
};

describe("Anthropic's own files API", () => {
  it.each([
    [{}, false],
    [{ 'anthropic-version': '2023-06-01' }, true],
    [{ 'anthropic-beta': 'files-api-2025-04-14' }, true],
    // A setting of ours, which clients of the OpenAI format send.
    [{ 'x-gateway-anthropic-version': '2023-06-01' }, false],
    [{ 'x-portkey-anthropic-beta': 'x' }, false],
  ])('is detected by request headers: %j', (requestHeaders, expected) => {
    expect(isNative(headers(requestHeaders))).toBe(expected);
  });

  it.each([
    ['files', { method: 'POST', form: form({ purpose: 'x' }), query: 'beta=true' }],
    ['files/list', { query: 'limit=2&after_id=file_9' }],
    ['files/{id}', { params: { id: 'file_1' } }],
    ['files/{id}/delete', { method: 'DELETE', params: { id: 'file_1' } }],
  ] as const)('is forwarded unchanged in both directions: %s', (endpoint, overrides) => {
    const call = callFor(endpoint, { ...overrides, ...native });
    const { request, ...rest } = begin(anthropic, call);
    const query = 'query' in overrides ? `?${overrides.query}` : '';
    expect(request.path.endsWith(query)).toBe(true);
    expect(request.headers.join()).not.toContain('beta');
    expect(request.dropped).toEqual([]);
    if (request.body.kind === 'form') expect(request.body).toEqual({ kind: 'form', form: call.form, edit: undefined });
    expect(rest).not.toHaveProperty('result');
    expect(begin(anthropic, callFor(endpoint, overrides))).toHaveProperty('result');
  });
});

describe('POST /v1/files for anthropic', () => {
  it('sends only the file and returns the purpose of the request', () => {
    const fields = form({ purpose: 'batch', 'expires_after[seconds]': '3600', other: 'x' });
    const call = callFor('files', { method: 'POST', form: fields });
    const { request } = begin(anthropic, call);
    expect(request).toMatchObject({ method: 'POST', path: '/v1/files', body: { kind: 'form', form: fields } });
    expect(request.headers.join()).toContain('anthropic-beta,files-api-2025-04-14');
    // The content type of the client, boundary included, is set by the form.
    expect(request.headers).not.toContain('content-type');
    const edit = request.body.kind === 'form' ? request.body.edit : undefined;
    expect([...(edit?.fields ?? [])]).toEqual(
      ['purpose', 'expires_after[anchor]', 'expires_after[seconds]', 'expires_after', 'model', 'provider', 'other'].map((name) => [
        name,
        undefined,
      ]),
    );
    expect(request.dropped.map(({ param }) => param)).toEqual(['purpose', 'expires_after[seconds]', 'other']);
    expect(begin(anthropic, call).result?.(JSON.stringify(file))).toEqual({ ...converted, purpose: 'batch' });
  });

  it('rejects a request without a form with invalid_form', () => {
    const call = callFor('files', { method: 'POST', form: undefined });
    expect(() => begin(anthropic, call)).toThrow(expect.objectContaining({ code: 'invalid_form', param: 'file' }));
  });
});

describe('files of anthropic', () => {
  it.each([
    ['', '', []],
    ['limit=5&after=file_9', 'after_id=file_9&limit=5', []],
    ['limit=10000', 'limit=1000', ['limit']],
    ['limit=x', 'limit=x', []],
    ['purpose=batch&order=asc', '', ['purpose', 'order']],
  ])('are listed with query %j sent as %j', (query, expected, dropped) => {
    const { request } = begin(anthropic, callFor('files/list', { query }));
    expect(request.path).toBe(`/v1/files${expected === '' ? '' : '?'}${expected}`);
    expect(request.dropped.map(({ param }) => param)).toEqual(dropped);
  });

  it.each([
    [
      'files/list',
      { data: [file], has_more: true, first_id: 'file_1', last_id: 'file_1' },
      { object: 'list', data: [converted], first_id: 'file_1', last_id: 'file_1', has_more: true },
    ],
    ['files/list', { data: [], next_page: null }, { object: 'list', data: [], first_id: null, last_id: null, has_more: false }],
    ['files/{id}', file, converted],
    ['files/{id}', { ...file, expires_at: '2026-01-24T06:01:38Z' }, { ...converted, expires_at: 1_769_234_498 }],
    ['files/{id}/delete', { id: 'file_1', type: 'file_deleted' }, { id: 'file_1', object: 'file', deleted: true }],
  ] as const)('are returned in the OpenAI format: %s', (endpoint, value, expected) => {
    expect(begin(anthropic, callFor(endpoint, { params: { id: 'file_1' } })).result?.(JSON.stringify(value))).toEqual(expected);
  });

  it('have additional fields with strict compliance off', () => {
    const call = callFor('files/{id}', { params: { id: 'file_1' }, strict: false });
    expect(begin(anthropic, call).result?.(JSON.stringify(file))).toEqual({
      ...converted,
      mime_type: 'image/png',
      downloadable: false,
    });
  });

  it('describe the output of a batch by the batch object', () => {
    const call = callFor('files/{id}', { params: { id: 'msgbatch_1-output' } });
    const batch = { id: 'msgbatch_1', processing_status: 'ended', ended_at: '2026-01-23T06:01:38Z' };
    expect(begin(anthropic, call).result?.(JSON.stringify(batch))).toEqual({
      id: 'msgbatch_1-output',
      object: 'file',
      bytes: 0,
      created_at: 1_769_148_098,
      filename: 'msgbatch_1_output.jsonl',
      purpose: 'batch_output',
      status: 'processed',
    });
  });

  it.each([
    ['files', '{}'],
    ['files', 'x'],
    ['files/list', '{}'],
    ['files/{id}', '[]'],
  ] as const)('%s throws upstream_invalid for the response %j', (endpoint, text) => {
    expect(() => begin(anthropic, callFor(endpoint, { params: { id: 'x' } })).result?.(text)).toThrow(
      expect.objectContaining({ code: 'upstream_invalid' }),
    );
  });
});
