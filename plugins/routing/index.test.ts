import { describe, expect, it } from 'vitest';
import { makeContext, refusal, setUp } from '../../test/support/stage-context.ts';
import { mainBinding, teamBinding, snapshot, route, withKey, chatBody } from '../../test/support/routing.ts';
import routing from './index.ts';
import type { LeafRules } from './leaf-rules.ts';

describe('routing without a config', () => {
  it.each([
    ['the slug in the model', {}, '@azure-eu/gpt-4o', 'azure-eu', 'gpt-4o', 'model'],
    ['a slug before a model with slashes', {}, '@azure-eu/org/model', 'azure-eu', 'org/model', 'model'],
    ['a slug in the provider header', { 'x-gateway-provider': '@azure-eu' }, 'gpt-4o', 'azure-eu', 'gpt-4o', 'header'],
    ['the part before the slash in the provider header', { 'x-gateway-provider': '@azure-eu/x' }, 'gpt-4o', 'azure-eu', 'gpt-4o', 'header'],
    ['a bare slug in the provider header', { 'x-gateway-provider': 'azure-eu' }, 'gpt-4o', 'azure-eu', 'gpt-4o', 'header'],
    ['a slug that is the name of a type, without a credential', { 'x-gateway-provider': 'openai' }, 'gpt-4o', 'openai', 'gpt-4o', 'header'],
    [
      'the provider header if the model is not a known slug',
      { 'x-gateway-provider': '@azure-eu' },
      '@cf/meta/llama',
      'azure-eu',
      '@cf/meta/llama',
      'header',
    ],
    [
      'the slug in the model before the provider header',
      { 'x-gateway-provider': '@openai-main' },
      '@azure-eu/gpt-4o',
      'azure-eu',
      'gpt-4o',
      'model',
    ],
    ['a provider header with another prefix', { 'x-portkey-provider': '@azure-eu' }, 'gpt-4o', 'azure-eu', 'gpt-4o', 'header'],
  ])('uses %s', async (...[, headers, requestedModel, slug, model, rule]) => {
    const { ctx, slug: selectedSlug } = await route({ headers, body: chatBody(requestedModel) });
    expect(selectedSlug).toBe(slug);
    expect(ctx.facts.choice).toMatchObject({ model, by: rule });
    expect(ctx.facts.config?.name).toBe('-');
  });

  it('uses the virtual key only if nothing else names a provider', async () => {
    const parts = { body: chatBody('gpt-4o') };
    const onlyContext = makeContext({ snapshot, ...parts });
    onlyContext.facts.virtualKey = teamBinding;
    const plugin = await setUp(routing);
    await plugin.plan?.(onlyContext, undefined);
    expect(onlyContext.facts.choice).toEqual({ binding: teamBinding, model: 'gpt-4o', by: 'virtual-key' });
    const bothProviders = makeContext({ snapshot, headers: { 'x-gateway-provider': '@openai-main' }, ...parts });
    bothProviders.facts.virtualKey = teamBinding;
    await plugin.plan?.(bothProviders, undefined);
    expect(bothProviders.facts.choice?.binding).toBe(mainBinding);
  });

  it.each([
    [
      'a request without provider',
      {},
      'gpt-4o',
      400,
      'no_target',
      /^The model "gpt-4o" names no provider\. Write "@slug\/gpt-4o" with one of these slugs: openai-main, .*\.$/,
      /openai-main, azure-eu/,
    ],
    ['a slug without @', {}, 'azure-eu/gpt-4o', 400, 'no_target', /Did you mean "@azure-eu\/gpt-4o"\?$/, /Slugs: /],
    ['a type without a slug', {}, 'azure-openai/gpt-4o', 400, 'no_target', /Did you mean "@azure-eu\/gpt-4o"\?$/, /Slugs: /],
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
    ['a type with @', { 'x-gateway-provider': '@azure-openai' }, 'm', 404, 'provider_not_found', /"azure-openai"/, /Slugs: /],
    [
      'a misspelled type',
      { 'x-gateway-provider': 'azrue-openai' },
      'm',
      404,
      'provider_not_found',
      /Did you mean "azure-openai"/,
      /Slugs: /,
    ],
    [
      'the managed identity of the machine',
      { 'x-gateway-provider': 'azure-openai', 'x-gateway-azure-auth-mode': 'managed' },
      'm',
      403,
      'not_allowed',
      /"x-gateway-azure-auth-mode" requests the gateway's own identity/,
      /Send your own credential/,
    ],
    [
      'a header for a setting of the operator',
      { 'x-gateway-provider': '@azure-eu', 'x-portkey-azure-resource-name': 'other' },
      'm',
      403,
      'not_allowed',
      /sends x-portkey-azure-resource-name, but the configuration of provider "azure-eu"/,
      /Remove the header/,
    ],
    [
      'a type without a credential',
      { 'x-gateway-provider': 'azure-openai' },
      'm',
      401,
      'missing_credential',
      /has no credential/,
      /authorization: Bearer …", .*x-gateway-azure-secret, or/,
    ],
  ])('rejects %s', async (...[, headers, model, status, code, message, hint]) => {
    const error = await refusal(() => route({ headers, body: chatBody(model) }));
    expect(error).toMatchObject({ code, status });
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  });

  it.each([
    ['POST', '/v1/chat/completion', 400, /^There is no route POST "\/v1\/chat\/completion", .* Did you mean "\/v1\/chat\/completions"\?$/],
    ['POST', '/v1/v1/chat/completions', 400, /Did you mean "\/v1\/chat\/completions"\?$/],
    ['GET', '/v1/chat/completions', 405, /It accepts POST\.$/],
    ['HEAD', '/v1/files/file-1/content', 405, /It accepts GET\.$/],
    ['POST', '/v1/something/else/entirely', 400, /pass it through to\.$/],
  ])('reports the problem of %s %s if no provider is named', async (method, path, status, message) => {
    const error = await refusal(() => route({ overrides: { endpoint: 'relay', method, path }, body: chatBody('gpt-4o') }));
    expect(error).toMatchObject({
      code: status === 405 ? 'method_not_allowed' : 'no_target',
      status,
      message: expect.stringMatching(message),
    });
    expect(error.hint).toMatch(/x-gateway-provider/);
  });
});

