import { describe, expect, it } from 'vitest';
import type { PlanFacts, QueryFacts } from '../../core/snapshot.ts';
import { providers } from '../fixtures/providers.ts';
import { compiled, configIn, leavesIn, signature } from '../fixtures/compiled.ts';
import type { ConfigEntry, GatewayConfig } from '../schema/index.ts';

const compileOne = (config: ConfigEntry, extra: Omit<GatewayConfig, 'version'> = {}) => {
  const [leaf] = leavesIn(compiled({ providers, configs: { c: config }, ...extra }), 'c');
  if (leaf === undefined) throw new Error('no leaf');
  return leaf;
};

describe('settings inherited by targets', () => {
  const config: ConfigEntry = {
    override_params: { temperature: 1, nested: { a: 1, list: [1, 2] }, stop: ['x'] },
    labels: { team: 'search' },
    retry: { attempts: 2 },
    cache: { mode: 'simple' },
    request_timeout: 30_000,
    timeouts: { connect: '1s', idle: '7s' },
    custom_host: 'https://one.example/v1',
    forward_headers: ['X-One', 'X-Two'],
    strict_compliance: false,
    strategy: { mode: 'fallback' },
    targets: [
      { provider: 'main' },
      {
        provider: 'main',
        override_params: { temperature: 0, nested: { b: 2, list: [3] }, stop: null },
        labels: { product: 'x' },
        retry: { on_status_codes: [418] },
        cache: {},
        request_timeout: '5s',
        timeouts: { idle: '2m' },
        custom_host: 'https://two.example/v1',
        forward_headers: [],
        strict_compliance: true,
      },
    ],
  };
  const [firstLeaf, secondLeaf] = leavesIn(compiled({ providers, configs: { c: config } }), 'c');

  it('are passed from a config to its targets', () => {
    expect(firstLeaf).toMatchObject({
      override: { temperature: 1, nested: { a: 1, list: [1, 2] }, stop: ['x'], labels: { team: 'search' } },
      timeouts: { connect: 1000, idle: 7000, request: 30_000 },
      customHost: 'https://one.example/v1',
      forwardHeaders: ['x-one', 'x-two'],
      strict: false,
      root: 'configs.c',
      path: 'config.targets[0]',
    });
    expect([firstLeaf?.retry.attempts, firstLeaf?.retry.retries(529), firstLeaf?.retry.retries(418)]).toEqual([2, true, false]);
  });

  it('are merged for parameters, labels and timeouts, and replaced otherwise', () => {
    expect(secondLeaf).toMatchObject({
      override: { temperature: 0, nested: { a: 1, b: 2, list: [3] }, stop: null, labels: { team: 'search', product: 'x' } },
      timeouts: { connect: 1000, idle: 120_000, request: 5000 },
      customHost: 'https://two.example/v1',
      forwardHeaders: [],
      strict: true,
      path: 'config.targets[1]',
    });
    expect([secondLeaf?.retry.attempts, secondLeaf?.retry.retries(418), secondLeaf?.retry.retries(429)]).toEqual([0, true, false]);
  });

  it('include the nearest circuit breaker; each target with a provider has its own circuit', () => {
    const circuits = (minimum: number) =>
      leavesIn(
        compiled({
          providers,
          configs: {
            c: {
              strategy: { mode: 'fallback', cb_config: { failure_threshold_percentage: 50, minimum_requests: minimum } },
              targets: [
                { provider: 'main' },
                { strategy: { mode: 'loadbalance' }, targets: [{ provider: 'main' }, {}] },
                {
                  strategy: { mode: 'single', cb_config: { failure_threshold: 3, cooldown_interval: '90s', failure_status_codes: [429] } },
                  targets: [{ provider: 'main' }],
                },
              ],
            },
          },
        }),
        'c',
      ).map(({ circuit }) => circuit);
    const [first, second, open, ownCircuit] = circuits(10);
    const inherited = { failures: undefined, share: 0.5, minimum: 10, cooldownMs: 30_000 };
    expect([first, second, open]).toMatchObject([inherited, inherited, undefined]);
    expect(ownCircuit).toMatchObject({ failures: 3, share: undefined, minimum: 5, cooldownMs: 90_000 });
    expect([first?.fails(500), first?.fails(429), ownCircuit?.fails(500), ownCircuit?.fails(429)]).toEqual([true, false, false, true]);
    expect(new Set([first?.id, second?.id, ownCircuit?.id]).size).toBe(3);
    expect(circuits(10).map((circuit) => circuit?.id)).toEqual([first?.id, second?.id, undefined, ownCircuit?.id]);
    expect(circuits(11).map((circuit) => circuit?.id === first?.id)).not.toContain(true);
  });

  it('include the custom host, which becomes part of the provider binding', () => {
    expect(secondLeaf?.provider).toMatchObject({
      settings: { custom_host: 'https://two.example/v1' },
      trust: 'operator',
      owner: 'catalog',
    });
    expect(signature(secondLeaf)).toBe('catalog main-key');
  });

  it('exclude provider, weight and name', () => {
    const leaves = leavesIn(compiled({ providers, configs: { c: { provider: 'main', weight: 5, name: 'top', targets: [{}] } } }), 'c');
    expect(leaves).toMatchObject([{ provider: undefined, weight: 1, name: undefined }]);
  });
});

