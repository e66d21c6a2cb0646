import { describe, expect, it } from 'vitest';
import type { Routed } from '#core/context.ts';
import type { ProviderBinding } from '#core/snapshot.ts';
import {
  makeBinding,
  makeBranch,
  makeConfig,
  makeContext,
  makeKey,
  makeLeaf,
  makeProvider,
  makeSnapshot,
  refusal,
  type RequestParts,
  setUp,
} from '../../test/support/stage-context.ts';
import routing from './index.ts';

const openaiType = makeProvider();
const azureType = makeProvider({
  type: 'azure-openai',
  aliases: ['cloud-provider-b'],
  requestSettings: [
    { setting: 'resource_name', headers: ['cloud-resource-name', 'azure-resource-name'], keys: [], shapesHost: true },
    { setting: 'api_version', headers: ['cloud-api-version'], keys: [], shapesHost: false },
    {
      setting: 'auth_mode',
      headers: ['cloud-auth-mode', 'azure-auth-mode'],
      keys: [],
      shapesHost: false,
      ambient: ['managed', 'workload'],
    },
    { setting: 'secret', headers: ['azure-secret'], keys: [], shapesHost: false },
  ],
  settings: { type: 'object', properties: { secret: { type: 'string', writeOnly: true } } },
});
const mockType = makeProvider({ type: 'mock', apiKey: 'none' });

const main = makeBinding('openai-main', { provider: openaiType });
const azure = makeBinding('azure-eu', { provider: azureType, allowsHost: (host) => host === 'proxy.example' });
const narrow = makeBinding('narrow', { provider: openaiType, allowsModel: (model) => model === 'small' });
const sameName = makeBinding('openai', { provider: openaiType });
const team = makeBinding('azure-eu', { provider: azureType, virtualKey: 'batch-team' });

const to = (provider: ProviderBinding | undefined, over = {}) => makeLeaf({ provider, ...over });
const configs = [
  makeConfig('support', makeBranch('fallback', [to(main), to(azure)])),
  makeConfig('draft', to(azure)),
  makeConfig('open', to(undefined, { override: { model: 'fixed' } })),
  makeConfig('half-open', makeBranch('fallback', [to(undefined), to(azure)])),
  makeConfig('spread', makeBranch('loadbalance', [to(main), to(azure)])),
  makeConfig(
    'small-first',
    makeBranch('fallback', [to(main, { override: { model: 'big' } }), to(azure, { override: { model: '@azure-eu/small' } })]),
  ),
];
const snapshot = makeSnapshot({
  providers: [main, azure, narrow, sameName],
  virtualKeys: { 'batch-team': team },
  types: [openaiType, azureType, mockType],
  configs,
});

async function route(parts: RequestParts): Promise<{ ctx: Routed; target: string | undefined; slug: string | undefined }> {
  const plugin = await setUp(routing);
  const ctx = makeContext({ snapshot, ...parts });
  const plan = await plugin.plan?.(ctx, undefined);
  const binding = plan?.first.provider ?? ctx.facts.choice?.binding;
  return { ctx, target: plan?.first.path, slug: plan === undefined ? undefined : binding?.slug };
}

const withKey = (over: Parameters<typeof makeKey>[1]) => ({ name: 'app-web', key: makeKey('app-web', over) });
const asking = (model: string) => ({ model, messages: [] });

