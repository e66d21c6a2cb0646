import { describe, expect, it } from 'vitest';
import type { PlanFacts, QueryFacts } from '../../core/snapshot.ts';
import { compiled, configIn, leavesIn, signature } from '../fixtures/compiled.ts';
import type { ConfigEntry, GatewayConfig } from '../schema/index.ts';

const providers = {
  main: { type: 'acme', api_key: 'main-key' },
  eu: { type: 'globex', auth: { mode: 'api_key', api_key: 'eu-key' }, region: 'eu', models: ['gpt-4o*'], timeouts: { idle: '9s' } },
  local: { type: 'acme', custom_host: 'http://127.0.0.1:1/v1' },
  callers: { type: 'acme', auth: { mode: 'caller' }, custom_host: 'http://10.0.0.1/v1', token: 'operator-token' },
} as const satisfies GatewayConfig['providers'];

const one = (config: ConfigEntry, more: Omit<GatewayConfig, 'version'> = {}) => {
  const [leaf] = leavesIn(compiled({ providers, configs: { c: config }, ...more }), 'c');
  if (leaf === undefined) throw new Error('no leaf');
  return leaf;
};

describe('inheritance in a target tree', () => {
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
  const [above, below] = leavesIn(compiled({ providers, configs: { c: config } }), 'c');

  it('hands every setting down', () => {
    expect(above).toMatchObject({
      override: { temperature: 1, nested: { a: 1, list: [1, 2] }, stop: ['x'], labels: { team: 'search' } },
      cacheMode: 'simple',
      clocks: { connect: 1000, idle: 7000, request: 30_000 },
      customHost: 'https://one.example/v1',
      forwardHeaders: ['x-one', 'x-two'],
      strict: false,
      root: 'configs.c',
      path: 'config.targets[0]',
    });
    expect([above?.retry.attempts, above?.retry.retries(529), above?.retry.retries(418)]).toEqual([2, true, false]);
  });

  it('merges parameters and labels deeply, takes each clock on its own, and replaces the rest', () => {
    expect(below).toMatchObject({
      override: { temperature: 0, nested: { a: 1, b: 2, list: [3] }, stop: null, labels: { team: 'search', product: 'x' } },
      cacheMode: undefined,
      clocks: { connect: 1000, idle: 120_000, request: 5000 },
      customHost: 'https://two.example/v1',
      forwardHeaders: [],
      strict: true,
      path: 'config.targets[1]',
    });
    expect([below?.retry.attempts, below?.retry.retries(418), below?.retry.retries(429)]).toEqual([0, true, false]);
  });

  it('works the host of the file into the binding', () => {
    expect(below?.provider).toMatchObject({ settings: { custom_host: 'https://two.example/v1' }, trust: 'operator', owner: 'catalog' });
    expect(signature(below)).toBe('catalog main-key');
  });

  it('hands down neither provider nor weight nor name', () => {
    const leaves = leavesIn(compiled({ providers, configs: { c: { provider: 'main', weight: 5, name: 'top', targets: [{}] } } }), 'c');
    expect(leaves).toMatchObject([{ provider: undefined, weight: 1, name: undefined }]);
  });
});

