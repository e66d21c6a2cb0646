import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Portkey } from 'portkey-ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoredRecord } from '../../src/core/logs/reader.ts';
import { adminUrl, call } from '../admin/client.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';

let gateway: TestGateway;
let token: string;
let client: Portkey;
beforeAll(async () => {
  gateway = await startTestGateway('version: 1\nproviders: {mock: {type: mock}}\n', { admin: true });
  token = readFileSync(join(gateway.dir, '.gateway/admin-token'), 'utf8').trim();
  client = new Portkey({ baseURL: `${gateway.url.replace(/\/$/, '')}/v1`, apiKey: 'dummy', traceID: 'trace-of-the-chat' });
});
afterAll(() => gateway.close());

interface Saved {
  readonly status: string;
  readonly feedback_ids: readonly string[];
}

const stored = async (id: string): Promise<StoredRecord> =>
  (await call(adminUrl(gateway), `/api/requests/${id}`, { token })).json as StoredRecord;

/** Retries until the writer has stored the feedback. */
async function feedbackOf(id: string, count: number): Promise<StoredRecord['feedback']> {
  return until(async () => {
    const feedback = ((await stored(id)) as Partial<StoredRecord> | undefined)?.feedback ?? [];
    return feedback.length >= count && feedback;
  }, 'the feedback to be stored');
}

const send = (method: string, path: string, body: unknown): Promise<Response> =>
  fetch(`${gateway.url.replace(/\/$/, '')}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('feedback sent with the Portkey SDK', () => {
  it('is stored by trace ID and can be updated', async () => {
    const chat = await send('POST', '/v1/chat/completions', { model: 'mock-model', messages: [{ role: 'user', content: 'hi' }] });
    const { headers } = chat;
    await chat.text();
    const trace = headers.get('x-gateway-trace-id') ?? '';
    const created = (await client.feedback.create({
      traceID: trace,
      value: 5,
      weight: 0.5,
      metadata: { comment: 'good', by: 'u1' },
    })) as unknown as Saved;
    expect(created).toMatchObject({ status: 'success', feedback_ids: [expect.stringMatching(/^fb_/)] });
    const record = headers.get('x-request-id') ?? '';
    expect(await feedbackOf(record, 1)).toMatchObject([
      { id: created.feedback_ids[0], trace_id: trace, value: 5, weight: 0.5, metadata: { comment: 'good', by: 'u1' } },
    ]);
    const changed = (await client.feedback.update({ feedbackID: created.feedback_ids[0] ?? '', value: -3 })) as unknown as Saved;
    expect(changed.feedback_ids).toEqual(created.feedback_ids);
    const found = await until(async () => {
      const now = await feedbackOf(record, 1);
      return now[0]?.value === -3 && now;
    }, 'the change to be stored');
    expect(found).toMatchObject([{ weight: 0.5, metadata: { comment: 'good', by: 'u1' } }]);
    expect(found).toHaveLength(1);
  });
});

it('POST /v1/feedback stores the largest allowed metadata completely', async () => {
  const chat = await send('POST', '/v1/chat/completions', { model: 'mock-model', messages: [{ role: 'user', content: 'hi' }] });
  const trace = chat.headers.get('x-gateway-trace-id') ?? '';
  await chat.text();
  const many = Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`m${n}`, 'x'.repeat(15)]));
  const metadata = { ...many, deep: { list: Array.from({ length: 32 }, () => 'yy') } };
  expect((await send('POST', '/v1/feedback', { trace_id: trace, value: 1, metadata })).status).toBe(200);
  const [feedback] = await feedbackOf(chat.headers.get('x-request-id') ?? '', 1);
  expect(feedback).toMatchObject({ value: 1, metadata, at: expect.any(Number) });
});

describe('invalid feedback', () => {
  it.each<[string, string, unknown, number, string]>([
    ['POST', '/v1/feedback', { value: 1 }, 400, 'missing_required_parameter'],
    ['POST', '/v1/feedback', { trace_id: 't' }, 400, 'missing_required_parameter'],
    ['POST', '/v1/feedback', { trace_id: 't', value: 11 }, 400, 'invalid_value'],
    ['POST', '/v1/feedback', { trace_id: 't', value: '1' }, 400, 'invalid_type'],
    ['POST', '/v1/feedback', { trace_id: 't', value: 1, weight: 2 }, 400, 'invalid_value'],
    ['POST', '/v1/feedback', { trace_id: 't', value: 1, metadata: [] }, 400, 'invalid_type'],
    ['POST', '/v1/feedback', { trace_id: 't', value: 1, metadata: { a: 'x'.repeat(2000) } }, 400, 'invalid_value'],
    ['POST', '/v1/feedback', { trace_id: 't', value: 1, metadata: { a: Array.from({ length: 33 }, () => 1) } }, 400, 'invalid_value'],
    ['POST', '/v1/feedback', { trace_id: 't', value: 1, metadata: { a: { b: { c: {} } } } }, 400, 'invalid_value'],
    ['POST', '/v1/feedback', { trace_id: 'x'.repeat(200), value: 1 }, 400, 'invalid_value'],
    ['PUT', '/v1/feedback/nothing', { value: 1 }, 400, 'invalid_value'],
  ])('%s %s %j returns %i %s', async (method, path, body, status, code) => {
    const response = await send(method, path, body);
    const { error } = (await response.json()) as { error: { code: string } };
    expect([response.status, error.code]).toEqual([status, code]);
  });
});
