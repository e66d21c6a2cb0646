import { describe, expect, it } from 'vitest';
import { GatewayError } from '#core/error.ts';
import {
  makeBinding,
  makeBranch,
  makeConfig,
  makeContext,
  makeLeaf,
  makeProvider,
  makeSnapshot,
  refusal,
  setUp,
} from '../../test/support/stage-context.ts';
import { teamBinding, snapshot, route, withKey, chatBody } from '../../test/support/routing.ts';
import routing from './index.ts';

describe('the limits of a key', () => {
  it.each([
    [
      'a config',
      { allowsConfig: (name: string) => name !== 'draft' },
      { 'x-gateway-config': 'draft' },
      'm',
      'Key "app-web" may not use config "draft".',
    ],
    [
      'an inline config',
      { allowsConfig: (name: string) => name !== 'inline' },
      { 'x-gateway-config': '{}' },
      '@azure-eu/m',
      'Key "app-web" may not send its own configs.',
    ],
    [
      'a provider',
      { allowsProvider: (slug: string) => slug !== 'azure-eu' },
      {},
      '@azure-eu/m',
      'Key "app-web" may not use provider "azure-eu".',
    ],
    [
      'a type',
      { allowsProvider: (slug: string) => slug !== 'type:openai' },
      { 'x-gateway-provider': 'openai' },
      'm',
      'Key "app-web" may not use provider "openai".',
    ],
    ['a model', { allowsModel: (model: string) => model === 'small' }, {}, '@azure-eu/big', 'Key "app-web" may not use model "big".'],
    [
      'a model with another slug after the first',
      { allowsModel: (model: string) => model === 'small' },
      {},
      '@azure-eu/@other/small',
      'Key "app-web" may not use model "@other/small".',
    ],
    [
      'a model that looks like a slug',
      { allowsModel: (model: string) => model === 'small' },
      {},
      '@azure-eu/@big',
      'Key "app-web" may not use model "@big".',
    ],
    [
      'a model named by a config',
      { allowsModel: (model: string) => model === 'm' },
      { 'x-gateway-config': 'open' },
      '@azure-eu/m',
      'Key "app-web" may not use model "fixed".',
    ],
    [
      'a request that names no model',
      { allowsModel: (model: string) => model === 'm' },
      { 'x-gateway-provider': '@azure-eu' },
      '',
      /limited to certain models/,
    ],
  ])('reject %s', async (_, rules, headers, model, message) => {
    const caller = { ...withKey(rules), credential: 'sk-own' };
    const error = await refusal(() => route({ headers, body: model === '' ? {} : chatBody(model), caller }));
    expect(error).toMatchObject({ code: 'not_allowed', status: 403 });
    expect(error.message).toMatch(message);
  });

  it('skip targets that the key may not use', async () => {
    const rules = { allowsModel: (model: string) => model === 'small' };
    expect(await route({ headers: { 'x-gateway-config': 'small-first' }, body: chatBody('m'), caller: withKey(rules) })).toMatchObject({
      slug: 'azure-eu',
    });
  });

  describe('with a disabled provider', () => {
    const disabled = makeBinding('off', { unusable: new GatewayError('not_allowed', { message: 'The provider "off" is disabled.' }) });
    const enabled = makeBinding('on');
    const leaves = [makeLeaf({ provider: disabled }), makeLeaf({ provider: enabled })];
    const configs = [
      makeConfig('chain', makeBranch('fallback', leaves, { fallsBackOn: (status) => status === 429 })),
      makeConfig('spread', makeBranch('loadbalance', leaves)),
      makeConfig('only', makeLeaf({ provider: disabled })),
    ];
    const catalog = makeSnapshot({ providers: [disabled, enabled], configs });
    const routeWith = (config: string, random: number) =>
      route({ snapshot: catalog, headers: { 'x-gateway-config': config }, body: chatBody('m'), overrides: { random } });

    it('select other targets', async () => {
      const slugs = await Promise.all([
        routeWith('chain', 0),
        routeWith('spread', 0.1),
        routeWith('spread', 0.4),
        routeWith('spread', 0.7),
        routeWith('spread', 0.9),
      ]);
      expect(slugs.map(({ slug }) => slug)).toEqual(['on', 'on', 'on', 'on', 'on']);
    });

    it('return its error if there is no other target', async () => {
      expect(await refusal(() => routeWith('only', 0))).toBe(disabled.unusable);
    });
  });

  it('hide slugs that the key may not use in the hint', async () => {
    const rules = { allowsProvider: (slug: string) => slug === 'azure-eu' };
    const error = await refusal(() => route({ body: chatBody('m'), caller: withKey(rules) }));
    expect(error.hint).toMatch(/Slugs: azure-eu, batch-team\.$/);
  });

  it('include the model list of the provider', async () => {
    const error = await refusal(() => route({ body: chatBody('@narrow/big') }));
    expect(error.message).toBe('Provider "narrow" may not be used with model "big".');
    expect((await route({ body: chatBody('@narrow/small') })).slug).toBe('narrow');
  });

  it('allow a virtual key by its own name', async () => {
    const ctx = makeContext({ snapshot, body: chatBody('m'), caller: withKey({ allowsProvider: (slug) => slug === 'batch-team' }) });
    ctx.facts.virtualKey = teamBinding;
    const plugin = await setUp(routing);
    expect(plugin.plan?.(ctx, undefined)).toBeDefined();
  });
});

