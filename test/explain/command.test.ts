import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ExplainFile, explainFile } from './file.ts';

const secret = 'sk-canary-5f1e0c7c9a1d4e2f';
const literal = 'sk-literal-9b1e0c7c9a1d4e2f';
const gatewayKey = 'a-key-of-the-gateway-4711';

const yaml = `version: 1
providers:
  main: {type: openai, api_key: "\${env:MAIN_KEY}"}
  spare: {type: openai, api_key: ${literal}, custom_host: "https://spare.example.com/v1"}
  gem: {type: gemini, api_key: "\${env:GEM_KEY}"}
  aws: {type: bedrock, region: eu-central-1, access_key_id: AKIACANARYCANARY0000, secret_access_key: ${secret}-aws}
api_keys:
  app-web:
    hash: sha256:${createHash('sha256').update(gatewayKey).digest('hex')}
    default_config: support
    allow: {configs: [support, plans, spread, long], models: ["gpt-4o*", "gemini-*", "anthropic*"]}
configs:
  support:
    strategy: {mode: fallback, on_status_codes: [429, "5xx"]}
    retry: {attempts: 1}
    labels: {team: support}
    targets:
      - provider: main
        override_params:
          temperature: 0.2
          metadata: {note: "\${env:MAIN_KEY}"}
      - spare/gpt-4o-mini
      - {provider: gem, override_params: {model: gemini-2.5-pro}}
  plans:
    strategy:
      mode: conditional
      conditions:
        - {query: {metadata.plan: {$eq: paid}}, then: big}
      default: small
    targets:
      - {name: big, provider: gem, override_params: {model: gemini-2.5-pro}}
      - {name: small, config: support}
  long:
    strategy: {mode: conditional, conditions: [{query: {metadata.plan: "\${env:LONG}"}, then: main}], default: main}
    override_params: {instructions: "${'x'.repeat(380)} \${env:LONG}"}
    targets: [{name: main, provider: main}]
  spread:
    strategy: {mode: loadbalance}
    targets: [{provider: main, weight: 3}, {provider: spare, weight: 1}]
`;

let file: ExplainFile;
beforeAll(async () => {
  file = await explainFile(yaml, { MAIN_KEY: secret, GEM_KEY: `${secret}-gem`, LONG: 'canary-of-the-file-'.repeat(5) });
});
afterAll(() => file.close());

const key = ['--key', 'app-web'] as const;

