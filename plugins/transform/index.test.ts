import { describe, expect, it } from 'vitest';
import type { Routed } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import type { Attempt } from '#core/plan.ts';
import type { Leaf, ProviderBinding } from '#core/snapshot.ts';
import {
  makeBinding,
  makeContext,
  makeLeaf,
  makeProvider,
  noon,
  refusal,
  type RequestParts,
  setUp,
  signed,
} from '../../test/support/stage-context.ts';
import transform from './index.ts';

const chat = { model: 'gpt-4o', messages: [] };

function draft(ctx: Routed, leaf: Leaf, binding: ProviderBinding): Attempt {
  return {
    index: 0,
    tries: 0,
    target: leaf,
    binding,
    model: '',
    clocks: ctx.snapshot.server.clocks,
    trust: binding.trust,
    lane: 'express',
    operation: undefined,
    call: undefined,
    upstream: undefined,
    credential: undefined,
  };
}

interface Case extends RequestParts {
  readonly leaf?: Partial<Leaf>;
  readonly binding?: ProviderBinding;
}

async function prepare({ leaf, binding = makeBinding('main'), ...parts }: Case) {
  const plugin = await setUp(transform);
  const ctx = makeContext({ body: chat, ...parts });
  const attempt = draft(ctx, makeLeaf({ provider: binding, ...leaf }), binding);
  await plugin.prepare?.(ctx, attempt);
  const body = attempt.upstream?.body;
  return { ctx, attempt, body: body?.kind === 'json' ? body.bytes().toString() : undefined };
}

const header = (attempt: Attempt, name: string): string | undefined => {
  const pairs = attempt.upstream?.headers ?? [];
  for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === name) return pairs[i + 1];
  return undefined;
};

describe('the model', () => {
  it.each([
    ['is the asked one', 'gpt-4o', undefined, 'gpt-4o'],
    ['loses its slug', '@main/gpt-4o', undefined, 'gpt-4o'],
    ['loses only the slug', '@main/org/gpt-4o', undefined, 'org/gpt-4o'],
    ['is the one of the config', 'gpt-4o', { model: 'fixed' }, 'fixed'],
    ['loses the slug of the config', 'gpt-4o', { model: '@main/fixed' }, 'fixed'],
    ['stays when it only looks like a slug', '@cf/meta/llama', undefined, '@cf/meta/llama'],
  ])('%s', async (_, asked, override, model) => {
    const { attempt, body } = await prepare({ body: { ...chat, model: asked }, leaf: { override } });
    expect(attempt.model).toBe(model);
    expect(attempt.call?.model).toBe(model);
    expect(JSON.parse(body ?? '')).toMatchObject({ model });
  });

  it('comes from the query where the body has none', async () => {
    const realtime = makeBinding('main', {
      provider: makeProvider({ relay: (call) => ({ origin: 'https://api.example', path: `/${call.model}` }) }),
    });
    const over = { endpoint: 'realtime', askedModel: '@main/live', body: { kind: 'passing', contentType: undefined } } as const;
    expect((await prepare({ binding: realtime, over })).attempt.upstream).toMatchObject({ path: '/live' });
  });

  it('is taken out when it is nothing but a slug', async () => {
    const binding = makeBinding('main', { provider: makeProvider({ operations: { 'chat/completions': { ...untouched } } }) });
    expect((await prepare({ binding, body: { model: '@main', messages: [] } })).body).toBe('{"messages":[]}');
  });

  it('is the one that an earlier plugin wrote into the body', async () => {
    expect((await prepare({ over: { askedModel: 'gpt-4o' }, body: { model: 'small', messages: [] } })).attempt.model).toBe('small');
  });
});

const untouched = {
  request: (body: Parameters<NonNullable<NonNullable<Attempt['operation']>['request']>>[0]) => ({
    origin: 'https://api.example',
    path: '/',
    method: 'POST',
    headers: [],
    body,
    dropped: [],
  }),
  tap: () => {
    throw new Error('not used');
  },
};

