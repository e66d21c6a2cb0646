import { describe, expect, it } from 'vitest';
import type { Endpoint } from '#core/endpoint.ts';
import { GatewayError } from '#core/error.ts';
import { emptyBody } from '#core/json/body.ts';
import type { MediaNeed, Operation, Tap, Translation, UpstreamRequest } from '#core/provider.ts';
import { chat, draftAttempt, prepare } from '../../test/support/prepare.ts';
import { makeBinding, makeContext, makeHost, makeLeaf, makeProvider, noon, refusal, setUp } from '../../test/support/stage-context.ts';
import transform from './index.ts';

describe('the model', () => {
  it.each([
    ['is the requested one', 'gpt-4o', undefined, 'gpt-4o'],
    ['loses its slug', '@main/gpt-4o', undefined, 'gpt-4o'],
    ['loses only the slug', '@main/org/gpt-4o', undefined, 'org/gpt-4o'],
    ['is that of the config', 'gpt-4o', { model: 'fixed' }, 'fixed'],
    ['is that of the config even if it looks like a slug', 'gpt-4o', { model: '@other/fixed' }, '@other/fixed'],
    ['is unchanged if it only looks like a slug', '@cf/meta/llama', undefined, '@cf/meta/llama'],
  ])('%s', async (_, requestedModel, override, model) => {
    const { attempt, body } = await prepare({ body: { ...chat, model: requestedModel }, leaf: { override } });
    expect(attempt.model).toBe(model);
    expect(attempt.call?.model).toBe(model);
    expect(JSON.parse(body ?? '')).toMatchObject({ model });
  });

  it('comes from the query if the body has none', async () => {
    const realtime = makeBinding('main', {
      provider: makeProvider({ relay: (call) => ({ origin: 'https://api.example', path: `/${call.model}` }) }),
    });
    const overrides = { endpoint: 'realtime', requestedModel: '@main/live', body: emptyBody } as const;
    expect((await prepare({ binding: realtime, overrides })).attempt.upstream).toMatchObject({ path: '/live' });
  });

  it.each<[endpoint: Endpoint, query: string, expected: string, requestedModel?: string]>([
    ['relay', 'x=1&model=@main/live&y=2', 'x=1&model=live&y=2'],
    ['relay', 'Model=%40main%2Flive&model=other', 'model=live'],
    ['relay', 'x=1', 'x=1'],
    ['relay', '', ''],
    ['realtime', 'model=@main/live', 'model=live'],
    ['realtime', 'intent=transcription', 'intent=transcription&model=live'],
    ['realtime', '', 'model=live'],
    ['files/list', 'model=@main/live&x=1', 'x=1'],
    ['files/list', 'model=live&x=1', 'model=live&x=1'],
    ['relay', 'model=@main&x=1', 'x=1', '@main'],
  ])('is written into the query of %s: "%s"', async (endpoint, query, expected, requestedModel = '@main/live') => {
    const provider = makeProvider({
      relay: () => ({ origin: 'https://api.example', path: '/' }),
      operations: { 'files/list': { begin: (body) => translationOf(body) } },
    });
    const overrides = { endpoint, method: 'GET', path: '/v1/x', query, requestedModel, body: emptyBody };
    const { attempt } = await prepare({ binding: makeBinding('main', { provider }), overrides });
    expect(attempt.call?.query).toBe(expected);
  });

  it('is removed if it is only a slug', async () => {
    const binding = makeBinding('main', {
      provider: makeProvider({ operations: { 'chat/completions': { begin: (body) => translationOf(body) } } }),
    });
    expect((await prepare({ binding, body: { model: '@main', messages: [] } })).body).toBe('{"messages":[]}');
  });

  it('is the one that an earlier plugin wrote to the body', async () => {
    expect((await prepare({ overrides: { requestedModel: 'gpt-4o' }, body: { model: 'small', messages: [] } })).attempt.model).toBe(
      'small',
    );
  });
});

