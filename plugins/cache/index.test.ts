import { describe, expect, it } from 'vitest';
import {
  makeAttempt,
  makeBinding,
  makeContext,
  makeHost,
  makeKey,
  makeLeaf,
  noon,
  type RequestParts,
  setUp,
} from '../../test/support/stage-context.ts';
import type { Endpoint } from '#core/endpoint.ts';
import { JsonBody } from '#core/json/body.ts';
import type { Attempt, Interception } from '#core/plan.ts';
import type { PluginInstance } from '#core/plugin.ts';
import type { Call, CommonSettings, Translation, UpstreamRequest } from '#core/provider.ts';
import cache from './index.ts';

const maxAgeMs = 60_000;

interface Sent {
  readonly body?: Readonly<Record<string, unknown>>;
  readonly upstream?: Partial<UpstreamRequest>;
  readonly call?: Partial<Call<CommonSettings>>;
  readonly attempt?: Partial<Attempt>;
  readonly request?: RequestParts;
  readonly endpoint?: Endpoint;
}

const chat = { model: 'm', messages: [{ role: 'user', content: 'x' }] };

async function send(plugin: PluginInstance, { body = chat, ...sent }: Sent = {}): Promise<Interception | undefined> {
  const request = JsonBody.of(body);
  const endpoint = sent.endpoint ?? 'chat/completions';
  const ctx = makeContext({ body: request, ...sent.request, overrides: { endpoint, ...sent.request?.overrides } });
  const upstream = { origin: 'https://api.example', path: '/v1/chat', method: 'POST', headers: [], body: request, dropped: [] };
  const attempt = makeAttempt(makeLeaf({ cache: { maxAgeMs } }), {
    upstream: { ...upstream, ...sent.upstream },
    call: { credential: 'catalog', settings: {}, ...sent.call } as Call<CommonSettings>,
    translation: {} as Translation,
    ...sent.attempt,
  });
  return plugin.send?.(ctx, attempt);
}

const response = (text: string) => ({
  contentType: 'application/json',
  pieces: [Buffer.from(text.slice(0, 2)), Buffer.from(text.slice(2))],
});

async function store(plugin: PluginInstance, sent: Sent = {}, text = '{"a":1}'): Promise<void> {
  (await send(plugin, sent))?.keeper?.keep(response(text));
}

const statusOf = async (plugin: PluginInstance, sent?: Sent): Promise<string | undefined> => (await send(plugin, sent))?.status;

const bodyIn = (interception: Interception | undefined): string | undefined =>
  interception?.answer?.pieces.map(({ text }) => String(text)).join('');

const ofKey = (name: string): RequestParts => ({ caller: { name, key: makeKey(name) } });

it('answers the same request again, with what the provider sent', async () => {
  const plugin = await setUp(cache);
  expect(await statusOf(plugin)).toBe('MISS');
  await store(plugin);
  const hit = await send(plugin);
  expect([hit?.status, hit?.answer?.status, hit?.answer?.headers, bodyIn(hit)]).toEqual([
    'HIT',
    200,
    { 'content-type': 'application/json' },
    '{"a":1}',
  ]);
  expect(hit?.keeper).toBeUndefined();
});

it.each<[string, Sent]>([
  ['another body', { body: { ...chat, temperature: 1 } }],
  ['a stream', { body: { ...chat, stream: true } }],
  ['another path', { upstream: { path: '/v1/other' } }],
  ['another host', { upstream: { origin: 'https://other.example' } }],
  ['another header', { upstream: { headers: ['x-feature', '1'] } }],
  ['another provider', { attempt: { binding: makeBinding('other') } }],
  ['another virtual key', { attempt: { binding: makeBinding('main', { virtualKey: 'team-a' }) } }],
  ['another deployment', { call: { deployment: { apiKey: 'k' } } }],
  ['another caller', { request: ofKey('app') }],
  ['a namespace', { request: { headers: { 'x-gateway-cache-namespace': 'ns' } } }],
  ['a credential of the caller', { call: { credential: 'caller' }, request: { caller: { credential: 'sk-1' } } }],
  ['an account of the caller', { call: { credential: 'caller', settings: { aws_access_key_id: 'A' } as CommonSettings } }],
])('keeps apart: %s', async (_what, other) => {
  const plugin = await setUp(cache);
  await store(plugin);
  expect(await statusOf(plugin, other)).toBe('MISS');
  await store(plugin, other, '{"b":2}');
  expect([bodyIn(await send(plugin)), bodyIn(await send(plugin, other))]).toEqual(['{"a":1}', '{"b":2}']);
});

it.each<[string, Sent]>([
  ['trace context', { upstream: { headers: ['traceparent', '00-1', 'TraceState', 'a=b'] } }],
  ['idempotency key', { upstream: { headers: ['idempotency-key', '1'] } }],
])('is the same with another %s', async (_what, other) => {
  const plugin = await setUp(cache);
  await store(plugin);
  expect(await statusOf(plugin, other)).toBe('HIT');
});