describe('override_params', () => {
  it.each([
    ['a scalar', '{"model":"m","temperature":1}', { temperature: 0.2 }, '{"model":"m","temperature":0.2}'],
    ['a new member', '{"model":"m"}', { labels: { team: 'a' } }, '{"model":"m","labels":{"team":"a"}}'],
    [
      'members of an object',
      '{"model":"m","labels":{"a":"1","b":"2"}}',
      { labels: { b: '3', c: '4' } },
      '{"model":"m","labels":{"a":"1","b":"3","c":"4"}}',
    ],
    ['an array as a whole', '{"model":"m","stop":["a","b"]}', { stop: ['c'] }, '{"model":"m","stop":["c"]}'],
    ['null as null', '{"model":"m","user":"u"}', { user: null }, '{"model":"m","user":null}'],
    ['an object over a scalar', '{"model":"m","metadata":"x"}', { metadata: { a: 1 } }, '{"model":"m","metadata":{"a":1}}'],
  ])('write %s', async (_, body, override, expected) => {
    expect((await prepare({ body, leaf: { override } })).body).toBe(expected);
  });

  it('leave every other byte as it came', async () => {
    const body = '{ "model": "m", "seed": 12345678901234567890, "temperature": 1.0, "n":1 }';
    expect((await prepare({ body, leaf: { override: { n: 2 } } })).body).toBe(body.replace('"n":1', '"n":2'));
  });

  it('do not change the object in the configuration', async () => {
    const override = Object.freeze({ labels: Object.freeze({ team: 'a' }) });
    await prepare({ body: { ...chat, labels: { other: 'b' } }, leaf: { override } });
    expect(override).toEqual({ labels: { team: 'a' } });
  });

  it('leave the client its choice of a stream, and say so once', async () => {
    const { body, ctx } = await prepare({ leaf: { override: { stream: true } } });
    expect(JSON.parse(body ?? '')).toEqual(chat);
    expect(ctx.warnings).toEqual([expect.stringMatching(/stream is not applied/)]);
  });
});

describe('the lane', () => {
  it.each([
    ['express when no byte changes', {}, 'express'],
    ['express when the override says what the body says', { body: { ...chat, n: 1 }, leaf: { override: { n: 1 } } }, 'express'],
    ['splice when the model is written anew', { body: { ...chat, model: '@main/m' } }, 'splice'],
    ['splice when the override writes', { leaf: { override: { n: 1 } } }, 'splice'],
    [
      'full when the provider converts',
      {
        binding: makeBinding('x', { provider: makeProvider({ operations: { 'chat/completions': { ...untouched, result: () => ({}) } } }) }),
      },
      'full',
    ],
  ])('is %s', async (_, parts, lane) => {
    expect((await prepare(parts)).attempt.lane).toBe(lane);
  });
});