describe('hosts chosen by a request', () => {
  const customHost = { 'x-gateway-custom-host': 'https://evil.example/v1' };
  it.each([
    ['a header and a slug', customHost, '@openai-main/m'],
    ['a header and a config', { ...customHost, 'x-gateway-config': 'support' }, 'm'],
    ['a config sent as JSON', { 'x-gateway-config': '{"customHost":"https://evil.example"}' }, '@openai-main/m'],
    ['a setting that determines the host', { 'x-gateway-cloud-resource-name': 'evil' }, '@azure-eu/m'],
  ])('never get the credential of the operator: %s', async (_, headers, model) => {
    expect(await refusal(() => route({ headers, body: chatBody(model), caller: { credential: 'sk-own' } }))).toMatchObject({
      code: 'not_allowed',
      status: 403,
    });
  });

  it('never get the credential of a deployment, even if the provider has none', async () => {
    const provider = makeProvider({ entry: { deployment: () => ({ settings: {}, model: 'm', apiKey: 'secret' }) } });
    const keyless = makeSnapshot({ providers: [makeBinding('keyless', { provider, owner: 'none' })] });
    expect(await refusal(() => route({ snapshot: keyless, headers: customHost, body: chatBody('@keyless/m') }))).toMatchObject({
      code: 'not_allowed',
    });
  });

  it('are compared with their port', async () => {
    const headers = { 'x-gateway-custom-host': 'https://proxy.example:8443/v1' };
    expect(await refusal(() => route({ headers, body: chatBody('@azure-eu/m') }))).toMatchObject({ code: 'not_allowed' });
  });

  it.each([
    ['the provider allows the host', { 'x-gateway-custom-host': 'https://proxy.example/v1' }],
    ['the setting does not determine the host', { 'x-gateway-cloud-api-version': '2024-10-21' }],
  ])('are accepted when %s', async (_, headers) => {
    expect((await route({ headers, body: chatBody('@azure-eu/m') })).slug).toBe('azure-eu');
  });
});

describe('routes of a single account', () => {
  const batch = { endpoint: 'relay', path: '/v1/batches/b_1/cancel', params: {} } as const;
  it.each([
    ['no provider', {}, /names none/, /or a slug\.$/],
    ['a config of several providers', { 'x-gateway-config': 'support' }, /may go to several/, /and no config\.$/],
  ])('require a virtual key when the request names %s', async (_, headers, message, hint) => {
    const error = await refusal(() => route({ headers, overrides: batch }));
    expect(error).toMatchObject({ code: 'missing_virtual_key', status: 400 });
    expect([error.message, error.hint]).toEqual([expect.stringMatching(message), expect.stringMatching(hint)]);
  });

  it.each([
    ['a slug', { 'x-gateway-provider': '@azure-eu' }],
    ['a config of one provider', { 'x-gateway-config': 'draft' }],
  ])('accept %s instead of a virtual key', async (_, headers) => {
    expect((await route({ headers, overrides: batch })).slug).toBe('azure-eu');
  });

  it('do not include similar paths', async () => {
    expect(await refusal(() => route({ overrides: { ...batch, path: '/v1/batches-of-mine' } }))).toMatchObject({ code: 'no_target' });
  });

  it('try targets in written order, with a warning that weights are ignored', async () => {
    const { ctx, target } = await route({
      headers: { 'x-gateway-config': 'spread' },
      overrides: { endpoint: 'responses/{id}', path: '/v1/responses/r_1', params: { id: 'r_1' }, method: 'GET', random: 0.99 },
    });
    expect(target).toBe('config.targets[0]');
    expect(ctx.warnings).toEqual([expect.stringMatching(/weights and conditions are not used/)]);
  });
});

describe('the model list', () => {
  const models = { endpoint: 'models', path: '/v1/models', method: 'GET' } as const;
  it('has no plan without a provider, and the plan of the default config if there is one', async () => {
    expect((await route({ overrides: models })).target).toBeUndefined();
    expect((await route({ overrides: models, caller: withKey({ defaultConfig: 'support' }) })).target).toBe('config.targets[0]');
  });
  it('is requested from the named provider', async () => {
    expect((await route({ overrides: models, headers: { 'x-gateway-provider': '@azure-eu' } })).slug).toBe('azure-eu');
  });
});