describe('choosing a provider without a config', () => {
  it.each([
    ['the slug in the model', {}, '@azure-eu/gpt-4o', 'azure-eu', 'gpt-4o', 'model'],
    ['a slug with slashes in the model behind it', {}, '@azure-eu/org/model', 'azure-eu', 'org/model', 'model'],
    ['a slug in the provider header', { 'x-gateway-provider': '@azure-eu' }, 'gpt-4o', 'azure-eu', 'gpt-4o', 'header'],
    ['only the part before the slash of the header', { 'x-gateway-provider': '@azure-eu/x' }, 'gpt-4o', 'azure-eu', 'gpt-4o', 'header'],
    ['a bare slug in the provider header', { 'x-gateway-provider': 'azure-eu' }, 'gpt-4o', 'azure-eu', 'gpt-4o', 'header'],
    [
      'the slug of the name of a type, when there is no credential',
      { 'x-gateway-provider': 'openai' },
      'gpt-4o',
      'openai',
      'gpt-4o',
      'header',
    ],
    [
      'a model that only looks like a slug',
      { 'x-gateway-provider': '@azure-eu' },
      '@cf/meta/llama',
      'azure-eu',
      '@cf/meta/llama',
      'header',
    ],
    ['the slug before the header', { 'x-gateway-provider': '@openai-main' }, '@azure-eu/gpt-4o', 'azure-eu', 'gpt-4o', 'model'],
    ['another prefix', { 'x-portkey-provider': '@azure-eu' }, 'gpt-4o', 'azure-eu', 'gpt-4o', 'header'],
  ])('takes %s', async (...[, headers, asked, slug, model, by]) => {
    const { ctx, slug: found } = await route({ headers, body: asking(asked) });
    expect(found).toBe(slug);
    expect(ctx.facts.choice).toMatchObject({ model, by });
    expect(ctx.facts.config?.name).toBe('-');
  });

  it('takes the virtual key last', async () => {
    const parts = { body: asking('gpt-4o') };
    const only = makeContext({ snapshot, ...parts });
    only.facts.virtualKey = team;
    const plugin = await setUp(routing);
    await plugin.plan?.(only, undefined);
    expect(only.facts.choice).toEqual({ binding: team, model: 'gpt-4o', by: 'virtual-key' });
    const both = makeContext({ snapshot, headers: { 'x-gateway-provider': '@openai-main' }, ...parts });
    both.facts.virtualKey = team;
    await plugin.plan?.(both, undefined);
    expect(both.facts.choice?.binding).toBe(main);
  });

  it.each([
    ['no choice at all', {}, 'gpt-4o', 400, 'no_target', /names no provider/, /openai-main, azure-eu/],
    ['an unknown slug', {}, '@azure-ue/gpt-4o', 404, 'provider_not_found', /"azure-ue". Did you mean "azure-eu"\?/, /Slugs: /],
    [
      'an unknown slug in the header',
      { 'x-gateway-provider': '@openai-mian' },
      'm',
      404,
      'provider_not_found',
      /Did you mean "openai-main"/,
      /Slugs: /,
    ],
    [
      'a type with the mark of a slug',
      { 'x-gateway-provider': '@azure-openai' },
      'm',
      404,
      'provider_not_found',
      /"azure-openai"/,
      /Slugs: /,
    ],
    [
      'a type without a credential',
      { 'x-gateway-provider': 'azure-openai' },
      'm',
      401,
      'missing_credential',
      /brings no credential/,
      /authorization: Bearer/,
    ],
  ])('refuses %s', async (...[, headers, model, status, code, message, hint]) => {
    const error = await refusal(() => route({ headers, body: asking(model) }));
    expect(error).toMatchObject({ code, status });
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  });
});

describe('direct mode', () => {
  it.each(['openai', 'azure-openai', 'cloud-provider-b'])('takes the bare type %s when the caller brings a credential', async (type) => {
    const { ctx } = await route({ headers: { 'x-gateway-provider': type }, body: asking('gpt-4o'), caller: { credential: 'sk-own' } });
    expect(ctx.facts.choice?.binding).toMatchObject({ owner: 'caller', trust: 'request' });
  });

  it('collects the settings of the type and the host from headers', async () => {
    const headers = {
      'x-gateway-provider': 'cloud-provider-b',
      'x-gateway-azure-resource-name': 'contoso',
      'x-portkey-cloud-api-version': '2024-10-21',
      'x-gateway-custom-host': 'https://host.example/openai',
    };
    const { ctx } = await route({ headers, body: asking('m'), caller: { credential: 'sk-own' } });
    expect(ctx.facts.choice?.binding.settings).toEqual({
      resource_name: 'contoso',
      api_version: '2024-10-21',
      custom_host: 'https://host.example/openai',
    });
  });

  it('takes a type that needs no credential without one', async () => {
    const { slug } = await route({ headers: { 'x-gateway-provider': 'mock' }, body: asking('m') });
    expect(slug).toBe('mock');
  });

  it.each(['ftp://host.example', 'host.example', 'https://user:pw@host.example'])('refuses the host %s', async (host) => {
    const headers = { 'x-gateway-provider': 'openai', 'x-gateway-custom-host': host };
    expect(await refusal(() => route({ headers, body: asking('m'), caller: { credential: 'sk-own' } }))).toMatchObject({
      code: 'invalid_header',
      param: 'x-gateway-custom-host',
    });
  });

  it.each([
    ['azure-auth-mode', 'managed'],
    ['cloud-auth-mode', 'workload'],
  ])("refuses to lend the gateway's own identity by %s: %s", async (tail, value) => {
    const headers = { 'x-gateway-provider': 'azure-openai', [`x-gateway-${tail}`]: value };
    expect(await refusal(() => route({ headers, body: asking('m'), caller: { credential: 'sk-own' } }))).toMatchObject({
      code: 'not_allowed',
      status: 403,
      param: tail,
    });
  });

  it('takes a secret among the settings for a credential', async () => {
    const headers = { 'x-gateway-provider': 'azure-openai', 'x-gateway-azure-secret': 's' };
    expect((await route({ headers, body: asking('m') })).ctx.facts.choice?.binding).toMatchObject({ owner: 'caller', trust: 'request' });
  });
});