it.each<[string, Sent]>([
  ['a target without cache', { attempt: { target: makeLeaf() } }],
  ['a dry run', { request: { overrides: { mode: 'dry' } } }],
  ['a private request', { request: { headers: { 'x-gateway-debug': 'False' } } }],
  ['a route that creates an object', { endpoint: 'batches' }],
  ['images, whose addresses expire', { endpoint: 'images/generations' }],
  ['a chat that the provider stores', { body: { ...chat, store: true } }],
  ['a chat that override_params have stored', { upstream: { body: JsonBody.of({ ...chat, store: true }) } }],
  ['a stored response, which is the default', { endpoint: 'responses', body: { model: 'm', input: 'x' } }],
  ['a background response', { endpoint: 'responses', body: { model: 'm', input: 'x', store: false, background: true } }],
  ['a response in a conversation', { endpoint: 'responses', body: { model: 'm', store: false, conversation: 'conv_1' } }],
  ['a response in an existing container', { endpoint: 'messages', body: { ...chat, container: { id: 'container_1' } } }],
  ['a call of several requests', { attempt: { translation: { then: () => undefined } as unknown as Translation } }],
  ['a large request', { body: { ...chat, user: 'x'.repeat(1024 * 1024) } }],
  ['a request without body', { upstream: { body: { kind: 'none' } } }],
])('leaves out %s', async (_what, sent) => {
  expect(await send(await setUp(cache), sent)).toBeUndefined();
});

it.each<[string, Sent]>([
  ['a response that the provider does not store', { body: { model: 'm', input: 'x', store: false, conversation: null } }],
  ['a response of a provider with another format, which stores none', { attempt: { lane: 'full' } }],
])('accepts %s', async (_what, sent) => {
  expect(await statusOf(await setUp(cache), { endpoint: 'responses', ...sent })).toBe('MISS');
});

describe('a stored response', () => {
  it('is used until it is as old as max_age, and is replaced then', async () => {
    let now = noon;
    const plugin = await setUp(cache, {}, makeHost({ now: () => now }));
    await store(plugin);
    now += maxAgeMs - 1;
    expect(await statusOf(plugin)).toBe('HIT');
    now += 1;
    expect(await statusOf(plugin)).toBe('MISS');
    await store(plugin, {}, '{"b":2}');
    expect(bodyIn(await send(plugin))).toBe('{"b":2}');
    // The system time was corrected: how old it is cannot be told.
    now -= 10_000;
    expect(await statusOf(plugin)).toBe('MISS');
  });

  it('is replaced if the request demands it', async () => {
    const plugin = await setUp(cache);
    await store(plugin);
    const request: RequestParts = { headers: { 'x-gateway-cache-force-refresh': 'true' } };
    expect(await statusOf(plugin, { request })).toBe('REFRESH');
    await store(plugin, { request }, '{"b":2}');
    expect(bodyIn(await send(plugin))).toBe('{"b":2}');
  });

  it('shares no memory with the response', async () => {
    const plugin = await setUp(cache);
    const bytes = Buffer.from('{"a":1}');
    (await send(plugin))?.keeper?.keep({ contentType: '', pieces: [bytes] });
    bytes.fill(0);
    expect(bodyIn(await send(plugin))).toBe('{"a":1}');
  });

  it('comes in pieces of 64 KB', async () => {
    const plugin = await setUp(cache);
    const text = `${'x'.repeat(64 * 1024)}y`;
    await store(plugin, {}, text);
    const hit = await send(plugin);
    expect([hit?.answer?.pieces.map((piece) => piece.text.length), bodyIn(hit) === text]).toEqual([[64 * 1024, 1], true]);
  });

  it('is removed if others need its memory, and is never larger than all of it', async () => {
    const plugin = await setUp(cache, { max_size: '3KB' });
    const sent = [1, 2, 3].map((n): Sent => ({ body: { ...chat, seed: n } }));
    for (const each of sent) await store(plugin, each, 'x'.repeat(400));
    expect(await Promise.all(sent.map((each) => statusOf(plugin, each)))).toEqual(['MISS', 'HIT', 'HIT']);
    await statusOf(plugin, sent[1]);
    await store(plugin, sent[0], 'x'.repeat(400));
    expect(await Promise.all(sent.map((each) => statusOf(plugin, each)))).toEqual(['HIT', 'HIT', 'MISS']);
    await store(plugin, { body: { ...chat, seed: 4 } }, 'x'.repeat(3072));
    expect(await statusOf(plugin, { body: { ...chat, seed: 4 } })).toBe('MISS');
    await store(plugin, sent[1], 'x'.repeat(400));
    expect(await Promise.all(sent.map((each) => statusOf(plugin, each)))).toEqual(['HIT', 'HIT', 'MISS']);
  });
});