describe('the provider of a target', () => {
  const virtual_keys = { team: { provider: 'eu', api_key: 'team-key', models: ['*-mini'], metadata: { team: 't' } } };
  const chosen: readonly (readonly [target: ConfigEntry | string, slug: string | undefined, signed: string, model: unknown])[] = [
    [{ provider: 'main' }, 'main', 'catalog main-key', undefined],
    [{ provider: '@main' }, 'main', 'catalog main-key', undefined],
    [{ provider: '@main/ignored' }, 'main', 'catalog main-key', undefined],
    ['main/gpt-4o', 'main', 'catalog main-key', 'gpt-4o'],
    ['@main/meta/llama', 'main', 'catalog main-key', 'meta/llama'],
    ['main', 'main', 'catalog main-key', undefined],
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
  it.each(chosen)('%j is %s, signed by %s', (target, slug, signed, model) => {
    const leaf = one({ targets: [target] }, { virtual_keys });
    expect([leaf.provider?.slug, signature(leaf), leaf.override?.['model']]).toEqual([slug, signed, model]);
    expect(leaf.provider?.trust ?? 'operator').toBe('operator');
  });

  it("a type with the file's credential does not follow hosts of a request", () => {
    const { provider } = one({ provider: 'acme', api_key: 'own', custom_host: 'https://here.example/v1' });
    expect(['here.example', 'evil.example'].map((host) => provider?.allowsHost(host))).toEqual([false, false]);
  });

  it('takes a slug from inherited parameters too', () => {
    expect(one({ override_params: { model: '@eu/gpt-4o' }, targets: [{}] })).toMatchObject({
      provider: { slug: 'eu' },
      override: { model: 'gpt-4o' },
    });
  });

  it('works settings of the target into the binding', () => {
    expect(one({ targets: [{ provider: 'main', acme_region: 'us', version: '2' }] }).provider?.settings).toMatchObject({
      region: 'us',
      version: '2',
    });
  });

  it("signs with a deployment's own key where it has one", () => {
    expect(signature(one({ provider: 'eu' }), 'deployment-key')).toBe('catalog deployment-key');
  });

  it('compiles each credential once', () => {
    const { provider } = one({ provider: 'eu' });
    const deployment = { settings: {}, model: 'm', apiKey: 'k' };
    expect(provider?.credential(undefined)).toBe(provider?.credential(undefined));
    expect(provider?.credential(deployment)).toBe(provider?.credential({ ...deployment }));
  });

  it("a virtual key narrows its provider's models and carries its own name and metadata", () => {
    const { provider } = one({ virtual_key: 'team' }, { virtual_keys });
    expect(provider).toMatchObject({ virtualKey: 'team', metadata: { team: 't' }, settings: { region: 'eu' }, clocks: { idle: 9000 } });
    expect(['gpt-4o-mini', 'gpt-4o', 'o1-mini'].map((model) => provider?.allowsModel(model))).toEqual([true, false, false]);
  });

  const refused: readonly (readonly [config: ConfigEntry, words: string])[] = [
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
  it.each(refused)('%j is refused', (config, words) => {
    expect(() => one(config)).toThrow(words);
  });
});

describe('trees', () => {
  const query: QueryFacts = { metadata: { plan: 'paid' }, params: () => undefined, pathname: '/' };
  const facts: PlanFacts = { random: 0, query, walk: 'model', accepts: () => true };

  it('a conditional goes where its first true query points, else to its default', () => {
    const strategy: ConfigEntry['strategy'] = {
      mode: 'conditional',
      conditions: [
        { query: { 'metadata.plan': 'free' }, then: 'a' },
        { query: { 'metadata.plan': 'paid' }, then: 'b' },
      ],
      default: 'c',
    };
    const snapshot = compiled({ providers, configs: { c: { strategy, targets: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] } } });
    const nameFor = (plan: string) =>
      snapshot.plan(configIn(snapshot, 'c'), { ...facts, query: { ...query, metadata: { plan } } })?.first.name;
    expect(['free', 'paid', 'other'].map(nameFor)).toEqual(['a', 'b', 'c']);
  });

  it('another config as a target stands below what the target sets', () => {
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

  it('takes camelCase and the other spellings of config objects, but leaves parameters alone', () => {
    const pasted = {
      overrideParams: { topP: 1 },
      retry: { attempts: 9, onStatusCodes: ['5xx'], useRetryAfterHeaders: true },
      requestTimeout: 10,
      strict_open_ai_compliance: false,
      targets: [{ virtualKey: 'main', acmeVersion: '3' }],
    };
    const leaf = one(pasted as unknown as ConfigEntry);
    expect(leaf).toMatchObject({ override: { topP: 1 }, clocks: { request: 10 }, strict: false, provider: { settings: { version: '3' } } });
    expect([leaf.retry.attempts, leaf.retry.useRetryAfter, leaf.retry.retries(599), leaf.retry.retries(429)]).toEqual([
      5,
      true,
      true,
      false,
    ]);
  });

  it('the tree without a config leaves everything open', () => {
    expect(compiled({}).noConfig).toMatchObject({
      name: '-',
      root: { strategy: 'leaf', path: 'config', root: 'request', provider: undefined },
    });
  });
});

describe('the rest of a snapshot', () => {
  it('has defaults for everything', () => {
    const snapshot = compiled({});
    expect(snapshot).toMatchObject({
      revision: 'abc1234',
      server: {
        maxBody: 50 * 1024 * 1024,
        maxAnswer: 256 * 1024 * 1024,
        maxUpload: undefined,
        exposeRouting: true,
        egressAllow: [],
        clocks: { connect: 5000, firstByte: undefined, idle: 60_000, total: 600_000, request: undefined },
        headerPrefixes: ['x-gateway-', 'x-portkey-'],
        drain: { delayMs: 0, timeoutMs: 25_000 },
      },
      log: {
        level: 'info',
        format: 'auto',
        bodies: 'redacted',
        keepsBodies: true,
        sample: { success: 1, errors: 1 },
        clientMayLower: true,
        maxBody: 256 * 1024,
      },
      observability: { metrics: { path: '/metrics', metadataLabels: [] }, tracing: undefined, logs: undefined, resource: {} },
      secrets: ['a longer one', 'short'],
    });
  });

  it.each([
    [{}, { read: 'none', keepsBodies: false }],
    [{ tracing: { otlp: 'http://collector' } }, { read: 'metadata', keepsBodies: false }],
    [{ logs: { otlp: 'http://collector' } }, { read: 'metadata', keepsBodies: false }],
    [{ logs: { otlp: 'http://collector', content: true } }, { read: 'full', keepsBodies: true }],
  ])('prepares of records that nobody stores what is exported: %j', (observability, expected) => {
    const configs = { c: { log: { bodies: 'full' as const } } };
    expect(compiled({ logging: { requests: 'off' }, configs, observability }).log).toMatchObject(expected);
    expect(compiled({ configs, observability }).log).toMatchObject({ read: 'full', keepsBodies: true });
  });

  it('reads sizes, durations and switches', () => {
    const snapshot = compiled({
      server: {
        max_body: '1MB',
        max_upload: '2GB',
        timeouts: { first_byte: '90s' },
        drain: { delay: '5s' },
        expose_routing: false,
        max_in_flight: 7,
        max_connections: 9,
        fast_path: false,
      },
      logging: { level: 'debug', requests: { bodies: 'none', max_body: '1KB' } },
    });
    expect(snapshot.server).toMatchObject({
      maxBody: 1024 ** 2,
      maxUpload: 2 * 1024 ** 3,
      clocks: { connect: 5000, firstByte: 90_000 },
      drain: { delayMs: 5000, timeoutMs: 25_000 },
      exposeRouting: false,
      maxInFlight: 7,
      maxInFlightPerKey: Number.POSITIVE_INFINITY,
      maxConnections: 9,
      fastPath: false,
    });
    expect(snapshot.log).toMatchObject({ level: 'debug', bodies: 'none', maxBody: 1024 });
  });

  it('finds API keys by their hash, with what they may use', () => {
    const hash = 'AB'.repeat(32);
    const snapshot = compiled({
      api_keys: {
        app: {
          hash: `sha256:${hash}`,
          default_config: 'c',
          expires: '2027-03-01',
          metadata: { team: 'web' },
          allow: { configs: ['c', 'inline'], providers: ['@main', 'type:acme'], models: ['gpt-4o*', 'meta/*'] },
        },
        open: { hash: `sha256:${'cd'.repeat(32)}`, enforce_config: true, debug: true },
      },
    });
    const app = snapshot.apiKeys.get(hash.toLowerCase());
    const open = snapshot.apiKeys.get('cd'.repeat(32));
    expect(app).toMatchObject({
      name: 'app',
      defaultConfig: 'c',
      enforceConfig: false,
      expires: Date.UTC(2027, 2, 1),
      debug: false,
      metadata: { team: 'web' },
    });
    expect(['c', 'inline', 'd'].map((name) => app?.allowsConfig(name))).toEqual([true, true, false]);
    expect(['main', 'type:acme', 'acme'].map((name) => app?.allowsProvider(name))).toEqual([true, true, false]);
    expect(['gpt-4o', 'gpt-4o-mini', 'meta/a/b', 'gpt-4', 'x-gpt-4o'].map((name) => app?.allowsModel(name))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(open).toMatchObject({ enforceConfig: true, debug: true, expires: undefined });
    expect([open?.allowsConfig('x'), open?.allowsProvider('x'), open?.allowsModel('x')]).toEqual([true, true, true]);
  });

  it('an entry that is switched off or lacks its secret says so when it is used', () => {
    const { providers: bindings } = compiled(
      { providers: { off: { type: 'acme', enabled: false }, bare: { type: 'acme' } } },
      { bare: 'SECRET_NAME' },
    );
    expect(bindings.get('off')?.unusable).toMatchObject({ code: 'not_allowed' });
    expect(bindings.get('bare')?.unusable).toMatchObject({
      code: 'provider_auth_failed',
      message: expect.not.stringContaining('SECRET_NAME') as string,
    });
  });

  it("keeps the gateway's own keys out of what a provider sees, and secrets out of the binding", () => {
    const { providers: bindings } = compiled({
      providers: { p: { type: 'acme', name: 'N', api_key: 'very-secret', region: 'x', 'x-note': 1, extensions: 'pass' } },
    });
    expect(bindings.get('p')?.settings).toEqual({ region: 'x', extensions: 'pass' });
    expect(JSON.stringify(bindings.get('p'))).not.toContain('very-secret');
  });

  it('an entry that is signed by callers never signs by itself', () => {
    const binding = compiled({ providers }).providers.get('callers');
    expect(binding).toMatchObject({ owner: 'caller', trust: 'operator', settings: { custom_host: 'http://10.0.0.1/v1' } });
    expect(binding?.settings).not.toHaveProperty('token');
    const signed = binding?.forCaller?.('theirs');
    expect(signed).toMatchObject({ owner: 'caller', trust: 'operator', slug: 'callers' });
    expect(
      signed?.credential(undefined).headers({ origin: '', path: '', method: '', headers: [], body: { kind: 'none' }, dropped: [] }),
    ).toEqual(['authorization', 'theirs']);
  });

  it('knows the hosts that a request may choose', () => {
    const binding = compiled({
      providers: { p: { type: 'acme', api_key: 'k', allow_custom_host: ['api.example.com', '*.eu.example', 'x.example:8443'] } },
    }).providers.get('p');
    const hosts = [
      'api.example.com',
      'API.example.com:443',
      'a.b.eu.example',
      'eu.example',
      'noteu.example',
      'x.example',
      'x.example:8443',
    ];
    expect(hosts.map((host) => binding?.allowsHost(host))).toEqual([true, true, true, false, false, false, true]);
    expect(compiled({ providers }).providers.get('main')?.allowsHost('api.example.com')).toBe(false);
  });

  it("a direct binding is the caller's in everything", () => {
    const snapshot = compiled({});
    const acme = snapshot.types.get('acme-alias');
    if (acme === undefined) throw new Error('no type');
    const binding = snapshot.direct(acme, { region: 'x' }, 'theirs');
    expect(binding).toMatchObject({ slug: 'acme', owner: 'caller', trust: 'request', settings: { region: 'x' }, virtualKey: undefined });
    expect([binding.allowsHost('any.example'), binding.allowsModel('any')]).toEqual([true, true]);
  });

  it('refuses a virtual key that has the name of a provider, and two names for one key', () => {
    expect(() => compiled({ providers, virtual_keys: { main: { provider: 'eu' } } })).toThrow('"main"');
    const hash = `sha256:${'0'.repeat(64)}`;
    expect(() => compiled({ api_keys: { a: { hash }, b: { hash } } })).toThrow('same key');
  });
});
