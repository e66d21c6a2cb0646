import { describe, expect, it } from 'vitest';
import { compiled } from '../fixtures/compiled.ts';
import { providers } from '../fixtures/providers.ts';

describe('snapshot', () => {
  it('has defaults for all settings', () => {
    const snapshot = compiled({});
    expect(snapshot).toMatchObject({
      revision: 'abc1234',
      server: {
        maxBody: 50 * 1024 * 1024,
        maxResponse: 256 * 1024 * 1024,
        maxUpload: undefined,
        exposeRouting: true,
        egressAllow: [],
        timeouts: { connect: 5000, firstByte: undefined, idle: 60_000, total: 600_000, request: undefined },
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
  ])('reads only what is exported if records are not stored: %j', (observability, expected) => {
    const configs = { c: { log: { bodies: 'full' as const } } };
    expect(compiled({ logging: { requests: 'off' }, configs, observability }).log).toMatchObject(expected);
    expect(compiled({ configs, observability }).log).toMatchObject({ read: 'full', keepsBodies: true });
  });

  it('parses sizes, durations and booleans', () => {
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
      timeouts: { connect: 5000, firstByte: 90_000 },
      drain: { delayMs: 5000, timeoutMs: 25_000 },
      exposeRouting: false,
      maxInFlight: 7,
      maxInFlightPerKey: Number.POSITIVE_INFINITY,
      maxConnections: 9,
      fastPath: false,
    });
    expect(snapshot.log).toMatchObject({ level: 'debug', bodies: 'none', maxBody: 1024 });
  });

  it('finds API keys by hash with their permissions', () => {
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
        open: { hash: `sha256:${'cd'.repeat(32)}`, enforce_config: true },
      },
    });
    const app = snapshot.apiKeys.get(hash.toLowerCase());
    const open = snapshot.apiKeys.get('cd'.repeat(32));
    expect(app).toMatchObject({
      name: 'app',
      defaultConfig: 'c',
      enforceConfig: false,
      expires: Date.UTC(2027, 2, 1),
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
    expect(open).toMatchObject({ enforceConfig: true, expires: undefined });
    expect([open?.allowsConfig('x'), open?.allowsProvider('x'), open?.allowsModel('x')]).toEqual([true, true, true]);
  });

  it('marks a disabled provider and one without its secret as unusable', () => {
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

  it('leaves gateway settings and secrets out of the settings of a provider', () => {
    const { providers: bindings } = compiled({
      providers: { p: { type: 'acme', name: 'N', api_key: 'very-secret', region: 'x', 'x-note': 1, extensions: 'pass' } },
    });
    expect(bindings.get('p')?.settings).toEqual({ region: 'x', extensions: 'pass' });
    expect(JSON.stringify(bindings.get('p'))).not.toContain('very-secret');
  });

  it('does not sign by itself with a provider in caller mode', () => {
    const binding = compiled({ providers }).providers.get('callers');
    expect(binding).toMatchObject({ owner: 'caller', trust: 'operator', settings: { custom_host: 'http://10.0.0.1/v1' } });
    expect(binding?.settings).not.toHaveProperty('token');
    const signed = binding?.forCaller?.('theirs');
    expect(signed).toMatchObject({ owner: 'caller', trust: 'operator', slug: 'callers' });
    expect(
      signed?.credential(undefined).headers({ origin: '', path: '', method: '', headers: [], body: { kind: 'none' }, dropped: [] }),
    ).toEqual(['authorization', 'theirs']);
  });

  it('allows only the listed custom hosts for a request', () => {
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
    expect(hosts.map((host) => binding?.allowsHost(new URL(`https://${host}`)))).toEqual([true, true, true, false, false, false, true]);
    expect(compiled({ providers }).providers.get('main')?.allowsHost(new URL('https://api.example.com'))).toBe(false);
  });

  it('uses the credential and settings of the caller in a direct binding', () => {
    const snapshot = compiled({});
    const acme = snapshot.types.get('acme-alias');
    if (acme === undefined) throw new Error('no type');
    const binding = snapshot.direct(acme, { region: 'x' }, 'theirs');
    expect(binding).toMatchObject({ slug: 'acme', owner: 'caller', trust: 'request', settings: { region: 'x' }, virtualKey: undefined });
    expect([binding.allowsHost(new URL('https://any.example')), binding.allowsModel('any')]).toEqual([true, true]);
  });

  it('rejects a virtual key named like a provider, and two names for one API key', () => {
    expect(() => compiled({ providers, virtual_keys: { main: { provider: 'eu' } } })).toThrow('"main"');
    const hash = `sha256:${'0'.repeat(64)}`;
    expect(() => compiled({ api_keys: { a: { hash }, b: { hash } } })).toThrow('same key');
  });
});
