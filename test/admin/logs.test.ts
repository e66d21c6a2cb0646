import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SearchPage, StoredRecord } from '../../src/core/logs/reader.ts';
import type { LogRow } from '../../src/core/logs/row.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { adminUrl, call, cookieOf } from './client.ts';
import { turns } from '../support/time.ts';

const tokens = { vera: 'token-of-the-viewer-1', otto: 'token-of-the-operator' } as const;
/** Tokens of further viewers. */
const viewers = ['token-of-the-viewer-2', 'token-of-the-viewer-3', 'token-of-the-viewer-4'] as const;
const yaml = `version: 1
providers: {mock: {type: mock, replies: {slow: {text: one two three, chunk_delay: 20ms}}}}
logging: {requests: {bodies: full}}
server:
  admin:
    users:
      vera: {role: viewer, token: "\${env:VERA}"}
      otto: {role: operator, token: "\${env:OTTO}"}
${viewers.map((token, i) => `      viewer${i}: {role: viewer, token: "${token}"}\n`).join('')}`;

let gateway: TestGateway;
let base: string;
beforeAll(async () => {
  gateway = await startTestGateway(yaml, { admin: true, env: { VERA: tokens.vera, OTTO: tokens.otto } });
  base = adminUrl(gateway);
});
afterAll(() => gateway.close());

/** Sends a request and returns its id. */
async function send(text: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: text }] }),
  });
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}

const as = async <T>(token: string, path: string): Promise<T> => (await call(base, path, { token })).json as T;

async function stored(id: string): Promise<void> {
  await until(async () => (await as<SearchPage>(tokens.otto, `/api/requests?q=id:${id}`)).rows.length === 1, 'the record');
}