describe('provider of a target', () => {
  const virtual_keys = { team: { provider: 'eu', api_key: 'team-key', models: ['*-mini'], metadata: { team: 't' } } };
  const chosen: readonly (readonly [target: ConfigEntry | string, slug: string | undefined, signed: string, model: unknown])[] = [
    [{ provider: 'main' }, 'main', 'catalog main-key', undefined],
    [{ provider: '@main' }, 'main', 'catalog main-key', undefined],
    [{ provider: '@main/ignored' }, 'main', 'catalog main-key', undefined],
    ['main/gpt-4o', 'main', 'catalog main-key', 'gpt-4o'],
    ['@main/meta/llama', 'main', 'catalog main-key', 'meta/llama'],
    ['main', 'main', 'catalog main-key', undefined],
    ['@main/@other/m', 'main', 'catalog main-key', '@other/m'],
    ['main/@other/m', 'main', 'catalog main-key', '@other/m'],
    ['main/@cf/meta', 'main', 'catalog main-key', '@cf/meta'],
    [{ override_params: { model: '@eu/@other/m' } }, 'eu', 'catalog eu-key', '@other/m'],
    [{ virtual_key: 'team' }, 'eu', 'catalog team-key', undefined],
    [{ provider: 'team' }, 'eu', 'catalog team-key', undefined],
    [{ override_params: { model: '@eu/gpt-4o' } }, 'eu', 'catalog eu-key', 'gpt-4o'],
    [{ provider: 'main', override_params: { model: '@eu/gpt-4o' } }, 'main', 'catalog main-key', 'gpt-4o'],
    [{ virtual_key: 'team', provider: 'main' }, 'main', 'catalog main-key', undefined],
    [{ override_params: { model: '@eu' } }, 'eu', 'catalog eu-key', undefined],
    [{ override_params: { model: '@cf/meta' } }, undefined, 'no provider', '@cf/meta'],
    [{}, undefined, 'no provider', undefined],
    [{ provider: 'main', api_key: 'own' }, 'main', 'catalog own', undefined],
    [{ provider: 'acme', api_key: 'own' }, 'acme', 'catalog own', undefined],
    [{ provider: 'acme-alias', acme_token: 'own' }, 'acme', 'catalog own', undefined],
    [{ provider: 'free' }, 'free', 'none -', undefined],
    [{ provider: 'local' }, 'local', 'none -', undefined],
    [{ provider: 'callers' }, 'callers', 'caller -', undefined],
  ];
  it.each(chosen)('for %j is %s, signed by %s', (target, slug, signed, model) => {
    const leaf = compileOne({ targets: [target] }, { virtual_keys });
    expect([leaf.provider?.slug, signature(leaf), leaf.override?.['model']]).toEqual([slug, signed, model]);
    expect(leaf.provider?.trust ?? 'operator').toBe('operator');
  });

  it('with the credential of the file does not allow a host from a request', () => {
    const { provider } = compileOne({ provider: 'acme', api_key: 'own', custom_host: 'https://here.example/v1' });
    expect(['here.example', 'evil.example'].map((host) => provider?.allowsHost(new URL(`https://${host}`)))).toEqual([false, false]);
  });

  it('is read from the model slug of inherited parameters', () => {
    expect(compileOne({ override_params: { model: '@eu/gpt-4o' }, targets: [{}] })).toMatchObject({
      provider: { slug: 'eu' },
      override: { model: 'gpt-4o' },
    });
  });

  it('is bound with the settings of the target', () => {
    expect(compileOne({ targets: [{ provider: 'main', acme_region: 'us', version: '2' }] }).provider?.settings).toMatchObject({
      region: 'us',
      version: '2',
    });
  });

  it('uses the API key of a deployment if it has one', () => {
    expect(signature(compileOne({ provider: 'eu' }), 'deployment-key')).toBe('catalog deployment-key');
  });

  it('has each credential compiled once', () => {
    const { provider } = compileOne({ provider: 'eu' });
    const deployment = { settings: {}, model: 'm', apiKey: 'k' };
    expect(provider?.credential(undefined)).toBe(provider?.credential(undefined));
    expect(provider?.credential(deployment)).toBe(provider?.credential({ ...deployment }));
  });

  it('with a virtual key has the models, name and metadata of that key', () => {
    const { provider } = compileOne({ virtual_key: 'team' }, { virtual_keys });
    expect(provider).toMatchObject({ virtualKey: 'team', metadata: { team: 't' }, settings: { region: 'eu' }, timeouts: { idle: 9000 } });
    expect(['gpt-4o-mini', 'gpt-4o', 'o1-mini'].map((model) => provider?.allowsModel(model))).toEqual([true, false, false]);
  });

  const rejectedConfigs: readonly (readonly [config: ConfigEntry, message: string])[] = [
    [{ provider: 'nobody' }, 'nobody'],
    [{ provider: '@acme', api_key: 'x' }, 'acme'],
    [{ provider: 'acme' }, 'acme'],
    [{ virtual_key: 'gone' }, 'gone'],
    [{ override_params: { model: '@gone/x' } }, 'gone'],
    [{ provider: 'main', globex_region: 'x' }, 'globex_region'],
    [{ acme_region: 'x' }, 'acme_region'],
    [{ provider: 'main', region: 'nowhere' }, 'no such region'],
    [{ strategy: { mode: 'fallback' } }, 'no targets'],
    [{ config: 'gone' }, 'gone'],
    [{ config: 'c' }, 'contains itself'],
    [{ strategy: { mode: 'conditional', conditions: [{ query: {}, then: 'x' }] }, targets: ['main'] }, '"x"'],
    [{ strategy: { mode: 'conditional', conditions: [{ query: { a: 1 }, then: 'x' }] }, targets: [{ name: 'x' }] }, '"a"'],
    [{ strategy: { mode: 'conditional', default: 'x' }, targets: ['main'] }, '"x"'],
  ];
  it.each(rejectedConfigs)('is rejected for %j', (config, message) => {
    expect(() => compileOne(config)).toThrow(message);
  });
});

