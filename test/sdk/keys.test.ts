import OpenAI from 'openai';
import { createHeaders, Portkey } from 'portkey-ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callerKey, catalogKeys, rawOf, type Rig, startRig } from './rig.ts';

/** Every way in which people hand the gateway's key to a client library: none may reach a provider. */

const messages = [{ role: 'user' as const, content: 'hi' }];
type Ask = (baseURL: string) => Promise<unknown>;

const ask =
  (apiKey: string, defaultHeaders: Record<string, string | null>): Ask =>
  (baseURL) =>
    new OpenAI({ baseURL, apiKey, defaultHeaders, maxRetries: 0 }).chat.completions.create({ model: 'm-text', messages });

const withKey: readonly [string, Ask][] = [
  ['the library’s own place', ask(callerKey, {})],
  ['its own header, and once more as the library’s key', ask(callerKey, { 'x-gateway-api-key': callerKey })],
  ['its own header beside a placeholder', ask('OPENAI_API_KEY', { 'x-gateway-api-key': callerKey })],
  ['its own header beside what examples write', ask('X', { 'x-gateway-api-key': callerKey })],
  ['its own header, the library’s taken away', ask('unused', { 'x-gateway-api-key': callerKey, authorization: null })],
  ['x-api-key beside a placeholder', ask('dummy', { 'x-api-key': callerKey })],
  ['api-key, as the cloud’s libraries send it', ask('OPENAI_API_KEY', { 'api-key': callerKey })],
  ['the headers that portkey-ai makes', ask('X', createHeaders({ apiKey: callerKey, provider: '@main', traceID: 't-1' }))],
  [
    'the headers that portkey-ai makes, with a virtual key',
    ask('OPENAI_API_KEY', createHeaders({ apiKey: callerKey, virtualKey: 'main' })),
  ],
];

describe('a gateway with keys', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig?.close());
  beforeEach(() => {
    rig.upstream.requests.length = 0;
  });

  it.each(withKey)('takes its key out of %s', async (_, send) => {
    await send(rig.baseUrl);
    const [request, ...more] = rig.upstream.requests;
    expect(more).toEqual([]);
    if (request === undefined) throw new Error('nothing arrived');
    expect(rawOf(request)).not.toContain(callerKey);
    expect(rawOf(request)).not.toMatch(/x-(?:gateway|portkey)-|dummy|OPENAI_API_KEY/i);
    expect(request.headers).toMatchObject({ authorization: `Bearer ${catalogKeys.main}` });
    expect([request.headers['api-key'], request.headers['x-api-key']]).toEqual([undefined, undefined]);
  });

  it('asks again, as the library does, when the provider says when', async () => {
    const client = new OpenAI({ baseURL: rig.baseUrl, apiKey: callerKey, maxRetries: 1 });
    const answer = await client.chat.completions.create({ model: 'm-once', messages });
    expect(answer.choices[0]?.message.content).toContain('Grüße');
    expect(rig.upstream.requests).toHaveLength(2);
  });

  it('hands on how many milliseconds the provider asks for', async () => {
    const client = new OpenAI({ baseURL: rig.baseUrl, apiKey: callerKey, maxRetries: 0 });
    const error = await client.chat.completions.create({ model: 'm-once', messages }).catch((thrown: unknown) => thrown);
    expect((error as InstanceType<typeof OpenAI.RateLimitError>).headers.get('retry-after-ms')).toBe('1');
  });
});

describe('an open gateway', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(true);
  });
  afterAll(() => rig?.close());
  beforeEach(() => {
    rig.upstream.requests.length = 0;
  });

  const open = (baseURL: string): Portkey => new Portkey({ baseURL, provider: 'openai' });
  const openly: readonly [string, Ask][] = [
    ['portkey-ai without a key, by its own client', (url) => open(url).chat.completions.create({ model: 'm-text', messages })],
    ['portkey-ai without a key, by the client below it', (url) => open(url).images.generate({ model: 'm-image', prompt: 'a frog' })],
    ['openai with a placeholder', ask('OPENAI_API_KEY', { 'x-gateway-provider': 'openai' })],
  ];

  it.each(openly)('does not take the filler of %s for a credential', async (_, send) => {
    await send(rig.baseUrl);
    expect(rig.upstream.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${catalogKeys.main}`]);
  });
});