describe('which config applies', () => {
  const standard = withKey({ defaultConfig: 'support' });
  const fixed = withKey({ defaultConfig: 'support', enforceConfig: true });

  it.each([
    ['the one named', { 'x-gateway-config': 'draft' }, 'm', undefined, 'draft'],
    ['the one named, before the default', { 'x-gateway-config': 'draft' }, 'm', standard, 'draft'],
    ['the one sent as JSON', { 'x-gateway-config': ' {"strict":false}', 'x-gateway-provider': '@azure-eu' }, 'm', undefined, 'inline'],
    ["the key's default", {}, 'm', standard, 'support'],
    ['none, when the model has a slug', {}, '@azure-eu/m', standard, '-'],
    ['none, when there is a provider header', { 'x-gateway-provider': '@azure-eu' }, 'm', standard, '-'],
    ['the enforced one', {}, 'm', fixed, 'support'],
    ['the enforced one, also by its name', { 'x-gateway-config': 'support' }, 'm', fixed, 'support'],
  ])('is %s', async (_, headers, model, caller, name) => {
    const { ctx } = await route({ headers, body: asking(model), ...(caller && { caller }) });
    expect(ctx.facts.config?.name).toBe(name);
  });

  it.each([
    ['a target that names its own provider keeps it', 'draft', '@openai-main/m', 'azure-eu'],
    ['an open target takes the slug', 'open', '@openai-main/m', 'openai-main'],
    ['an open target is passed over when the request chooses nothing', 'half-open', 'm', 'azure-eu'],
  ])('%s', async (_, config, model, slug) => {
    expect((await route({ headers: { 'x-gateway-config': config }, body: asking(model) })).slug).toBe(slug);
  });

  it.each([
    ['an unknown config', { 'x-gateway-config': 'suport' }, 'm', undefined, 'config_not_found', /"suport". Did you mean "support"\?/],
    ['a config with nothing but open targets', { 'x-gateway-config': 'open' }, 'm', undefined, 'no_target', /names no provider/],
    ['a slug beside an enforced config', {}, '@azure-eu/m', fixed, 'not_allowed', /bound to config "support"/],
    ['another config than the enforced one', { 'x-gateway-config': 'draft' }, 'm', fixed, 'not_allowed', /bound to config "support"/],
    ['JSON beside an enforced config', { 'x-gateway-config': '{}' }, 'm', fixed, 'not_allowed', /bound to config "support"/],
  ])('refuses %s', async (...[, headers, model, caller, code, message]) => {
    const error = await refusal(() => route({ headers, body: asking(model), ...(caller && { caller }) }));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});

describe('what a key may use', () => {
  it.each([
    [
      'a config',
      { allowsConfig: (name: string) => name !== 'draft' },
      { 'x-gateway-config': 'draft' },
      'm',
      'Key "app-web" may not use config "draft".',
    ],
    [
      'JSON',
      { allowsConfig: (name: string) => name !== 'inline' },
      { 'x-gateway-config': '{}' },
      '@azure-eu/m',
      'Key "app-web" may not send configs of its own.',
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
  ])('shuts out %s', async (_, rules, headers, model, message) => {
    const caller = { ...withKey(rules), credential: 'sk-own' };
    const error = await refusal(() => route({ headers, body: model === '' ? {} : asking(model), caller }));
    expect(error).toMatchObject({ code: 'not_allowed', status: 403 });
    expect(error.message).toMatch(message);
  });

  it('passes over the targets that a key may not use', async () => {
    const rules = { allowsModel: (model: string) => model === 'small' };
    expect(await route({ headers: { 'x-gateway-config': 'small-first' }, body: asking('m'), caller: withKey(rules) })).toMatchObject({
      slug: 'azure-eu',
    });
  });

  it('lists only slugs that the key may use', async () => {
    const rules = { allowsProvider: (slug: string) => slug === 'azure-eu' };
    const error = await refusal(() => route({ body: asking('m'), caller: withKey(rules) }));
    expect(error.hint).toMatch(/Slugs: azure-eu\.$/);
  });

  it("shuts out models that are not on the provider's list", async () => {
    const error = await refusal(() => route({ body: asking('@narrow/big') }));
    expect(error.message).toBe('Provider "narrow" may not be used with model "big".');
    expect((await route({ body: asking('@narrow/small') })).slug).toBe('narrow');
  });

  it('allows a virtual key by its own name', async () => {
    const ctx = makeContext({ snapshot, body: asking('m'), caller: withKey({ allowsProvider: (slug) => slug === 'batch-team' }) });
    ctx.facts.virtualKey = team;
    const plugin = await setUp(routing);
    expect(plugin.plan?.(ctx, undefined)).toBeDefined();
  });
});

describe('hosts that a request chooses', () => {
  const evil = { 'x-gateway-custom-host': 'https://evil.example/v1' };
  it.each([
    ['a header and a slug', evil, '@openai-main/m'],
    ['a header and a config', { ...evil, 'x-gateway-config': 'support' }, 'm'],
    ['a config sent as JSON', { 'x-gateway-config': '{"customHost":"https://evil.example"}' }, '@openai-main/m'],
    ['a setting that shapes the host', { 'x-gateway-cloud-resource-name': 'evil' }, '@azure-eu/m'],
  ])("never get the catalog's credential: %s", async (_, headers, model) => {
    expect(await refusal(() => route({ headers, body: asking(model), caller: { credential: 'sk-own' } }))).toMatchObject({
      code: 'not_allowed',
      status: 403,
    });
  });

  it('never get the credential of a deployment, although the entry has none of its own', async () => {
    const provider = makeProvider({ deployment: () => ({ settings: {}, model: 'm', apiKey: 'secret' }) });
    const keyless = makeSnapshot({ providers: [makeBinding('keyless', { provider, owner: 'none' })] });
    expect(await refusal(() => route({ snapshot: keyless, headers: evil, body: asking('@keyless/m') }))).toMatchObject({
      code: 'not_allowed',
    });
  });

  it('are compared with their port', async () => {
    const headers = { 'x-gateway-custom-host': 'https://proxy.example:8443/v1' };
    expect(await refusal(() => route({ headers, body: asking('@azure-eu/m') }))).toMatchObject({ code: 'not_allowed' });
  });

  it.each([
    ['the entry lists the host', { 'x-gateway-custom-host': 'https://proxy.example/v1' }],
    ['the setting does not shape the host', { 'x-gateway-cloud-api-version': '2024-10-21' }],
  ])('are fine when %s', async (_, headers) => {
    expect((await route({ headers, body: asking('@azure-eu/m') })).slug).toBe('azure-eu');
  });
});

describe('routes that belong to one account', () => {
  const batch = { endpoint: 'relay', path: '/v1/batches/b_1/cancel', params: {} } as const;
  it.each([
    ['nothing', {}, /names none/],
    ['a config of several providers', { 'x-gateway-config': 'support' }, /may go to several/],
  ])('ask for a virtual key when the request names %s', async (_, headers, message) => {
    const error = await refusal(() => route({ headers, over: batch }));
    expect(error).toMatchObject({ code: 'missing_virtual_key', status: 400 });
    expect(error.message).toMatch(message);
  });

  it.each([
    ['a slug', { 'x-gateway-provider': '@azure-eu' }],
    ['a config of one provider', { 'x-gateway-config': 'draft' }],
  ])('take %s instead', async (_, headers) => {
    expect((await route({ headers, over: batch })).slug).toBe('azure-eu');
  });

  it('do not mix up neighbours', async () => {
    expect(await refusal(() => route({ over: { ...batch, path: '/v1/batches-of-mine' } }))).toMatchObject({ code: 'no_target' });
  });

  it('walk the targets in written order, and say that weights are not used', async () => {
    const { ctx, target } = await route({
      headers: { 'x-gateway-config': 'spread' },
      over: { endpoint: 'responses/{id}', path: '/v1/responses/r_1', params: { id: 'r_1' }, method: 'GET', random: 0.99 },
    });
    expect(target).toBe('config.targets[0]');
    expect(ctx.warnings).toEqual([expect.stringMatching(/weights and conditions are not used/)]);
  });
});

describe('the list of models', () => {
  const models = { endpoint: 'models', path: '/v1/models', method: 'GET' } as const;
  it('has no plan when the request chooses nothing, whatever the default config is', async () => {
    expect((await route({ over: models })).target).toBeUndefined();
    expect((await route({ over: models, caller: withKey({ defaultConfig: 'support' }) })).target).toBeUndefined();
  });
  it('goes to the provider that is chosen', async () => {
    expect((await route({ over: models, headers: { 'x-gateway-provider': '@azure-eu' } })).slug).toBe('azure-eu');
  });
});