describe('target tree', () => {
  const query: QueryFacts = { metadata: { plan: 'paid' }, params: () => undefined, pathname: '/' };
  const facts: PlanFacts = { random: 0, query, walk: 'model', accepts: () => true };

  it('selects the target of the first matching condition, else the default', () => {
    const strategy: ConfigEntry['strategy'] = {
      mode: 'conditional',
      conditions: [
        { query: { 'metadata.plan': 'free' }, then: 'a' },
        { query: { 'metadata.plan': 'paid' }, then: 'b' },
      ],
      default: 'c',
    };
    const snapshot = compiled({ providers, configs: { c: { strategy, targets: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] } } });
    const providerNameFor = (plan: string) =>
      snapshot.plan(configIn(snapshot, 'c'), { ...facts, query: { ...query, metadata: { plan } } })?.first.name;
    expect(['free', 'paid', 'other'].map(providerNameFor)).toEqual(['a', 'b', 'c']);
  });

  it('applies the settings of a target over the config that it includes', () => {
    const configs: Record<string, ConfigEntry> = {
      inner: { retry: { attempts: 3 }, strategy: { mode: 'fallback' }, targets: ['main/a', { config: 'deepest' }] },
      deepest: { targets: ['eu/b'] },
      outer: {
        strategy: { mode: 'loadbalance' },
        targets: [{ config: 'inner', weight: 3, name: 'i', override_params: { temperature: 0 } }, 'main/c'],
      },
    };
    const snapshot = compiled({ providers, configs });
    expect(
      leavesIn(snapshot, 'outer').map((leaf) => [leaf.path, leaf.provider?.slug, leaf.override, leaf.retry.attempts, leaf.root]),
    ).toEqual([
      ['config.targets[0].targets[0]', 'main', { temperature: 0, model: 'a' }, 3, 'configs.outer'],
      ['config.targets[0].targets[1].targets[0]', 'eu', { temperature: 0, model: 'b' }, 3, 'configs.outer'],
      ['config.targets[1]', 'main', { model: 'c' }, 0, 'configs.outer'],
    ]);
    const { root } = configIn(snapshot, 'outer');
    expect(root.strategy === 'leaf' ? [] : root.targets.map(({ name, weight }) => [name, weight])).toEqual([
      ['i', 3],
      [undefined, 1],
    ]);
  });

  it('accepts camelCase and aliases of config keys, but does not change parameters', () => {
    const pastedSettings = {
      overrideParams: { topP: 1 },
      retry: { attempts: 9, onStatusCodes: ['5xx'], useRetryAfterHeaders: true },
      requestTimeout: 10,
      strict_open_ai_compliance: false,
      targets: [{ virtualKey: 'main', acmeVersion: '3' }],
    };
    const leaf = compileOne(pastedSettings as unknown as ConfigEntry);
    expect(leaf).toMatchObject({
      override: { topP: 1 },
      timeouts: { request: 10 },
      strict: false,
      provider: { settings: { version: '3' } },
    });
    expect([leaf.retry.attempts, leaf.retry.useRetryAfter, leaf.retry.retries(599), leaf.retry.retries(429)]).toEqual([
      5,
      true,
      true,
      false,
    ]);
  });

  it('leaves all settings undefined without a config', () => {
    expect(compiled({}).noConfig).toMatchObject({
      name: '-',
      root: { strategy: 'leaf', path: 'config', root: 'request', provider: undefined },
    });
  });
});