describe('the call', () => {
  it('tells the provider about the attempt', async () => {
    const { attempt } = await prepare({
      headers: { 'openai-beta': 'x=1', 'x-gateway-vendor-beta': 'y' },
      over: { query: 'a=b', params: { id: 'r' } },
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
    ['False', undefined, true],
  ])('is strict with header %j and target %j: %j', async (value, target, strict) => {
    const headers = value === undefined ? {} : { 'x-gateway-strict-compliance': value };
    expect((await prepare({ headers, leaf: { strict: target } })).attempt.call?.strict).toBe(strict);
  });

  it('reads the other spelling of strict compliance', async () => {
    expect((await prepare({ headers: { 'x-portkey-strict-open-ai-compliance': 'false' } })).attempt.call?.strict).toBe(false);
  });

  it.each([
    [{ stream: true, stream_options: { include_usage: true } }, true],
    [{ stream: true }, false],
    [{ stream_options: { include_usage: true } }, false],
    [{ stream: true, stream_options: null }, false],
  ])('knows from %j whether usage is asked for', async (more, includeUsage) => {
    expect((await prepare({ body: { ...chat, ...more } })).attempt.call?.includeUsage).toBe(includeUsage);
  });
});

describe('deployments', () => {
  const provider = makeProvider({
    deployment: (_settings, model) =>
      model === 'lost'
        ? new GatewayError('model_not_found', { message: 'No deployment "lost".' })
        : {
            settings: { path: `/${model}` },
            model: `${model}-deployed`,
            foundationModel: 'gpt-4o',
            ...(model === 'keyed' ? { apiKey: 'own' } : {}),
          },
  });
  const binding = makeBinding('azure', { provider });

  it('give the upstream its own name', async () => {
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

  it('that do not exist are an error each time', async () => {
    const plugin = await setUp(transform);
    const ctx = makeContext({ body: { ...chat, model: 'lost' } });
    const leaf = makeLeaf({ provider: binding });
    for (let i = 0; i < 2; i += 1) {
      expect(await refusal(() => plugin.prepare?.(ctx, draft(ctx, leaf, binding)))).toMatchObject({ code: 'model_not_found' });
    }
  });
});

describe('whose credential signs', () => {
  const nothing = { owner: 'caller', headers: () => [] } as const;
  const keyless: ProviderBinding = makeBinding('keyless', {
    owner: 'caller',
    credential: () => nothing,
    forCaller: (key) => makeBinding('keyless', { owner: 'caller', credential: () => signed('caller', key ?? '') }),
  });
  const sign = (attempt: Attempt) => attempt.upstream && attempt.credential?.headers(attempt.upstream);

  it('the catalog, although the caller sent one', async () => {
    const { attempt } = await prepare({ headers: { authorization: 'Bearer sk-own' }, caller: { credential: 'sk-own' } });
    expect([attempt.call?.credential, sign(attempt)]).toEqual(['catalog', ['authorization', 'Bearer secret-of-main']]);
    expect(header(attempt, 'authorization')).toBeUndefined();
  });

  it('the caller, where the entry says so', async () => {
    const { attempt } = await prepare({ binding: keyless, caller: { credential: 'sk-own' } });
    expect([attempt.call?.credential, sign(attempt)]).toEqual(['caller', ['authorization', 'Bearer sk-own']]);
  });

  it('what came in a config, before what came in a header', async () => {
    const binding = makeBinding('openai', { ...keyless, credential: () => signed('caller', 'sk-in-config') });
    expect(sign((await prepare({ binding, caller: { credential: 'sk-own' } })).attempt)).toEqual(['authorization', 'Bearer sk-in-config']);
  });

  it('nobody: refused where the provider needs one', async () => {
    expect(await refusal(() => prepare({ binding: keyless }))).toMatchObject({ code: 'missing_credential', status: 401 });
  });

  it('nobody: fine where the provider needs none', async () => {
    const { attempt } = await prepare({ binding: { ...keyless, provider: makeProvider({ apiKey: 'optional' }) } });
    expect(sign(attempt)).toEqual([]);
  });

  it.each([
    ['forward_headers of the config', { leaf: { forwardHeaders: ['authorization'] } }],
    ['forward-headers of the request', { more: { 'x-gateway-forward-headers': 'Authorization, x-trace' } }],
  ])("the caller's own header, unchanged, by %s", async (_, { leaf, more }: { leaf?: Partial<Leaf>; more?: Record<string, string> }) => {
    const headers = { authorization: 'Bearer eyJ', 'x-trace': 't', ...more };
    const { attempt } = await prepare({ headers, ...(leaf && { leaf }) });
    expect(header(attempt, 'authorization')).toBe('Bearer eyJ');
    expect([attempt.call?.credential, sign(attempt)]).toEqual(['forwarded', []]);
  });

  it.each([
    ['held the gateway key', { authorization: 'Bearer gw_x' }, ['authorization']],
    ['holds a placeholder', { authorization: 'Bearer OPENAI_API_KEY' }, []],
    ['is absent', {}, []],
  ])('never the catalog when authorization is to be forwarded and %s', async (_, headers, consumed) => {
    const error = await refusal(() => prepare({ headers, caller: { consumed }, leaf: { forwardHeaders: ['authorization'] } }));
    expect(error).toMatchObject({ code: 'missing_credential' });
  });
});

describe('forwarded headers', () => {
  it('replace the provider’s own of the same name, and those of the config', async () => {
    const headers = { 'x-gateway-forward-headers': 'accept', accept: 'text/plain', 'x-other': '1' };
    const { attempt } = await prepare({ headers, leaf: { forwardHeaders: ['x-other'] } });
    expect([header(attempt, 'accept'), header(attempt, 'x-other'), header(attempt, 'content-type')]).toEqual([
      'text/plain',
      undefined,
      'application/json',
    ]);
  });

  it.each(['x-gateway-api-key', 'x-portkey-config', 'host', 'connection', 'Content-Length', 'transfer-encoding', 'a,host'])(
    'can not be %s',
    async (list) => {
      expect(await refusal(() => prepare({ headers: { 'x-gateway-forward-headers': list } }))).toMatchObject({
        code: 'invalid_header',
        param: 'x-gateway-forward-headers',
      });
    },
  );

  it('of a config never hold a gateway header or one of the connection', async () => {
    const headers = { 'x-gateway-api-key': 'k', host: 'h', 'content-type': 'x', 'x-fine': '1' };
    const { attempt } = await prepare({ headers, leaf: { forwardHeaders: ['x-gateway-api-key', 'host', 'content-type', 'x-fine'] } });
    expect(attempt.upstream?.headers).toEqual(['content-type', 'application/json', 'x-fine', '1']);
  });
});

describe('the host', () => {
  const hosted = { 'x-gateway-custom-host': 'https://header.example' };
  it.each([
    ["the provider's own", {}, 'https://api.example', 'operator'],
    [
      "the config's, for an open target",
      { leaf: { provider: undefined, customHost: 'https://config.example' } },
      'https://config.example',
      'operator',
    ],
    [
      "an inline config's",
      { leaf: { provider: undefined, customHost: 'https://config.example', root: 'inline' } },
      'https://config.example',
      'request',
    ],
    ["the header's", { headers: hosted }, 'https://header.example', 'request'],
    [
      "the header's before the config's",
      { headers: hosted, leaf: { provider: undefined, customHost: 'https://config.example' } },
      'https://header.example',
      'request',
    ],
  ])('is %s', async (_, parts, origin, trust) => {
    expect((await prepare(parts)).attempt).toMatchObject({ upstream: { origin }, trust });
  });

  it('hands providers the same settings object each time', async () => {
    const plugin = await setUp(transform);
    const binding = makeBinding('main');
    const leaf = makeLeaf({ customHost: 'https://config.example' });
    const settings = [1, 2].map(() => {
      const ctx = makeContext({ body: chat });
      const attempt = draft(ctx, leaf, binding);
      void plugin.prepare?.(ctx, attempt);
      return attempt.call?.settings;
    });
    expect(settings[0]).toBe(settings[1]);
    expect(settings[0]).toEqual({ custom_host: 'https://config.example' });
  });

  it("takes settings of the request into an entry that is used with the caller's credential", async () => {
    const provider = makeProvider({ requestSettings: [{ setting: 'custom_host', headers: ['cloud-host'], keys: [], shapesHost: true }] });
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

describe('request-timeout', () => {
  it.each([
    ['sets the clock', '2000', undefined, 2000],
    ['lowers it', '2000', 5000, 2000],
    ['never raises it', '9000', 5000, 5000],
  ])('%s', async (_, value, written, request) => {
    const plugin = await setUp(transform);
    const ctx = makeContext({ body: chat, headers: { 'x-gateway-request-timeout': value } });
    const attempt = draft(ctx, makeLeaf(), makeBinding('main'));
    attempt.clocks = { ...attempt.clocks, request: written };
    await plugin.prepare?.(ctx, attempt);
    expect(attempt.clocks).toEqual({ ...ctx.snapshot.server.clocks, request });
  });

  it.each(['soon', '0', '-5', 'NaN'])('refuses %j', async (value) => {
    expect(await refusal(() => prepare({ headers: { 'x-gateway-request-timeout': value } }))).toMatchObject({
      code: 'invalid_header',
      param: 'x-gateway-request-timeout',
    });
  });
});

describe('refusing', () => {
  it.each([
    [
      'a route that the provider does not serve',
      { over: { endpoint: 'moderations', path: '/v1/moderations' } as const },
      'unsupported_endpoint',
      'Provider "main" (openai) does not serve POST /v1/moderations.',
    ],
    [
      'a relay where the provider has none',
      { over: { endpoint: 'relay', path: '/v1/files' } as const },
      'unsupported_endpoint',
      'Provider "main" (openai) does not serve POST /v1/files.',
    ],
    [
      'an entry that can not be used',
      { binding: makeBinding('off', { unusable: new GatewayError('not_allowed', { message: 'Switched off.' }) }) },
      'not_allowed',
      'Switched off.',
    ],
  ])('%s', async (_, parts, code, message) => {
    expect(await refusal(() => prepare(parts))).toMatchObject({ code, message });
  });

  it('does not happen to a path that the provider relays', async () => {
    const provider = makeProvider({ relay: (_call, path) => ({ origin: 'https://api.example', path, headers: ['x-org', 'o'] }) });
    const { attempt } = await prepare({
      binding: makeBinding('main', { provider }),
      over: { endpoint: 'relay', path: '/v1/files', method: 'GET' },
    });
    expect(attempt.upstream).toMatchObject({ path: '/v1/files', method: 'GET', headers: ['x-org', 'o'], body: { kind: 'none' } });
    expect(attempt.credential?.owner).toBe('catalog');
  });
});