const translationOf = (body: UpstreamRequest['body'], path = '/'): Translation => ({
  request: { origin: 'https://api.example', path, method: 'POST', headers: [], body, dropped: [] },
  tap: {} as Tap,
});

describe('the lane', () => {
  it.each([
    ['express if no byte changes', {}, 'express'],
    ['express if the override equals the body', { body: { ...chat, n: 1 }, leaf: { override: { n: 1 } } }, 'express'],
    ['splice if the model is replaced', { body: { ...chat, model: '@main/m' } }, 'splice'],
    ['splice if an override changes the body', { leaf: { override: { n: 1 } } }, 'splice'],
    [
      'full if the provider converts',
      {
        binding: makeBinding('x', {
          provider: makeProvider({
            operations: { 'chat/completions': { begin: (body) => ({ ...translationOf(body), result: () => ({}) }) } },
          }),
        }),
      },
      'full',
    ],
  ])('is %s', async (_, parts, lane) => {
    expect((await prepare(parts)).attempt.lane).toBe(lane);
  });
});

describe('the call passed to a provider', () => {
  it('describes the attempt', async () => {
    const { attempt } = await prepare({
      headers: { 'openai-beta': 'x=1', 'x-gateway-vendor-beta': 'y' },
      overrides: { query: 'a=b', params: { id: 'r' } },
    });
    expect(attempt.call).toMatchObject({
      endpoint: 'chat/completions',
      method: 'POST',
      query: 'a=b',
      params: { id: 'r' },
      id: 'req_01TEST',
      createdAt: noon / 1000,
    });
    expect([attempt.call?.header('openai-beta'), attempt.call?.header('vendor-beta'), attempt.call?.header('other')]).toEqual([
      'x=1',
      'y',
      undefined,
    ]);
  });

  it.each([
    [undefined, undefined, true],
    ['false', undefined, false],
    [undefined, false, false],
    ['true', false, false],
    ['False', undefined, false],
    [' FALSE ', undefined, false],
    ['True', undefined, true],
    ['neither', undefined, true],
  ])('is strict with header %j and target %j: %j', async (value, target, strict) => {
    const headers = value === undefined ? {} : { 'x-gateway-strict-compliance': value };
    expect((await prepare({ headers, leaf: { strict: target } })).attempt.call?.strict).toBe(strict);
  });

  it('comes with a warning for a strict compliance that is neither true nor false', async () => {
    const { ctx } = await prepare({ headers: { 'x-gateway-strict-compliance': 'neither' } });
    expect(ctx.warnings).toEqual(['x-gateway-strict-compliance is "neither", neither true nor false: it is ignored.']);
  });

  it('reads the other spelling of the strict compliance header', async () => {
    expect((await prepare({ headers: { 'x-portkey-strict-open-ai-compliance': 'false' } })).attempt.call?.strict).toBe(false);
  });

  it.each([
    [{ stream: true, stream_options: { include_usage: true } }, true],
    [{ stream: true }, false],
    [{ stream_options: { include_usage: true } }, false],
    [{ stream: true, stream_options: null }, false],
  ])('has includeUsage for %j: %j', async (parts, includeUsage) => {
    expect((await prepare({ body: { ...chat, ...parts } })).attempt.call?.includeUsage).toBe(includeUsage);
  });
});