describe('gateway explain', () => {
  it('prints the targets, the upstream requests, and the origin of each change', async () => {
    const explanation = await file.explain(...key, '--body', '{"model":"gpt-4o-mini","temperature":0.9,"messages":[]}');
    expect(explanation).toMatchObject({
      request: { method: 'POST', path: '/v1/chat/completions', endpoint: 'chat/completions' },
      key: { name: 'app-web', at: { file: 'gateway.yaml', line: 8 } },
      config: { name: 'support', by: 'default config of key app-web', at: { file: 'gateway.yaml', line: 13 } },
      answer: null,
    });
    expect(explanation.targets.map(({ provider, goes_here }) => [provider, goes_here])).toEqual([
      ['main', true],
      ['spare', false],
      ['gem', false],
    ]);
    expect(explanation.targets[0]).toMatchObject({
      target: 'configs.support.targets[0]',
      at: { line: 18 },
      url: 'https://api.openai.com/v1/chat/completions',
      left_on: '429, 500-599, timeout, connection error',
    });
    expect(explanation.targets[0]?.headers).toContainEqual(['authorization', 'Bearer ${env:MAIN_KEY}']);
    expect(explanation.targets[1]?.headers).toContainEqual(['authorization', 'Bearer (set in the file, not shown)']);
    expect(explanation.targets[2]?.left_on).toBe('never: no target follows');
    expect(explanation.targets[0]?.differences).toContainEqual(
      expect.objectContaining({
        path: 'temperature',
        before: '0.9',
        after: '0.2',
        cause: 'override_params',
        at: { file: 'gateway.yaml', line: 20 },
      }),
    );
    expect(explanation.targets[0]?.differences).toContainEqual(
      expect.objectContaining({ path: 'metadata', after: '{"note":"${env:MAIN_KEY}"}' }),
    );
  });

  it('prints which condition matched, and why others did not', async () => {
    const small = await file.explain(...key, '--config-name', 'plans', '--header', 'x-gateway-metadata: {"plan":"free"}');
    expect(small.route[0]).toMatchObject({
      node: 'configs.plans',
      strategy: 'conditional',
      chose: 1,
      because: 'no condition matches: the default "small"',
      conditions: [{ text: 'metadata.plan = "paid"', matched: false, why: 'metadata.plan is "free", not "paid"', at: { line: 28 } }],
    });
    expect(small.route[1]).toMatchObject({ node: 'configs.plans.targets[1]', strategy: 'fallback' });
    expect(small.targets[0]).toMatchObject({ target: 'configs.plans.targets[1].targets[0]', at: { line: 18 } });
    const big = await file.explain(...key, '--config-name', 'plans', '--header', 'x-gateway-metadata: {"plan":"paid"}');
    expect(big.route[0]).toMatchObject({ chose: 0, because: 'condition 1 of 1 matches' });
    expect(big.targets.map(({ provider }) => provider)).toEqual(['gem']);
  });

  it('reads config and metadata headers as UTF-8', async () => {
    const bytes = (value: object): string => Buffer.from(JSON.stringify(value)).toString('latin1');
    const config = {
      strategy: { mode: 'conditional', conditions: [{ query: { 'metadata.name': 'Zoë' }, then: 'one' }] },
      targets: [{ name: 'one', provider: '@main' }],
    };
    const headers = [`x-gateway-config: ${bytes(config)}`, `x-gateway-metadata: ${bytes({ name: 'Zoë' })}`];
    const open = await explainFile('version: 1\nproviders: {main: {type: openai, api_key: sk-0123456789}}\n');
    const explanation = await open.explain(...headers.flatMap((header) => ['--header', header])).finally(() => open.close());
    expect(explanation.route[0]).toMatchObject({
      because: 'condition 1 of 1 matches',
      conditions: [{ text: 'metadata.name = "Zoë"', matched: true, why: 'metadata.name is "Zoë"' }],
    });
  });

  it.each([
    ['0.05', 'main'],
    ['0.9', 'spare'],
  ])('selects a target by weight with --random %s', async (random) => {
    const args = [...key, '--config-name', 'spread', '--random', random];
    const [one, again] = [await file.explain(...args), await file.explain(...args)];
    expect(one.targets[0]?.provider).toBe(again.targets[0]?.provider);
    expect(one.route[0]).toMatchObject({
      weights: [3, 1],
      because: expect.stringMatching(/^weight [31] of 4, random number 0\.\d{4}$/),
    });
    const randomValue = Number(/0\.\d{4}$/.exec(one.route[0]?.because ?? '')?.[0]);
    expect(one.targets[0]?.provider).toBe(randomValue < 0.75 ? 'main' : 'spare');
  });

  it('gives the weights among which the number decided, or why it did not', async () => {
    const open = await explainFile(`version: 1
providers:
  main: {type: openai, api_key: sk-0123456789, models: [gpt-4o]}
  spare: {type: openai, api_key: sk-0123456789, models: ["*"]}
configs: {spread: {strategy: {mode: loadbalance}, targets: [{provider: main, weight: 3}, {provider: spare, weight: 1}]}}
`);
    const spread = ['--config-name', 'spread', '--random', '0.1'] as const;
    const explanations = await Promise.all([
      open.explain(...spread, '--model', 'o1'),
      open.explain(...spread, '--path', '/v1/files/file-abc', '--method', 'get'),
    ]).finally(() => open.close());
    expect(explanations.map(({ route, targets }) => [route[0]?.chose, route[0]?.because, targets.map((one) => one.left_on)])).toEqual([
      [
        1,
        expect.stringMatching(/^weight 1 of 1, random number 0\.\d{4}$/),
        [expect.stringContaining('may not'), 'never: no target follows'],
      ],
      [0, expect.stringMatching(/^the request names an object/), ['404, connection error', 'never: no target follows']],
    ]);
    const none = await file.explain(...key, '--config-name', 'spread', '--model', 'o1');
    expect(none.route[0]).toMatchObject({ chose: null, because: 'no target may be used' });
  });

  it('walks on where targets are assumed to fail', async () => {
    const explanation = await file.explain(...key, '--assume', 'main=429', '--assume', 'spare=timeout', '--model', 'gpt-4o-mini');
    expect(explanation.targets.map(({ provider, goes_here, left_on }) => [provider, goes_here, left_on])).toEqual([
      ['main', false, 'left after 2 attempts: status 429'],
      ['spare', false, 'left: timeout (total)'],
      ['gem', true, 'never: no target follows'],
    ]);
    const all = await file.explain(...key, '--assume', 'main=429', '--assume', 'spare=reset', '--assume', 'gem=500');
    expect(all.answer).toMatchObject({ status: 500, code: 'all_targets_failed' });
    const passed = await file.explain(...key, '--config-name', 'spread', '--assume', 'main=429', '--assume', 'spare=429');
    expect(passed.answer).toMatchObject({ status: 429, message: expect.stringContaining('assumed: status 429') });
  });

  it.each([
    [[...key, '--config-name', 'suport'], 404, 'config_not_found', /Did you mean "support"\?/],
    [[], 401, 'missing_api_key', /API key/],
    [[...key, '--model', '@aws/titan'], 403, 'not_allowed', /titan/],
    [[...key, '--path', '/v1/chat/completion'], 400, 'no_target', /.*/],
    [[...key, '--body', '{'], 400, 'invalid_json', /JSON/],
    [[...key, '--header', 'x-gateway-metadata: 1'], 400, 'invalid_metadata', /.*/],
  ])('prints the error that the gateway would return for %j', async (args, status, code, message) => {
    const result = await file.text('--json', ...args);
    expect(result.code).toBe(1);
    const { answer } = JSON.parse(result.out) as Awaited<ReturnType<ExplainFile['explain']>>;
    expect(answer).toMatchObject({ status: expect.any(Number), code: expect.any(String), message: expect.stringMatching(message) });
    if (code !== 'no_target') expect(answer).toMatchObject({ status, code });
  });

  it('does not know who owns an object, but which requests isolation rejects', async () => {
    const open = await explainFile(`version: 1
providers: {own: {type: openai, api_key: sk-0123456789, isolate: true}}
api_keys: {web: {hash: "sha256:${'0'.repeat(64)}"}}
`);
    const explanations = await Promise.all(
      ['/v1/files/file-abc', '/v1/other'].map((path) =>
        open.explain('--key', 'web', '--method', 'get', '--path', path, '--header', 'x-gateway-provider: own'),
      ),
    ).finally(() => open.close());
    expect(explanations.map(({ answer }) => answer?.code)).toEqual([undefined, 'not_allowed']);
  });

  it('names the targets that a rule shuts out, and the rule', async () => {
    const explanation = await file.explain(...key, '--model', 'o1');
    expect(explanation.targets.map(({ provider, goes_here, url }) => [provider, goes_here, url !== null])).toEqual([
      ['main', false, false],
      ['spare', true, true],
      ['gem', false, true],
    ]);
    expect(explanation.targets[0]?.problem).toMatch(/Key "app-web" may not use .*o1/);
  });

  it.each([
    ['a request that is rejected', 'no-target'],
    ['a response without a network', '@mock/echo'],
  ])('lists no removed headers for %s', async (_, model) => {
    const ownFile = await explainFile('version: 1\nproviders: {mock: {type: mock}, main: {type: openai, api_key: sk-0123456789}}\n');
    const explanation = await ownFile
      .explain('--model', model, '--header', 'authorization: Bearer a-key-of-the-client')
      .finally(() => ownFile.close());
    expect(explanation.removed_headers).toEqual([]);
  });

  it.each([
    [
      '{rate: 60/min, tokens: 200k/min, budget: 50USD/month, concurrency: 20}',
      '60 requests/min · 200,000 tokens/min · budget 50 USD/month · 20 in flight',
    ],
    ['{budget: 0.5 USD/day}', 'budget 0.5 USD/day'],
  ])('prints the limits %s of the key after it', async (limits, text) => {
    const open = await explainFile(`version: 1
providers: {mock: {type: mock}}
api_keys:
  web:
    hash: sha256:${'0'.repeat(64)}
    limits: ${limits}
  free: {hash: "sha256:${'1'.repeat(64)}"}
`);
    const [web, free] = await Promise.all(
      ['web', 'free'].map((name) => open.text('--key', name, '--model', '@mock/echo', '--user', 'hi')),
    ).finally(() => open.close());
    expect(
      web?.out
        .split('\n')
        .slice(1, 3)
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ['key', 'API key "web"', 'gateway.yaml:4'],
      ['limits', text, 'gateway.yaml:6'],
    ]);
    expect(free?.out).not.toMatch(/^limits/m);
  });

  it('says how to name a key where the request needs one', async () => {
    const result = await file.text('--user', 'hi');
    expect([result.code, result.err]).toEqual([1, expect.stringMatching(/name it with --key/)]);
  });

  it('warns about --assume with an unknown provider', async () => {
    const explanation = await file.explain(...key, '--user', 'hi', '--assume', 'man=429', '--assume', 'spare=500');
    expect(explanation.warnings).toEqual([expect.stringMatching(/^The assumed response of "man" has no effect.*Did you mean "main"\?/)]);
  });

  it('suggests the most similar key name', async () => {
    const result = await file.text('--key', 'app-wep');
    expect(result).toMatchObject({ code: 1, err: expect.stringContaining('Did you mean "app-web"?') });
  });

  it('prints the upstream request as a curl command with credentials as variables', async () => {
    const result = await file.text(...key, '--as-curl', '--user', "it's");
    expect(result.out).toContain(`-H 'authorization: Bearer '"$MAIN_KEY"`);
    expect(result.out).toContain(String.raw`it'\''s`);
    expect(result.out).toMatch(/^curl -X POST 'https:\/\/api\.openai\.com\/v1\/chat\/completions'/);
  });

  it('does not resolve references that a client wrote in the curl command', async () => {
    const text = "${file:/etc/passwd} ${env:MAIN_KEY} (from the caller) it's";
    const result = await file.text(
      ...key,
      '--as-curl',
      '--user',
      text,
      '--header',
      `x-own: ${text}`,
      '--header',
      'x-gateway-forward-headers: x-own',
    );
    expect(result.out).toContain(`-H 'authorization: Bearer '"$MAIN_KEY"`);
    const escaped = text.replaceAll("'", String.raw`'\''`);
    expect(result.out).toContain(`-H 'x-own: ${escaped}'`);
    expect(result.out).toContain(`"content":"${escaped}"`);
    expect(result.err).toMatch(/References outside of credentials are not resolved/);
  });

  it('reads a long body from a file in the curl command', async () => {
    const result = await file.text(...key, '--as-curl', '--user', 'x'.repeat(300_000));
    expect(result.out).toMatch(/ {2}--data-binary @body\.json\n$/);
    expect(result.err).toContain('the command reads it from body.json');
  });

  it('works without the secrets, and reports the missing ones', async () => {
    const bare = await explainFile(yaml, { MAIN_KEY: secret, LONG: 'a long text' });
    try {
      const explanation = await bare.explain(...key);
      expect(explanation.warnings).toEqual(['GEM_KEY is not set: the gateway would reject requests to "gem".']);
      expect(explanation.targets[2]?.headers).toContainEqual(['x-goog-api-key', '${env:GEM_KEY}']);
    } finally {
      await bare.close();
    }
  });

  it('shows each unset variable by its name, and does not take a file for a variable', async () => {
    const bare = await explainFile(`version: 1
providers:
  az: {type: azure-openai, api_key: "\${env:AZ_KEY}", resource_name: "\${env:AZ_NAME}", api_version: "\${env:AZ_VERSION}"}
  own: {type: openai, api_key: "\${file:secret}"}
`);
    try {
      const explanation = await bare.explain('--model', '@az/gpt-4o', '--user', 'hi');
      expect(explanation.warnings).toEqual(
        ['AZ_KEY', 'AZ_NAME', 'AZ_VERSION'].map((name) => `${name} is not set: the gateway would reject requests to "az".`),
      );
      expect(explanation.targets[0]?.url).toBe(
        'https://${env:AZ_NAME}.openai.azure.com/openai/deployments/gpt-4o/chat/completions?api-version=${env:AZ_VERSION}',
      );
    } finally {
      await bare.close();
    }
  });

  it('runs plugins in dry-run mode, and names the plugin that changed the body', async () => {
    const ownFile = await explainFile(
      `version: 1
providers: {main: {type: openai, api_key: "\${env:MAIN_KEY}"}}
plugins: [{use: ./shout.ts}, routing, transform, fallback-retry]
`,
      { MAIN_KEY: secret },
    );
    try {
      await writeFile(
        join(ownFile.dir, 'shout.ts'),
        `export default { name: 'shout', options: { type: 'object' }, setup: (_options: unknown, host: any) => ({
          screen: (ctx: any) => {
            if (ctx.headers.get('x-fault')) throw host.error('over_loaded', { message: 'x' });
            host.note(ctx, { mode: ctx.mode });
            return { request: ctx.body.edit(new Map([['user', 'LOUD']])) };
          },
        }) };`,
      );
      const explanation = await ownFile.explain('--model', '@main/gpt-4o');
      expect(explanation.plugins).toContainEqual({ name: 'shout', moment: 'screen', said: '{"mode":"dry"}' });
      expect(explanation.targets[0]?.differences).toContainEqual(
        expect.objectContaining({ path: 'user', after: '"LOUD"', cause: 'plugin shout' }),
      );
      const { out } = await ownFile.text('--json', '--model', '@main/gpt-4o', '--header', 'x-fault: 1');
      expect(JSON.parse(out)).toMatchObject({
        answer: { code: 'internal' },
        warnings: ['The gateway or a plugin failed: "over_loaded" is not an error code. Did you mean "overloaded"?'],
      });
    } finally {
      await ownFile.close();
    }
  });

  it('reports a plugin that fails for a later target, although the request goes to the first', async () => {
    const ownFile = await explainFile(`version: 1
providers: {main: {type: openai, api_key: sk-0123456789}}
plugins: [{use: ./fails.ts}, routing, transform, fallback-retry]
configs: {all: {strategy: {mode: fallback}, targets: [main/one, main/two, main/three]}}
`);
    await writeFile(
      join(ownFile.dir, 'fails.ts'),
      `export default { name: 'fails', options: { type: 'object' }, setup: () => ({
        prepare: (ctx: any, attempt: any) => { if (attempt.target.index === 1) throw new Error('no such index'); },
      }) };`,
    );
    const explanation = await ownFile.explain('--config-name', 'all').finally(() => ownFile.close());
    expect([explanation.answer, explanation.warnings]).toEqual([null, ['The gateway or a plugin failed: no such index']]);
    expect(explanation.targets.map(({ goes_here, problem }) => [goes_here, problem !== null])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it('names the plugin that cannot be set up', async () => {
    const ownFile = await explainFile('version: 1\nproviders: {m: {type: mock}}\nplugins: [{use: ./bad.ts}, routing, transform]\n');
    await writeFile(
      join(ownFile.dir, 'bad.ts'),
      `export default { name: 'bad', options: { type: 'object' }, setup: () => { throw new Error('no database'); } };`,
    );
    const result = await ownFile.text('--model', '@m/echo').finally(() => ownFile.close());
    expect(result).toMatchObject({ code: 3, out: '', err: 'error: plugin "bad" could not be set up: no database\n' });
  });

  it('prints no secret', async () => {
    const headers = [
      '--header',
      `x-gateway-api-key: ${gatewayKey}`,
      '--header',
      'authorization: Bearer sk-caller-1b2c3d4e5f6a7b8c9d0e',
      '--header',
      'cookie: session=canary-cookie',
    ];
    const callerHeaders = ['--header', 'x-gateway-provider: openai', '--header', 'authorization: Bearer caller-canary-000111222'];
    const runs = [
      [...headers],
      [...headers, '--as-curl'],
      [...headers, '--json'],
      [...headers, '--json', '--config-name', 'plans', '--assume', 'main=500'],
      [...headers, '--json', '--header', 'x-gateway-forward-headers: authorization,cookie'],
      [...key, '--json', '--model', '@aws/anthropic.claude-3-haiku-20240307-v1:0'],
      [...key, '--json', '--config-name', 'long'],
      [...key, '--config-name', 'long'],
      [...key, ...callerHeaders, '--json'],
      [...key, ...callerHeaders, '--as-curl'],
    ];
    for (const args of runs) {
      const { out, err } = await file.text(...args);
      expect(out + err).not.toMatch(/canary|literal-9b1e|4711|sk-caller/i);
      expect(out.length).toBeGreaterThan(50);
    }
  });

  it('prints at most 100 columns, except a URL', async () => {
    const { out } = await file.text(...key, '--config-name', 'plans', '--user', 'x'.repeat(400));
    const wrapped = out.split('\n').filter((line) => !line.startsWith('  url '));
    expect(Math.max(...wrapped.map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(out).toMatch(/→ target 1: no condition matches[^]*^target 1\.0 main\/gpt-4o-mini {3}← goes here/m);
    expect(out).toMatch(/gateway\.yaml:18$/m);
  });
});
