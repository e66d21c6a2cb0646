import OpenAI from 'openai';
import { createHeaders, Portkey } from 'portkey-ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callerKey, catalogKeys, rawOf, type Rig, startRig } from './rig.ts';

/** All ways to give the gateway key to a client library. The key must never reach a provider. */

const messages = [{ role: 'user' as const, content: 'hi' }];
type Connect = (baseURL: string) => OpenAI;

const openai =
  (apiKey: string, defaultHeaders: Record<string, string | null>): Connect =>
  (baseURL) =>
    new OpenAI({ baseURL, apiKey, defaultHeaders, maxRetries: 0 });

const withKey: readonly [string, Connect][] = [
  ['the authorization header of the library', openai(callerKey, {})],
  ['x-gateway-api-key and the authorization header', openai(callerKey, { 'x-gateway-api-key': callerKey })],
  ['x-gateway-api-key with a placeholder as the key of the library', openai('OPENAI_API_KEY', { 'x-gateway-api-key': callerKey })],
  ['x-gateway-api-key with "X" as the key of the library', openai('X', { 'x-gateway-api-key': callerKey })],
  ['x-gateway-api-key without an authorization header', openai('unused', { 'x-gateway-api-key': callerKey, authorization: null })],
  ['x-api-key with a placeholder as the key of the library', openai('dummy', { 'x-api-key': callerKey })],
  ['api-key, as Azure libraries send it', openai('OPENAI_API_KEY', { 'api-key': callerKey })],
  ['the headers of portkey-ai', openai('X', createHeaders({ apiKey: callerKey, provider: '@main', traceID: 't-1' }))],
  ['the headers of portkey-ai with a virtual key', openai('OPENAI_API_KEY', createHeaders({ apiKey: callerKey, virtualKey: 'main' }))],
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

  it.each(withKey)('removes its key from %s', async (_, connect) => {
    const client = connect(rig.baseUrl);
    await client.chat.completions.create({ model: 'm-text', messages });
    await client.files.list({ limit: 5 });
    expect(rig.upstream.requests.map(({ url }) => url)).toEqual(['/v1/chat/completions', '/v1/files?limit=5']);
    for (const request of rig.upstream.requests) {
      expect(rawOf(request)).not.toContain(callerKey);
      expect(rawOf(request)).not.toMatch(/x-(?:gateway|portkey)-|dummy|OPENAI_API_KEY/i);
      expect(request.headers).toMatchObject({ authorization: `Bearer ${catalogKeys.main}` });
      expect([request.headers['api-key'], request.headers['x-api-key']]).toEqual([undefined, undefined]);
    }
  });

  it('is retried by the library when the provider sends a retry delay', async () => {
    const client = new OpenAI({ baseURL: rig.baseUrl, apiKey: callerKey, maxRetries: 1 });
    const completion = await client.chat.completions.create({ model: 'm-once', messages });
    expect(completion.choices[0]?.message.content).toContain('Grüße');
    expect(rig.upstream.requests).toHaveLength(2);
  });

  it.each([
    ['of a single provider', 'm-once', {}, 1],
    ['of the last target with its own error', 'm-down', { 'x-gateway-config': 'broken' }, 3],
  ])('forwards retry-after-ms %s', async (_, model, headers: Record<string, string>, attempts) => {
    const client = new OpenAI({ baseURL: rig.baseUrl, apiKey: callerKey, maxRetries: 0, defaultHeaders: headers });
    const error: unknown = await client.chat.completions.create({ model, messages }).catch((reason: unknown) => reason);
    expect((error as InstanceType<typeof OpenAI.APIError>).headers?.get('retry-after-ms')).toBe('1');
    expect(rig.upstream.requests).toHaveLength(attempts);
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
  const openly: readonly [string, (baseURL: string) => Promise<unknown>][] = [
    ['portkey-ai without a key', (url) => open(url).chat.completions.create({ model: 'm-text', messages })],
    ['the OpenAI client inside portkey-ai without a key', (url) => open(url).images.generate({ model: 'm-image', prompt: 'a frog' })],
    [
      'openai with a placeholder',
      (url) => openai('OPENAI_API_KEY', { 'x-gateway-provider': 'openai' })(url).chat.completions.create({ model: 'm-text', messages }),
    ],
    ['openai with a placeholder, on a relayed route', (url) => openai('dummy', { 'x-gateway-provider': 'openai' })(url).files.list()],
  ];

  it.each(openly)('does not use the placeholder key of %s as a credential', async (_, send) => {
    await send(rig.baseUrl);
    expect(rig.upstream.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${catalogKeys.main}`]);
  });
});