describe('deployments', () => {
  const provider = makeProvider({
    entry: {
      deployment: (_settings, model) =>
        model === 'lost'
          ? new GatewayError('model_not_found', { message: 'No deployment "lost".' })
          : {
              settings: { path: `/${model}` },
              model: `${model}-deployed`,
              foundationModel: 'gpt-4o',
              ...(model === 'keyed' ? { apiKey: 'own' } : {}),
            },
    },
  });
  const binding = makeBinding('azure', { provider });

  it('set the model name sent upstream', async () => {
    const { attempt, body } = await prepare({ binding, body: { ...chat, model: 'mini' } });
    expect(attempt).toMatchObject({
      model: 'mini',
      call: { model: 'mini-deployed', deployment: { path: '/mini' }, foundationModel: 'gpt-4o' },
    });
    expect(JSON.parse(body ?? '')).toMatchObject({ model: 'mini-deployed' });
  });

  it('may have their own key', async () => {
    const { attempt } = await prepare({ binding, body: { ...chat, model: 'keyed' } });
    expect(attempt.upstream && attempt.credential?.headers(attempt.upstream)).toEqual(['authorization', 'Bearer own']);
  });

  it('return an error for each request if they do not exist', async () => {
    const plugin = await setUp(transform);
    const ctx = makeContext({ body: { ...chat, model: 'lost' } });
    const leaf = makeLeaf({ provider: binding });
    for (let i = 0; i < 2; i += 1) {
      expect(await refusal(() => plugin.prepare?.(ctx, draftAttempt(ctx, leaf, binding)))).toMatchObject({ code: 'model_not_found' });
    }
  });
});

describe('files that the provider cannot fetch', () => {
  const operation = (needs: readonly MediaNeed[]): Operation => ({
    media: () => needs,
    begin: (body, call) => translationOf(body, `/${call.media.get('https://a.example/cat.png')?.base64}`),
  });
  const bindingFor = (needs: readonly MediaNeed[]) =>
    makeBinding('main', { provider: makeProvider({ operations: { 'chat/completions': operation(needs) } }) });
  const need = { url: 'https://a.example/cat.png', maxBytes: 10 };

  it('are downloaded before the conversion', async () => {
    const requested: (readonly MediaNeed[])[] = [];
    const host = makeHost({
      media: (needs) => {
        requested.push(needs);
        return Promise.resolve(new Map([[need.url, { mimeType: 'image/png', base64: 'AAAA' }]]));
      },
    });
    expect((await prepare({ binding: bindingFor([need]), host })).attempt).toMatchObject({
      upstream: { path: '/AAAA' },
      call: { endpoint: 'chat/completions' },
    });
    expect(requested).toEqual([[need]]);
  });

  it('are not requested if there are none', async () => {
    expect((await prepare({ binding: bindingFor([]) })).attempt.upstream).toMatchObject({ path: '/undefined' });
  });

  it('fail the attempt if the download fails', async () => {
    const host = makeHost({ media: () => Promise.reject(new GatewayError('media_fetch_failed', { message: 'It is gone.' })) });
    expect(await refusal(() => prepare({ binding: bindingFor([need]), host }))).toMatchObject({ code: 'media_fetch_failed' });
  });
});

describe('the upstream host', () => {
  const hosted = { 'x-gateway-custom-host': 'https://header.example' };
  it.each([
    ['that of the provider', {}, 'https://api.example', 'operator'],
    [
      'that of the config for an open target',
      { leaf: { provider: undefined, customHost: 'https://config.example' } },
      'https://config.example',
      'operator',
    ],
    [
      'that of an inline config',
      { leaf: { provider: undefined, customHost: 'https://config.example', root: 'inline' } },
      'https://config.example',
      'request',
    ],
    ['that of the header', { headers: hosted }, 'https://header.example', 'request'],
    [
      'that of the header before that of the config',
      { headers: hosted, leaf: { provider: undefined, customHost: 'https://config.example' } },
      'https://header.example',
      'request',
    ],
  ])('is %s', async (_, parts, origin, trust) => {
    expect((await prepare(parts)).attempt).toMatchObject({ upstream: { origin }, trust });
  });

  it('does not change the identity of the settings object between requests', async () => {
    const plugin = await setUp(transform);
    const binding = makeBinding('main');
    const leaf = makeLeaf({ customHost: 'https://config.example' });
    const settings = [1, 2].map(() => {
      const ctx = makeContext({ body: chat });
      const attempt = draftAttempt(ctx, leaf, binding);
      void plugin.prepare?.(ctx, attempt);
      return attempt.call?.settings;
    });
    expect(settings[0]).toBe(settings[1]);
    expect(settings[0]).toEqual({ custom_host: 'https://config.example' });
  });

  it('can be set by a request if the provider uses the credential of the client', async () => {
    const provider = makeProvider({
      entry: { requestSettings: [{ setting: 'custom_host', headers: ['cloud-host'], keys: [], shapesHost: true }] },
    });
    const binding = makeBinding('mine', { provider, owner: 'caller', settings: { extensions: 'drop' } });
    const { attempt } = await prepare({
      binding,
      headers: { 'x-gateway-cloud-host': 'https://mine.example' },
      caller: { credential: 'sk-own' },
    });
    expect(attempt).toMatchObject({
      trust: 'request',
      call: { settings: { custom_host: 'https://mine.example', extensions: 'drop' } },
      credential: { owner: 'caller' },
    });
  });
});