describe('direct mode', () => {
  it.each(['openai', 'azure-openai', 'cloud-provider-b'])('uses the type %s if the client sends a credential', async (type) => {
    const { ctx } = await route({ headers: { 'x-gateway-provider': type }, body: chatBody('gpt-4o'), caller: { credential: 'sk-own' } });
    expect(ctx.facts.choice?.binding).toMatchObject({ owner: 'caller', trust: 'request' });
  });

  it('collects the settings of the type and the host from headers', async () => {
    const headers = {
      'x-gateway-provider': 'cloud-provider-b',
      'x-gateway-azure-resource-name': Buffer.from('contosö').toString('latin1'),
      'x-portkey-cloud-api-version': '2024-10-21',
      'x-gateway-custom-host': 'https://host.example/openai',
    };
    const { ctx } = await route({ headers, body: chatBody('m'), caller: { credential: 'sk-own' } });
    expect(ctx.facts.choice?.binding.settings).toEqual({
      resource_name: 'contosö',
      api_version: '2024-10-21',
      custom_host: 'https://host.example/openai',
    });
  });

  it('accepts a type that needs no credential without one', async () => {
    const { slug } = await route({ headers: { 'x-gateway-provider': 'mock' }, body: chatBody('m') });
    expect(slug).toBe('mock');
  });

  const bytes = Buffer.from('https://exämple.com').toString('latin1');
  it.each(['ftp://host.example', 'host.example', 'https://user:pw@host.example', bytes])('rejects the host %s', async (host) => {
    for (const source of [{ 'x-gateway-provider': 'openai' }, { 'x-gateway-config': '{"provider": "openai", "api_key": "sk-own"}' }]) {
      const headers = { ...source, 'x-gateway-custom-host': host };
      expect(await refusal(() => route({ headers, body: chatBody('m'), caller: { credential: 'sk-own' } }))).toMatchObject({
        code: 'invalid_header',
        param: 'x-gateway-custom-host',
      });
    }
  });

  it.each([
    ['azure-auth-mode', 'managed'],
    ['cloud-auth-mode', 'workload'],
  ])('rejects the identity of the gateway requested by %s: %s', async (source, value) => {
    const headers = { 'x-gateway-provider': 'azure-openai', [`x-gateway-${source}`]: value };
    expect(await refusal(() => route({ headers, body: chatBody('m'), caller: { credential: 'sk-own' } }))).toMatchObject({
      code: 'not_allowed',
      status: 403,
      param: `x-gateway-${source}`,
    });
  });

  it('accepts a secret among the settings as a credential', async () => {
    const headers = { 'x-gateway-provider': 'azure-openai', 'x-gateway-azure-secret': 's' };
    expect((await route({ headers, body: chatBody('m') })).ctx.facts.choice?.binding).toMatchObject({ owner: 'caller', trust: 'request' });
  });
});