describe('the request log', () => {
  it('returns records and bodies to an operator, and no contents to a viewer', async () => {
    const id = await send('the words of a user', { 'x-gateway-metadata': '{"team":"web"}' });
    await stored(id);
    const page = await as<SearchPage>(tokens.otto, '/api/requests?q=meta.team:web');
    expect(page.rows).toMatchObject([{ id, status: 200, provider: 'mock' }]);
    const record = await as<StoredRecord>(tokens.otto, `/api/requests/${id}`);
    expect(record.record.request.headers['content-type']).toBe('application/json');
    const body = await call(base, `/api/requests/${id}/body?part=request`, { token: tokens.otto });
    expect(body.text).toContain('the words of a user');
    expect(body.headers).toMatchObject({ 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' });
    // A viewer sees the request without its contents.
    for (const path of ['/api/requests', `/api/requests/${id}`, `/api/traces/${record.record.trace.trace_id}`]) {
      const { status, text } = await call(base, path, { token: tokens.vera });
      expect(status).toBe(200);
      expect(text).not.toContain('the words');
      expect(text).not.toContain('"content-type":"application/json"');
    }
    expect(await call(base, `/api/requests/${id}/body`, { token: tokens.vera })).toMatchObject({ status: 403, code: 'not_allowed' });
  });

  it.each([
    ['/api/requests?q=latency:soon', 400, 'invalid_filter'],
    ['/api/live?q=latency:soon', 400, 'invalid_filter'],
    ['/api/requests?limit=many', 400, 'invalid_value'],
    ['/api/requests?limit=501', 400, 'invalid_value'],
    ['/api/requests?limt=5', 400, 'invalid_value'],
    ['/api/stats?by=secret', 400, 'invalid_value'],
    ['/api/stats?step=61', 400, 'invalid_value'],
    ['/api/requests/req_none', 404, 'record_not_found'],
    ['/api/requests/req_none/body?part=all', 400, 'invalid_value'],
  ])('%s returns %d %s', async (path, status, code) => {
    expect(await call(base, path, { token: tokens.otto })).toMatchObject({ status, code });
  });

  it.each(['/api/requests?q=giraf', '/api/stats?q=status:200%20-giraffe', '/api/live?q=giraffe', '/api/requests?q=x,giraffe'])(
    "rejects a viewer's search for words of the contents with 403: %s",
    async (path) => {
      expect(await call(base, path, { token: tokens.vera })).toMatchObject({ status: 403, code: 'not_allowed' });
      expect(await call(base, path, { token: tokens.otto, isStream: true })).toMatchObject({ status: 200 });
    },
  );

  it('measures the time of an attempt until the end of the stream', async () => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: '@mock/slow', stream: true, messages: [{ role: 'user', content: 'hello' }] }),
    });
    await response.text();
    const id = response.headers.get('x-request-id') ?? '';
    await stored(id);
    const { record } = await as<StoredRecord>(tokens.otto, `/api/requests/${id}`);
    const [attempt] = record.attempts;
    expect((attempt?.at ?? 0) + (attempt?.total_ms ?? 0)).toBeCloseTo(record.ms.total, 0);
  });

  it('returns statistics, suggestions and names', async () => {
    expect((await call(base, '/api/stats?q=since:1h&by=provider&step=60', { token: tokens.vera })).json).toMatchObject({
      groups: [{ name: 'mock' }],
    });
    expect((await call(base, '/api/suggest?text=stat', { token: tokens.vera })).json).toMatchObject([
      { insert: expect.stringContaining('status') as string },
    ]);
    expect((await call(base, '/api/names', { token: tokens.vera })).json).toMatchObject({ meta: ['team'] });
  });

  it('hides the comment of a feedback from a viewer', async () => {
    const response = await fetch(`${gateway.url}/v1/feedback`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ trace_id: 'trace-of-feedback', value: -1, metadata: { comment: 'it told me of the giraffe' } }),
    });
    expect(response.status).toBe(200);
    const id = response.headers.get('x-request-id') ?? '';
    await stored(id);
    expect((await call(base, `/api/requests/${id}`, { token: tokens.otto })).text).toContain('giraffe');
    const shown = await call(base, `/api/requests/${id}`, { token: tokens.vera });
    expect(shown.text).not.toContain('giraffe');
    expect(shown.json).toMatchObject({ record: { notes: { feedback: { value: -1 } } } });
  });

  it('compresses a large result if the client accepts gzip', async () => {
    const ids = await Promise.all(Array.from({ length: 16 }, (_, i) => send(`page ${i} ${'word '.repeat(40)}`)));
    for (const id of ids) await stored(id);
    const path = '/api/requests?q=page';
    const response = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${tokens.otto}`, 'accept-encoding': 'gzip' } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    const plain = await call(base, path, { token: tokens.otto });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(await response.json()).toEqual(plain.json);
    expect((plain.json as SearchPage).rows.length).toBe(16);
  });
});

interface Tail {
  readonly events: { event: string; id: string | undefined; data: string }[];
  rows(): LogRow[];
  /** Whether the gateway has ended the stream. */
  isOver(): boolean;
  close(): void;
}

/** Opens the live tail. @param who a token, or the cookie of a session */
function tail(query: string, who: string | { readonly cookie: string }, lastId?: string): Promise<Tail> {
  const { hostname, port } = new URL(base);
  const proof = typeof who === 'string' ? { authorization: `Bearer ${who}` } : who;
  const headers = { ...proof, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
  return new Promise((resolve, reject) => {
    const sent = request({ host: hostname, port, path: `/api/live${query}`, headers, agent: false }, (response) => {
      const events: Tail['events'] = [];
      let rest = '';
      response.setEncoding('utf8');
      response.on('error', () => {});
      response.on('data', (piece: string) => {
        const blocks = (rest + piece).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
          events.push({ event: field('event') ?? 'message', id: field('id'), data: field('data') ?? '' });
        }
      });
      const rows = () => events.filter(({ event }) => event === 'message').map(({ data }) => JSON.parse(data) as LogRow);
      resolve({ events, rows, close: () => sent.destroy(), isOver: () => response.readableEnded });
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('the live tail', () => {
  it('sends the rows that match the filter, and no contents to a viewer', async () => {
    const [ownTail, all] = [await tail('?q=meta.team:live', tokens.otto), await tail('', tokens.vera)];
    await until(() => ownTail.events.length > 0 && all.events.length > 0, 'both tails');
    const other = await send('not mine');
    const id = await send('mine', { 'x-gateway-metadata': '{"team":"live"}' });
    await until(() => all.rows().length >= 2 && ownTail.rows().length >= 1, 'rows of both tails');
    expect(all.rows().map((row) => row.id)).toEqual([other, id]);
    expect(all.rows().map((row) => row.preview)).toEqual([null, null]);
    expect(ownTail.rows().map((row) => row.id)).toEqual([id]);
    ownTail.close();
    all.close();
  });

  it('resumes after Last-Event-ID and sends a gap event if the id is unknown', async () => {
    const before = await tail('', tokens.otto);
    const first = await send('one');
    await until(() => before.rows().length === 1, 'a row');
    const lastId = before.events.at(-1)?.id;
    before.close();
    const missed = [await send('two'), await send('three')];
    const after = await tail('', tokens.otto, lastId);
    await until(() => after.rows().length === 2, 'the rows of the break');
    expect(after.rows().map(({ id }) => id)).toEqual(missed);
    expect(after.rows().map(({ id }) => id)).not.toContain(first);
    expect(after.events.some(({ event }) => event === 'gap')).toBe(false);
    after.close();
    const lost = await tail('', tokens.otto, 'another-5');
    await until(() => lost.events.some(({ event }) => event === 'gap'), 'the gap');
    lost.close();
  });

  it('sends a gap event in place of a sample if more rows were missed than it sends per second', async () => {
    const before = await tail('', tokens.otto);
    await until(() => before.events.length > 0, 'the tail');
    const lastId = before.events.at(-1)?.id;
    before.close();
    const start = gateway.records.length;
    await Promise.all(Array.from({ length: 51 }, (_, i) => send(`missed ${i}`, { 'x-gateway-metadata': `{"team":"${i % 2}"}` })));
    await until(() => gateway.records.length === start + 51, 'all records');
    const [all, half] = [await tail('', tokens.otto, lastId), await tail('?q=meta.team:1', tokens.otto, lastId)];
    await until(() => all.events.length > 0 && half.rows().length === 25, 'both tails');
    const next = await send('after them');
    await until(() => all.rows().length > 0, 'the next row');
    expect(all.events.map(({ event }) => event)).toEqual(['ready', 'gap', 'message']);
    expect([all.rows()[0]?.id, half.events.some(({ event }) => event === 'gap')]).toEqual([next, false]);
    all.close();
    half.close();
  });

  it('sends at most 50 rows per second and reports the number of skipped rows', async () => {
    // Fake timers: the test decides when the second ends.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const live = await tail('', tokens.otto);
    await until(() => live.events.length > 0, 'the tail');
    const before = gateway.records.length;
    await Promise.all(Array.from({ length: 120 }, (_, i) => send(`burst ${i}`)));
    await until(() => gateway.records.length === before + 120, 'all records');
    await turns();
    // Rows are sent in batches; a new reader flushes the current batch.
    (await tail('', tokens.vera)).close();
    vi.advanceTimersByTime(1000);
    const skipped = await until(() => live.events.find(({ event }) => event === 'skipped'), 'the count of the others');
    expect([live.rows().length, JSON.parse(skipped.data)]).toEqual([50, { count: 70 }]);
    live.close();
    // Skipped rows are not sent again, and rows that do not match the filter are not missing.
    const other = await tail('?q=meta.team:none', tokens.otto, skipped.id);
    const next = await send('behind them');
    vi.advanceTimersByTime(15_000);
    const heartbeat = await until(() => other.events.find(({ event }) => event === 'beat'), 'the beat');
    other.close();
    const [again, fitting] = [await tail('', tokens.otto, skipped.id), await tail('', tokens.otto, heartbeat.id)];
    await until(() => again.rows().length > 0 && fitting.events.length > 0, 'the rows behind');
    expect([again, fitting].map((one) => [one.rows().map(({ id }) => id), one.events[0]?.id])).toEqual([
      [[next], skipped.id],
      [[], heartbeat.id],
    ]);
    again.close();
    fitting.close();
  });

  it('ends when its session ends', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const cookie = cookieOf(await call(base, '/api/session', { method: 'POST', body: { token: tokens.otto } }));
    const [ownTail, other] = [await tail('', { cookie }), await tail('', tokens.otto)];
    await until(() => ownTail.events.length > 0 && other.events.length > 0, 'both tails');
    vi.advanceTimersByTime(15_000);
    await call(base, '/api/session', { method: 'DELETE', cookie });
    expect(ownTail.isOver()).toBe(false);
    vi.advanceTimersByTime(15_000);
    await until(() => ownTail.isOver(), 'the end');
    expect(other.isOver()).toBe(false);
    other.close();
  });

  it('rejects the ninth reader of one user and the 33rd reader of all users with 429', async () => {
    const users = [...Object.values(tokens), ...viewers];
    const tails: Tail[] = [];
    for (const token of users.slice(0, 4)) {
      for (let reader = 0; reader < 8; reader += 1) tails.push(await tail('', token));
      expect(await call(base, '/api/live', { token })).toMatchObject({ status: 429, code: 'rate_limited' });
    }
    expect(await call(base, '/api/live', { token: users[4] ?? '' })).toMatchObject({ status: 429, code: 'rate_limited' });
    for (const one of tails) one.close();
  });
});
