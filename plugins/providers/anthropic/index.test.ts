import { describe, expect, it } from 'vitest';
import { begin, callOf } from '../../../test/contract/call.ts';
import anthropic from './index.ts';

describe('anthropic', () => {
  it.each([
    [undefined, { scheme: 'none' }],
    ['sk-ant-api03-x', { scheme: 'header', name: 'x-api-key', secret: 'sk-ant-api03-x' }],
    ['any-key', { scheme: 'header', name: 'x-api-key', secret: 'any-key' }],
    ['sk-ant-oat01-x', { scheme: 'bearer', secret: 'sk-ant-oat01-x' }],
  ])('signs with the key %s', (key, spec) => {
    expect(anthropic.entry.credential({}, key)).toEqual(spec);
  });

  it('lists models with the fields of the OpenAI and the Anthropic API', () => {
    const model = { type: 'model', id: 'claude-sonnet-4-5', display_name: 'Claude Sonnet 4.5', created_at: '2025-09-29T00:00:00Z' };
    const list = { data: [model, { id: 'odd' }], has_more: false, first_id: 'claude-sonnet-4-5', last_id: 'odd' };
    expect(begin(anthropic, callOf({ endpoint: 'models' })).result?.(JSON.stringify(list))).toEqual({
      ...list,
      object: 'list',
      data: [
        { ...model, object: 'model', created: 1_759_104_000, owned_by: 'anthropic' },
        { id: 'odd', object: 'model', created: 0, owned_by: 'anthropic' },
      ],
    });
    const { request } = begin(anthropic, callOf({ endpoint: 'models', method: 'GET', query: 'limit=5' }));
    expect(request).toMatchObject({ origin: 'https://api.anthropic.com', path: '/v1/models?limit=5', method: 'GET' });
    const listRequest = begin(anthropic, callOf({ endpoint: 'models', method: 'GET', query: '' })).request;
    expect(listRequest.path).toBe('/v1/models?limit=1000');
  });

  it('relays with version and beta features of the provider settings and the client', () => {
    const settings = { beta: ['files-api-2025-04-14'], custom_host: 'https://h.example/team/v1/' };
    const call = callOf({ endpoint: 'relay', settings, query: 'a=1', header: (name) => (name === 'anthropic-beta' ? 'x-1' : undefined) });
    expect(anthropic.relay?.(call, '/v1/messages/batches/msgbatch_1')).toEqual({
      origin: 'https://h.example',
      path: '/team/v1/messages/batches/msgbatch_1?a=1',
      reading: { tap: expect.any(Object) as unknown, repair: expect.any(Function) as unknown },
      headers: ['anthropic-version', '2023-06-01', 'anthropic-beta', 'files-api-2025-04-14,x-1'],
    });
  });

  it.each([
    ['messages/batches/msgbatch_1', '{"id":"msgbatch_1","results_url":"/v1/messages/batches/msgbatch_1/results"}'],
    ['messages/batches/msgbatch_1/results', undefined],
    ['skills/msgbatch_1', undefined],
  ])('removes the host of the results of message batches: %s', (route, changed) => {
    const repair = anthropic.relay?.(callOf({ endpoint: 'relay', query: '' }), `/v1/${route}`).reading?.repair;
    const batch = '{"id":"msgbatch_1","results_url":"https://api.anthropic.com/v1/messages/batches/msgbatch_1/results"}';
    expect(repair?.(batch)).toBe(changed);
    expect(repair?.('{"id":"msgbatch_1","results_url":null}')).toBeUndefined();
  });
});