describe('the config of a request', () => {
  const standard = withKey({ defaultConfig: 'support' });
  const enforced = withKey({ defaultConfig: 'support', enforceConfig: true });

  it.each([
    ['the named one', { 'x-gateway-config': 'draft' }, 'm', undefined, 'draft'],
    ['the named one rather than the default', { 'x-gateway-config': 'draft' }, 'm', standard, 'draft'],
    ['the one sent as JSON', { 'x-gateway-config': ' {"strict":false}', 'x-gateway-provider': '@azure-eu' }, 'm', undefined, 'inline'],
    ["the key's default", {}, 'm', standard, 'support'],
    ['none if the model has a slug', {}, '@azure-eu/m', standard, '-'],
    ['none if there is a provider header', { 'x-gateway-provider': '@azure-eu' }, 'm', standard, '-'],
    ['the enforced one', {}, 'm', enforced, 'support'],
    ['the enforced one if the request names it', { 'x-gateway-config': 'support' }, 'm', enforced, 'support'],
  ])('is %s', async (_, headers, model, caller, name) => {
    const { ctx } = await route({ headers, body: chatBody(model), ...(caller && { caller }) });
    expect(ctx.facts.config?.name).toBe(name);
  });

  it.each([
    ['keeps the provider of a target', 'draft', '@openai-main/m', 'azure-eu'],
    ['uses the slug for an open target', 'open', '@openai-main/m', 'openai-main'],
    ['skips an open target if the request names no provider', 'half-open', 'm', 'azure-eu'],
  ])('%s', async (_, config, model, slug) => {
    expect((await route({ headers: { 'x-gateway-config': config }, body: chatBody(model) })).slug).toBe(slug);
  });

  it.each([
    ['live', undefined],
    ['dry', ['a']],
  ] as const)('parses lists of a body for a dry run, but not for conditions: %s', async (mode, conditionBody) => {
    const body = { ...chatBody('voice'), user: 'u', stop: ['a'] };
    const { ctx } = await route({ headers: { 'x-gateway-config': 'by-model' }, body, overrides: { mode } });
    const { query } = ctx.facts.traversal as LeafRules;
    expect(['model', 'user', 'stop', 'none'].map((name) => query.params(name))).toEqual(['voice', 'u', conditionBody, undefined]);
  });

  it('provides the model to conditions even if it is not in a body', async () => {
    const overrides = { endpoint: 'realtime', method: 'GET', path: '/v1/realtime', requestedModel: 'voice' } as const;
    expect((await route({ headers: { 'x-gateway-config': 'by-model' }, overrides })).slug).toBe('azure-eu');
  });

  it.each([
    ['an unknown config', { 'x-gateway-config': 'suport' }, 'm', undefined, 'config_not_found', /"suport". Did you mean "support"\?/],
    ['a config that has only open targets', { 'x-gateway-config': 'open' }, 'm', undefined, 'no_target', /names no provider/],
    [
      'a slug in addition to an enforced config',
      {},
      '@azure-eu/m',
      enforced,
      'not_allowed',
      /bound to config "support", but the request names provider "@azure-eu"/,
    ],
    [
      'another config than the enforced one',
      { 'x-gateway-config': 'draft' },
      'm',
      enforced,
      'not_allowed',
      /the request names config "draft"/,
    ],
    [
      'an inline config in addition to an enforced config',
      { 'x-gateway-config': '{}' },
      'm',
      enforced,
      'not_allowed',
      /the request sends a config/,
    ],
  ])('is rejected for %s', async (...[, headers, model, caller, code, message]) => {
    const error = await refusal(() => route({ headers, body: chatBody(model), ...(caller && { caller }) }));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    if (code === 'config_not_found') expect(error.hint).toMatch(/ Configs: .*\bsupport\b/);
  });
});
