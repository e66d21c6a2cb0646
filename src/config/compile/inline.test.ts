import { describe, expect, it } from 'vitest';
import type { ApiKey } from '../../core/snapshot.ts';
import { compiled, leavesAt, signature } from '../fixtures/compiled.ts';

const snapshot = compiled({
  providers: {
    main: { type: 'acme', api_key: 'main-key' },
    open: { type: 'acme', api_key: 'open-key', allow_custom_host: ['*.good.example'] },
    deep: { type: 'globex', deployments: { x: { api_key: 'd' } } },
    secretive: { type: 'acme', token: 'operator-token' },
    local: { type: 'acme', custom_host: 'http://127.0.0.1:1/v1' },
    callers: { type: 'acme', auth: { mode: 'caller' } },
    acme: { type: 'globex', api_key: 'slug-acme-key' },
  },
  configs: { c: { provider: 'main' } },
  prompts: {
    welcome: { messages: [{ role: 'user', content: 'Hi' }] },
    hidden: { published: 1, labels: { canary: 2 }, versions: { 1: { messages: [] }, 2: { messages: [] } } },
  },
});
const inline = (config: unknown) => snapshot.inlineConfig(typeof config === 'string' ? config : JSON.stringify(config), undefined);
const leafOf = (config: unknown) => leavesAt(inline(config).root)[0];