describe('the header request-timeout', () => {
  it.each([
    ['sets the timeout', '2000', undefined, 2000],
    ['lowers the timeout', '2000', 5000, 2000],
    ['never raises the timeout', '9000', 5000, 5000],
  ])('%s', async (_, value, configuredTimeout, request) => {
    const plugin = await setUp(transform);
    const ctx = makeContext({ body: chat, headers: { 'x-gateway-request-timeout': value } });
    const attempt = draftAttempt(ctx, makeLeaf(), makeBinding('main'));
    attempt.timeouts = { ...attempt.timeouts, request: configuredTimeout };
    await plugin.prepare?.(ctx, attempt);
    expect(attempt.timeouts).toEqual({ ...ctx.snapshot.server.timeouts, request });
  });

  it.each(['soon', '0', '-5', 'NaN'])('is rejected with the value %j', async (value) => {
    expect(await refusal(() => prepare({ headers: { 'x-gateway-request-timeout': value } }))).toMatchObject({
      code: 'invalid_header',
      param: 'x-gateway-request-timeout',
    });
  });
});

describe('prepare', () => {
  it.each([
    [
      'a route that the provider does not support',
      { overrides: { endpoint: 'moderations', path: '/v1/moderations' } as const },
      'unsupported_endpoint',
      'Provider "main" (openai) does not serve POST /v1/moderations.',
    ],
    [
      'a relayed path if the provider has no relay',
      { overrides: { endpoint: 'relay', path: '/v1/files' } as const },
      'unsupported_endpoint',
      'Provider "main" (openai) does not serve POST /v1/files.',
    ],
    [
      'a provider that cannot be used',
      { binding: makeBinding('off', { unusable: new GatewayError('not_allowed', { message: 'Switched off.' }) }) },
      'not_allowed',
      'Switched off.',
    ],
  ])('rejects %s', async (_, parts, code, message) => {
    expect(await refusal(() => prepare(parts))).toMatchObject({ code, message });
  });

  it.each([
    ['of the request', makeLeaf(), 'gpt-4o'],
    ['of the target', makeLeaf({ override: { model: 'other' } }), 'other'],
  ])('sets the model %s, also for a route that the provider does not support', async (_, leaf, model) => {
    const plugin = await setUp(transform);
    const ctx = makeContext({ body: chat, overrides: { endpoint: 'moderations', path: '/v1/moderations' } });
    const attempt = draftAttempt(ctx, leaf, makeBinding('main'));
    expect(await refusal(async () => plugin.prepare?.(ctx, attempt))).toMatchObject({ code: 'unsupported_endpoint' });
    expect(attempt.model).toBe(model);
  });

  it('accepts a path that the provider relays', async () => {
    const provider = makeProvider({ relay: (_call, path) => ({ origin: 'https://api.example', path, headers: ['x-org', 'o'] }) });
    const { attempt } = await prepare({
      binding: makeBinding('main', { provider }),
      overrides: { endpoint: 'relay', path: '/v1/files', method: 'GET' },
    });
    expect(attempt.upstream).toMatchObject({ path: '/v1/files', method: 'GET', body: { kind: 'none' } });
    expect(attempt.upstream?.headers).toEqual(['x-org', 'o', 'accept-encoding', 'identity']);
    expect(attempt.credential?.owner).toBe('catalog');
  });
});