describe('inline config of a request', () => {
  it('compiles like a config of the file, and returns the same object for the same text', () => {
    const text = JSON.stringify({ strategy: { mode: 'fallback' }, targets: [{ provider: '@main' }, '@open/x'], metadata: { a: 'b' } });
    expect(inline(text)).toMatchObject({ name: 'inline', metadata: { a: 'b' }, root: { strategy: 'fallback' } });
    expect(leavesAt(inline(text).root).map((leaf) => [leaf.provider?.slug, leaf.root, leaf.path])).toEqual([
      ['main', 'inline', 'config.targets[0]'],
      ['open', 'inline', 'config.targets[1]'],
    ]);
    expect(inline(text)).toBe(inline(text));
  });

  it('accepts a key in two spellings with the same value', () => {
    const config = { provider: '@main', retry: { attempts: 1, use_retry_after_header: true, use_retry_after_headers: true } };
    expect(leafOf(config)?.retry.useRetryAfter).toBe(true);
  });

  it.each([
    [
      'in camelCase',
      '{"provider":"@main","weight":1.0,"overrideParams":{"seed":9007199254740993,"a":{"b":[1.0]}}}',
      '{"seed":9007199254740993,"a":{"b":[1.0]}}',
    ],
    [
      'of a config and its target',
      '{"override_params":{"a":1,"b":90071992547409931},"targets":[{"provider":"@main","override_params":{"a":90071992547409930}}]}',
      '{"a":90071992547409930,"b":90071992547409931}',
    ],
    [
      'that replace an object',
      '{"override_params":{"a":{"c":1}},"targets":[{"provider":"@main","override_params":{"a":90071992547409931}}]}',
      '{"a":90071992547409931}',
    ],
  ])('keeps the digits of numbers in override_params %s', (_, text, override) => {
    expect(JSON.stringify(leafOf(text)?.override)).toBe(override);
  });

  it('rejects JSON that is nested too deeply', () => {
    expect(() => inline('['.repeat(1000) + ']'.repeat(1000))).toThrow(/levels deep at position \d+\.$/);
  });

  it('evicts the least recently used texts from its cache, by their cost', () => {
    const text = (n: number) => JSON.stringify({ provider: '@main', override_params: { n, text: 'x'.repeat(30_000) } });
    const [first, second] = [inline(text(-1)), inline(text(-2))];
    for (let n = 0; n < 120; n += 1) {
      inline(text(n));
      expect(inline(text(-2))).toBe(second);
    }
    expect(inline(text(-1))).not.toBe(first);
  });

  const repeated = (count: number, item: string): string => Array.from({ length: count }, () => item).join(',');
  const names = Array.from({ length: 2000 }, (_, i) => `"p${i}":1`).join(',');
  it.each([
    ['many targets', `{"targets":[${repeated(257, '"main"')}]}`, 'more than 256 targets'],
    ['many targets in targets', `{"targets":[${repeated(30, `{"targets":[${repeated(10, '"main"')}]}`)}]}`, 'more than 256 targets'],
    [
      'many copies of what it inherits',
      `{"override_params":{${names}},"targets":[${repeated(20, '{"override_params":{"a":1}}')}]}`,
      '20000 parameters',
    ],
    [
      'many copies of a nested object',
      `{"override_params":{"a":{${names}}},"targets":[${repeated(20, '{"override_params":{"a":{"b":1}}}')}]}`,
      '20000 parameters',
    ],
    ['many models with a slug', `{"override_params":{"model":"@main/x",${names}},"targets":[${repeated(20, '{}')}]}`, '20000 parameters'],
  ])('rejects %s', (_, text, message) => {
    expect(() => inline(text)).toThrow(
      expect.objectContaining({ code: 'invalid_config', message: expect.stringContaining(message) as string }),
    );
  });

  it('shares the parameters of targets without their own parameters', () => {
    const leaves = leavesAt(inline(`{"override_params":{${names}},"targets":[${repeated(200, '{"provider":"@main"}')}]}`).root);
    expect(leaves).toHaveLength(200);
    expect(new Set(leaves.map((leaf) => leaf.override)).size).toBe(1);
  });

  it('shares nested parameters of targets with other parameters of their own', () => {
    const leaves = leavesAt(
      inline(`{"override_params":{"a":{${names}}},"targets":[${repeated(200, '{"override_params":{"b":1}}')}]}`).root,
    );
    expect(leaves).toHaveLength(200);
    expect(new Set(leaves.map((leaf) => leaf.override?.['a'])).size).toBe(1);
    expect(Object.isFrozen(leaves[1]?.override)).toBe(true);
  });

  const longName = 'n'.repeat(20_000);
  const conditionalConfig = (query: unknown, then = 'a') => ({
    strategy: { mode: 'conditional', conditions: [{ query, then }] },
    targets: [{ name: 'a', provider: '@main' }],
  });
  it.each([
    { config: longName },
    { override_params: { model: `@${longName}/x` } },
    { virtual_key: longName },
    { prompt_id: longName },
    { provider: '@main', request_timeout: longName },
    { strategy: { mode: longName } },
    { provider: 'acme', api_key: 'theirs', acme_region: `nowhere ${longName}` },
    conditionalConfig({ [longName]: 1 }),
    conditionalConfig({ 'params.a': { [longName]: 1 } }),
    conditionalConfig({ 'params.a': { $regex: `(${longName}` } }),
    conditionalConfig({ [`params.${longName}`]: [] }),
    conditionalConfig({}, longName),
  ])('rejects a config with a long value in a short message', (config) => {
    let errorMessage = '';
    try {
      inline(config);
    } catch (error) {
      const { message, hint = '', param = '' } = error as { message: string; hint?: string; param?: string };
      errorMessage = `${message}${hint}${param}`;
    }
    expect(errorMessage.length).toBeGreaterThan(20);
    expect(errorMessage.length).toBeLessThan(1000);
  });

  const configMatching = (patterns: readonly string[]) => ({
    strategy: {
      mode: 'conditional',
      conditions: patterns.map(($regex) => ({ query: { 'metadata.a': { $regex } }, then: 'one' })),
      default: 'one',
    },
    targets: [{ name: 'one', provider: '@main' }],
  });

  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])('names an unknown key unchanged: %s', (key) => {
    const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    expect(() => inline(`{"provider":"@main","${key}":{"a":1}}`)).toThrow(
      expect.objectContaining({ code: 'invalid_config', param: name, message: `The config is not valid: ${name}: unknown key "${name}".` }),
    );
  });

  it.each([
    ['a long pattern of repetitions', ['a{1000}'.repeat(1000)]],
    ['a pattern with nested repetitions', ['((a{30}){30}){30}']],
    ['patterns that are too large together', Array.from({ length: 5 }, () => 'a{250}')],
    ['many patterns', Array.from({ length: 11 }, (_, i) => `a${i}`)],
  ])('rejects %s before compiling it', (_, patterns) => {
    expect(() => inline(configMatching(patterns))).toThrow(
      expect.objectContaining({ code: 'invalid_config', message: expect.stringMatching(/too large|may contain 10 patterns/) as string }),
    );
  });

  it('caches only a few configs with patterns', () => {
    const compiledConfig = inline(configMatching(['^eu-']));
    expect(inline(configMatching(['^eu-']))).toBe(compiledConfig);
    for (let n = 0; n < 20; n += 1) inline(configMatching([`^us-${n}`]));
    expect(inline(configMatching(['^eu-']))).not.toBe(compiledConfig);
  });

  it('allows patterns only to keys that permit them, also for a cached config', () => {
    const text = JSON.stringify(configMatching(['^sent-by-two-keys']));
    const key = (allowsRegex: boolean) => ({ name: 'app', allowsRegex }) as ApiKey;
    const expectedError = expect.objectContaining({
      code: 'not_allowed',
      status: 403,
      message: expect.stringContaining('Key "app"') as string,
    }) as Error;
    const escaped = text.replace('$regex', String.raw`\u0024regex`);
    for (const inlineText of [text, escaped]) {
      expect(() => snapshot.inlineConfig(inlineText, key(false))).toThrow(expectedError);
      expect(snapshot.inlineConfig(inlineText, key(true))).toBe(snapshot.inlineConfig(inlineText, undefined));
      expect(() => snapshot.inlineConfig(inlineText, key(false))).toThrow(expectedError);
    }
  });

  describe('with a prompt that the key may not use', () => {
    const key = { name: 'app', allowsPrompt: (id: string): boolean => id === 'welcome' } as ApiKey;
    const refused = expect.objectContaining({ code: 'not_allowed', message: 'Key "app" may not use prompt "hidden".' }) as Error;
    const target = (prompt_id: string) => ({ provider: '@main', prompt_id });

    it.each(['hidden', 'hidden@1', 'hidden@99', 'hidden@canary', 'hidden@other', 'hidden@latest'])(
      'returns the same error whether the version or label exists: %s',
      (reference) => {
        for (const config of [target(reference), { strategy: { mode: 'fallback' }, targets: ['@open', target(reference)] }]) {
          const text = JSON.stringify(config);
          expect(() => snapshot.inlineConfig(text, key)).toThrow(refused);
          // Cached, if it compiles for another key.
          try {
            snapshot.inlineConfig(text, undefined);
          } catch {
            // The version does not exist.
          }
          expect(() => snapshot.inlineConfig(text, key)).toThrow(refused);
        }
      },
    );

    it('accepts prompts that the key may use, and reports unknown ones', () => {
      expect(snapshot.inlineConfig(JSON.stringify(target('welcome')), key).name).toBe('inline');
      expect(() => snapshot.inlineConfig(JSON.stringify(target('nowhere')), key)).toThrow('No prompt is named "nowhere".');
    });
  });

  const chosen: readonly (readonly [config: object, slug: string | undefined, signed: string, trust: string | undefined])[] = [
    [{ provider: '@main' }, 'main', 'catalog main-key', 'operator'],
    [{ provider: 'main' }, 'main', 'catalog main-key', 'operator'],
    [{ provider: '@acme' }, 'acme', 'catalog slug-acme-key', 'operator'],
    [{ provider: 'acme' }, 'acme', 'catalog slug-acme-key', 'operator'],
    [{ provider: 'acme', api_key: 'theirs' }, 'acme', 'caller theirs', 'request'],
    [{ provider: 'acme', acme_token: 'theirs' }, 'acme', 'caller theirs', 'request'],
    [{ provider: 'acme-alias' }, 'acme', 'caller -', 'request'],
    [{ provider: 'globex', apiKey: 'theirs', globexRegion: 'us' }, 'globex', 'caller theirs', 'request'],
    [{ provider: 'globex', api_key: 'theirs', custom_host: 'https://any.example' }, 'globex', 'caller theirs', 'request'],
    [{ provider: '@main', api_key: 'theirs' }, 'main', 'caller theirs', 'operator'],
    [{ provider: '@secretive', api_key: 'theirs' }, 'secretive', 'caller theirs', 'operator'],
    [{ provider: '@main', acme_version: '2' }, 'main', 'catalog main-key', 'operator'],
    [{ provider: '@open', custom_host: 'https://a.good.example/v1' }, 'open', 'catalog open-key', 'request'],
    [{ provider: '@local', custom_host: 'https://any.example/v1' }, 'local', 'none -', 'request'],
    [{ provider: '@callers', custom_host: 'https://any.example/v1' }, 'callers', 'caller -', 'request'],
    [{ override_params: { model: '@main/x' } }, 'main', 'catalog main-key', 'operator'],
    [{ custom_host: 'https://any.example/v1' }, undefined, 'no provider', undefined],
  ];
  it.each(chosen)('%j uses provider %s, signed by %s', (config, slug, signed, trust) => {
    const leaf = leafOf(config);
    expect([leaf?.provider?.slug, signature(leaf), leaf?.provider?.trust]).toEqual([slug, signed, trust]);
  });

  const secretReads: readonly object[] = [
    { provider: '@main', custom_host: 'https://evil.example' },
    { provider: 'main', customHost: 'https://evil.example' },
    { provider: '@main', acme_region: 'evil' },
    { provider: '@main', region: 'evil' },
    { provider: '@open', custom_host: 'https://good.example' },
    { provider: '@open', custom_host: 'https://a.good.example.evil.example' },
    { provider: '@open', acme_region: 'evil' },
    { provider: '@open', custom_host: 'https://a.good.example', targets: [{ provider: '@main' }] },
    { custom_host: 'https://evil.example', strategy: { mode: 'fallback' }, targets: ['@local/x', '@main/x'] },
    { custom_host: 'https://evil.example', override_params: { model: '@main/x' } },
    { provider: '@deep', custom_host: 'https://evil.example' },
    { provider: '@main', api_key: 'theirs', custom_host: 'https://evil.example' },
    { provider: '@secretive', api_key: 'theirs', custom_host: 'https://evil.example' },
    { provider: '@secretive', acme_token: 'theirs', acme_region: 'evil' },
    { virtual_key: 'main', custom_host: 'https://evil.example' },
  ];
  it.each(secretReads)('rejects sending a credential of the catalog to another host with not_allowed (403): %j', (config) => {
    expect(() => inline(config)).toThrow(expect.objectContaining({ code: 'not_allowed', status: 403 }));
  });

  it('does not combine a secret of the catalog with a credential of the request', () => {
    expect(leafOf({ provider: '@secretive', api_key: 'theirs' })?.provider?.settings).not.toHaveProperty('token');
    expect(signature(leafOf({ provider: '@deep', api_key: 'theirs' }), 'deployment-key')).toBe('caller theirs');
  });

  const rejectedConfigs: readonly (readonly [config: unknown, code: string, message: string])[] = [
    ['{', 'invalid_config', 'JSON'],
    ['[]', 'invalid_config', 'object'],
    ['"main"', 'invalid_config', 'object'],
    [{ provider: '@gone' }, 'provider_not_found', 'gone'],
    [{ provider: '@mian' }, 'provider_not_found', 'mian'],
    [{ virtual_key: 'gone' }, 'provider_not_found', 'gone'],
    [{ provider: '@main', retrys: {} }, 'invalid_config', 'retrys'],
    [{ provider: '@main', input_guardrails: [] }, 'invalid_config', 'input_guardrails'],
    [{ targets: [{ provider: '@main', retry: { attempts: 'two' } }] }, 'invalid_config', 'targets[0].retry.attempts'],
    [{ retry: { attempts: 6 } }, 'invalid_config', 'at most 5'],
    [{ custom_host: 'host.example' }, 'invalid_config', 'not a URL'],
    [{ targets: [{ custom_host: 'https://' }] }, 'invalid_config', 'not a URL'],
    [{ retry: { attempts: 1.5 } }, 'invalid_config', 'integer'],
    [{ retry: 5 }, 'invalid_config', 'retry'],
    [{ targets: {} }, 'invalid_config', 'array'],
    [{ targets: [] }, 'invalid_config', 'targets'],
    [{ targets: [5] }, 'invalid_config', 'targets[0]'],
    [{ targets: ['UPPER CASE'] }, 'invalid_config', 'targets[0]'],
    [{ strategy: { mode: 'random' }, targets: ['main'] }, 'invalid_config', 'loadbalance'],
    [{ strategy: {}, targets: ['main'] }, 'invalid_config', '"mode"'],
    [{ strategy: { mode: 'fallback', on_status_codes: ['9xx'] }, targets: ['main'] }, 'invalid_config', 'on_status_codes[0]'],
    [{ targets: [{ weight: -1 }] }, 'invalid_config', 'weight'],
    [{ metadata: { a: 'x'.repeat(129) } }, 'invalid_config', '128'],
    [{ config: 'c' }, 'invalid_config', '"c"'],
    [{ retry: { attempts: 1, useRetryAfterHeader: true, use_retry_after_headers: false } }, 'invalid_config', 'are the same key'],
    [{ provider: '@main', overrideParams: { a: 1 }, override_params: { a: 2 } }, 'invalid_config', 'are the same key'],
    [{ provider: '@main', custom_host: 'no url' }, 'invalid_config', 'custom_host'],
    [{ provider: 'globex', api_key: 'x', region: 'nowhere' }, 'invalid_config', 'no such region'],
    [{ api_key: '${env:HOME}' }, 'invalid_config', '${env:NAME}'],
    ['{"override_params":{"a":["\\u0024{file:/etc/passwd}"]}}', 'invalid_config', '${file:/path}'],
    [{ override_params: { x: 'y'.repeat(33_000) } }, 'invalid_config', '32 KB'],
  ];
  it.each(rejectedConfigs)('%j is rejected with %s', (config, code, message) => {
    expect(() => inline(config)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) as string }));
  });

  it.each([
    [{ provider: '@main', input_guardrails: [] }, 'this version does not check anything'],
    [{ targets: [{ provider: '@main', retry: { count: 2 } }] }, 'write attempts'],
    [{ provider: '@main', retrys: {} }, 'Did you mean "retry"?'],
    [{ strategy: { mode: 'fallbak' }, targets: [] }, 'Did you mean "fallback"?'],
  ])('%j is rejected with a hint', (config, message) => {
    expect(() => inline(config)).toThrow(expect.objectContaining({ hint: expect.stringContaining(message) as string }));
  });

  it.each([
    [{ strategy: { mode: 'fallbak' }, targets: [] }, /^The config is not valid: strategy\.mode: expected one of .*, not "fallbak"\.$/],
    [{ targets: [{ provider: '@main', weight: -1 }] }, /targets\[0\]\.weight: must be at least 0, not -1\.$/],
    [{ targets: [{ provider: '@main', weight: 1e308 }] }, /targets\[0\]\.weight: must be at most 1000000000, not 1e\+308\.$/],
    [{ provider: '@main', timeouts: { total: 'soon' } }, /timeouts\.total: must be a number with a unit: .*, not "soon"\.$/],
    [{ provider: '@main', timeouts: { total: '25h' } }, /timeouts\.total: must be 1ms to 24h, not "25h"\.$/],
    [{ provider: '@main', request_timeout: '0s' }, /request_timeout: must be 1ms to 24h, not "0s"\.$/],
    [{ provider: 'acme', acme_tags: 5 }, /acme_tags: expected string or array, not 5\.$/],
    [{ provider: 'acme', acme_tags: ['a', 5] }, /acme_tags\[1\]: expected string, not 5\.$/],
    [{ provider: '@main', ['k'.repeat(1000)]: 1 }, /^The config is not valid: k{57}…: unknown key "k{57}…"\.$/],
    [{ provider: `@${'k'.repeat(1000)}` }, /^No provider or virtual key has the slug "k{57}…"\.$/],
    ['{"api_key":sk-live-123456789}', /neither a name nor JSON: Unexpected token 's'\.$/],
    [`{"api_key":"sk-live-123456789","a":["${'x'.repeat(2000)}"}`, /neither a name nor JSON: unexpected "}" at position 2038\.$/],
    ['{"api_key":"sk-live-123456789" "x"}', /JSON: Expected ',' or '}' after property value in JSON at position 31[^"]*$/],
    [{ provider: '@main', retry: [] }, /retry: expected object, not a list\.$/],
    [{ provider: 'acme', api_key: 12_345 }, /api_key: expected string\.$/],
    [{ provider: 'acme', auth: { mode: 'x', client_secret: 12_345 } }, /^(?!.*12345)/],
  ])('%j is rejected with the value found, unless it is a secret', (config, message) => {
    expect(() => inline(config)).toThrow(message);
  });

  it('compiles a deep tree and rejects one beyond the depth limit', () => {
    const text = (depth: number) => `${'{"targets":['.repeat(depth)}"@main"${']}'.repeat(depth)}`;
    expect(leavesAt(inline(text(49)).root)).toMatchObject([{ provider: { slug: 'main' } }]);
    expect(() => inline(text(1500))).toThrow(expect.objectContaining({ code: 'invalid_config' }));
    expect(() => inline(`${'{"override_params":'.repeat(1000)}1${'}'.repeat(1000)}`)).toThrow(
      expect.objectContaining({ code: 'invalid_config' }),
    );
  });
});
