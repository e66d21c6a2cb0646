import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deadPort, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { aadsts, startTokenServer } from '../tokens/token-server.ts';
import { interrupt, runHere } from './in-process.ts';

const dirs: string[] = [];
afterAll(() => dirs.forEach((dir) => rmSync(dir, { recursive: true })));

function folder(yaml?: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'providers-'));
  dirs.push(dir);
  if (yaml !== undefined) writeFileSync(join(dir, 'gateway.yaml'), yaml);
  return dir;
}

const catalog = `version: 1
providers:
  main:
    type: openai
    name: Main account
    api_key: \${env:MAIN_KEY}
  azure-eu:
    type: azure-openai
    resource_name: contoso-eu
    api_key: sk-literal-0123456789
    deployments:
      chat: {deployment_id: d1, api_version: "2024-10-21", foundation_model: gpt-4o, api_key: "\${env:DEP_KEY:-sk-default}"}
  claude: {type: anthropic, api_key: "\${env:CLAUDE_KEY}"}
  sleeping: {type: openai, enabled: false}
`;

describe('gateway providers list and show', () => {
  const env = { MAIN_KEY: 'sk-main-0123456789' };

  it('list prints each provider with its host, models and state', async () => {
    const { code, out, err } = await runHere(['providers', 'list'], folder(catalog), { env });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n').map((line) => line.split(/ {3,}/))).toEqual([
      ['SLUG', 'TYPE', 'NAME', 'HOST', 'MODELS', 'STATE'],
      ['main', 'openai', 'Main account', 'api.openai.com', 'all', 'ok'],
      ['azure-eu', 'azure-openai', '-', 'contoso-eu.openai.azure.com', 'chat', 'ok'],
      ['claude', 'anthropic', '-', 'api.anthropic.com', 'all', 'off: CLAUDE_KEY is not set'],
      ['sleeping', 'openai', '-', 'api.openai.com', 'all', 'off: enabled: false'],
      [''],
    ]);
  });

  it.each([100, 60, 44])('list fits a terminal of %i columns', async (columns) => {
    const { out } = await runHere(['providers', 'list'], folder(catalog), { env, isTty: true, columns });
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(out.split('\n').map((line) => line.split(' ')[0])).toEqual(['SLUG', 'main', 'azure-eu', 'claude', 'sleeping', '']);
    expect(out).toContain('off: ');
  });

  it('list prints JSON with --json', async () => {
    const { out } = await runHere(['providers', 'list', '--json'], folder(catalog), { env });
    expect((JSON.parse(out) as unknown[])[2]).toMatchObject({ slug: 'claude', state: 'off', why: 'CLAUDE_KEY is not set', models: [] });
  });

  it('show prints origins and references, and no secret', async () => {
    const { code, out } = await runHere(['providers', 'show', 'azure-eu'], folder(catalog), { env });
    expect(code).toBe(0);
    expect(out).toMatch(/^azure-eu {3}azure-openai {3}gateway\.yaml:7\n/);
    expect(out).toMatch(/api_key +\(set in the file, not shown\) +gateway\.yaml:10\n/);
    expect(out).toMatch(/deployments\.chat\.api_key +\$\{env:DEP_KEY:-…\} +gateway\.yaml:12\n/);
    expect(out).not.toMatch(/sk-/);
    const result = await runHere(['providers', 'show', '@main', '--json'], folder(catalog), { env });
    expect(JSON.parse(result.out)).toMatchObject({ slug: 'main', line: 3, state: 'ok' });
    expect(result.out).toContain('${env:MAIN_KEY}');
    expect(result.out).not.toContain('sk-main');
  });

  it('show hides keys in URLs', async () => {
    const uri = 'https://r1.openai.azure.com/openai/deployments/d1/chat/completions?api-version=2024-10-21&api-key=urisecret-0123';
    const yaml = `version: 1\nproviders:\n  a: {type: azure-openai, api_key: "\${env:MAIN_KEY}", deployments: {x: {target_uri: "${uri}"}}}\n`;
    for (const flags of [[], ['--json']]) {
      const { out } = await runHere(['providers', 'show', 'a', ...flags], folder(yaml), { env });
      expect(out).toContain('?api-version=2024-10-21&api-key=…');
      expect(out).not.toContain('urisecret');
    }
  });

  it.each([
    [['providers', 'show', 'azure-ue'], 1, /Did you mean "azure-eu"/],
    [['providers', 'test', 'nobody'], 1, /no provider called "nobody"/],
    [['providers', 'show'], 2, /missing required argument/],
    [['providers', 'lst'], 2, /unknown command/],
    [['providers', 'test', '--timeout', 'soon'], 2, /not a duration/],
  ])('%j exits with %i', async (args, expected, message) => {
    const { code, err } = await runHere(args, folder(catalog), { env });
    expect({ code, err }).toEqual({ code: expected, err: expect.stringMatching(message) as unknown });
  });

  it('list exits with 3 for an invalid or missing file', async () => {
    expect(await runHere(['providers', 'list'], folder('version: 1\nprovider: {}\n'))).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringMatching(/unknown key "provider"/) as unknown,
    });
    expect(await runHere(['providers', 'list'], folder())).toMatchObject({ code: 3, err: expect.stringMatching(/looked for/) as unknown });
    expect(await runHere(['providers', 'list'], folder('version: 1\n'))).toMatchObject({ code: 0, out: '' });
  });
});

describe('gateway providers test', () => {
  let upstream: ScriptedUpstream;
  let dead: number;

  beforeAll(async () => {
    upstream = await startUpstream((response, { url, headers, method, body }) => {
      const key = String(headers['api-key'] ?? headers.authorization);
      const respondWithError = (status: number, code: string, message: string): void =>
        json(response, status, { error: { code, message } });
      if (key === 'Bearer sk-good-0123456789' || key === 'good-key') {
        if (method === 'GET') return json(response, 200, { object: 'list', data: [{ id: 'a' }, { id: 'b' }] });
        const { max_tokens: maxTokens } = JSON.parse(body.toString()) as { max_tokens: number };
        if (maxTokens !== 1) return respondWithError(400, 'invalid_value', 'one token is enough');
        if (url.includes('/d-gone/'))
          return respondWithError(404, 'DeploymentNotFound', 'The API deployment for this resource does not exist.');
        return json(response, 200, { id: 'c', object: 'chat.completion', choices: [] });
      }
      if (url.startsWith('/login/')) return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>sign in</html>');
      if (url.startsWith('/moved/')) return void response.writeHead(302, { location: 'https://elsewhere.example/v1/models' }).end();
      if (url.startsWith('/escape/')) return respondWithError(418, 'x', 'a \u001b[2J\u009b31m\u202eb');
      if (url.startsWith('/cut/')) return respondWithError(403, 'x', `${'x'.repeat(180)} ${key}`);
      if (url.startsWith('/wrong/')) return json(response, 200, { error: { message: 'no such key' } });
      if (key.includes('known')) return respondWithError(403, 'Forbidden', `The key ${key} may not do this`);
      return respondWithError(401, '401', 'Access denied due to invalid subscription key');
    });
    dead = await deadPort();
  });
  afterAll(() => upstream.close());

  const env = { GOOD: 'sk-good-0123456789', BAD: 'sk-bad-0123456789', KNOWN: 'sk-known-0123456789', AZURE: 'good-key' };
  const entries = (): string => `version: 1
providers:
  good: {type: openai, custom_host: ${upstream.url}/v1, api_key: "\${env:GOOD}"}
  bad: {type: openai, custom_host: ${upstream.url}/v1, api_key: "\${env:BAD}"}
  known: {type: openai, custom_host: ${upstream.url}/v1, api_key: "\${env:KNOWN}"}
  gone: {type: openai, custom_host: "http://127.0.0.1:${dead}/v1", api_key: "\${env:GOOD}"}
  unset: {type: openai, api_key: "\${env:NOBODY_SET_THIS}"}
  callers: {type: openai, auth: {mode: caller}}
  mock: {type: mock}
  azure:
    type: azure-openai
    custom_host: ${upstream.url}/openai
    api_key: \${env:AZURE}
    deployments:
      chat: {deployment_id: d1, api_version: "2024-10-21", foundation_model: gpt-4o}
      gone: {deployment_id: d-gone, api_version: "2024-10-21", foundation_model: gpt-4o}
      voice: {deployment_id: d3, api_version: "2024-10-21", foundation_model: whisper}
`;

  it('reports for each provider whether its credential works, and a fix', async () => {
    const { code, out, err } = await runHere(['providers', 'test'], folder(entries()), { env });
    expect({ code, err }).toEqual({ code: 1, err: '' });
    const lines = out.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | ').replace(/ \| \d+ ms$/, ''));
    expect(lines).toEqual([
      `good | ok | ${upstream.host} | key valid · 2 models`,
      `bad | FAIL | ${upstream.host} | 401 Access denied due to invalid subscription key`,
      ' | fix: check the key: it was revoked, or belongs to another service',
      `known | FAIL | ${upstream.host} | 403 The key Bearer *** may not do this`,
      ' | fix: give the key the permission to list models, or use a key of the right project',
      `gone | FAIL | 127.0.0.1:${dead} | connection refused`,
      ' | fix: check host, port and DNS, and that this machine may reach it',
      'unset | off | NOBODY_SET_THIS is not set',
      'callers | off | each caller sends the credential',
      'mock | ok | - | responds without a key',
      `azure | ok | ${upstream.host} | key valid · 2 models · 3 deployments not tested`,
      '',
    ]);
  });

  it.each([
    ['login', /FAIL .* 200 the response is not a JSON object\n +fix: check the host: its responses do not match this provider type\n/],
    ['wrong', /FAIL .* 200 the response is an error\n/],
    ['moved', /FAIL .* 302 .*\n +fix: the service redirects requests, and the gateway does not follow redirects: check the host\n/],
    ['escape', /FAIL .* 418 a \ufffd\[2J\ufffd31m\ufffdb\n/],
  ])('fails if the response is not that of a provider: %s', async (path, message) => {
    const yaml = `version: 1\nproviders:\n  a: {type: openai, custom_host: ${upstream.url}/${path}/v1, api_key: "\${env:BAD}"}\n`;
    const { code, out } = await runHere(['providers', 'test'], folder(yaml), { env });
    expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(message) as unknown });
  });

  it('names the field of the auth mode that is wrong', async () => {
    const tokens = await startTokenServer();
    try {
      tokens.errorResponse = aadsts(7000222, 'The provided client secret keys for app c1 are expired.');
      tokens.expected = {
        method: 'POST',
        path: '/t1/oauth2/v2.0/token',
        parameters: {
          grant_type: 'client_credentials',
          client_id: 'c1',
          client_secret: 'sk-good-0123456789',
          scope: 'https://cognitiveservices.azure.com/.default',
        },
      };
      const entry = (slug: string, auth: string): string =>
        `  ${slug}: {type: azure-openai, custom_host: ${upstream.url}/openai, api_version: "2024-10-21", deployment_id: d1, auth: ${auth}}\n`;
      const yaml = `version: 1\nproviders:\n${[
        entry('app', `{mode: entra, tenant_id: t1, client_id: c1, client_secret: "\${env:GOOD}", authority: "${tokens.url}"}`),
        entry('pod', `{mode: workload_identity, tenant_id: t1, client_id: c1, token_file: /nowhere/token, authority: "${tokens.url}"}`),
        entry('unset', `{mode: workload_identity, authority: "${tokens.url}"}`),
        entry('machine', '{mode: managed_identity, client_id: id-1}'),
      ].join('')}`;
      const { code, out } = await runHere(['providers', 'test'], folder(yaml), {
        env: { ...env, IDENTITY_ENDPOINT: `${tokens.url}/msi`, IDENTITY_HEADER: 'h' },
      });
      expect(code).toBe(1);
      const sections = out.split(/\n(?=\w)/);
      const expected = [
        [/^app .*FAIL .*auth\.client_secret is expired \(.*AADSTS7000222/, /fix: .*auth\.client_secret of the provider/i],
        [/^pod .*FAIL .*auth\.token_file names a file that cannot be read/, /fix: .*auth\.token_file of the provider/i],
        [/^unset .*FAIL .*AZURE_FEDERATED_TOKEN_FILE is not set/, /fix: .*auth\.token_file of the provider/i],
        [/^machine .*FAIL .*auth\.client_id names no identity/, /fix: .*auth\.client_id of the provider/i],
      ] as const;
      expect(sections).toHaveLength(expected.length);
      for (const [n, [line, fix]] of expected.entries()) {
        expect(sections[n]).toMatch(line);
        expect(sections[n]).toMatch(fix);
      }
      expect(out).not.toMatch(/sk-good|nowhere/);
      const json = JSON.parse((await runHere(['providers', 'test', 'app', '--json'], folder(yaml), { env })).out) as object[];
      expect(json).toMatchObject([{ slug: 'app', state: 'fail', says: expect.stringContaining('auth.client_secret') as unknown }]);
    } finally {
      await tokens.close();
    }
  });

  it('hides a secret that is cut off at the end of the line', async () => {
    const yaml = `version: 1\nproviders:\n  cut: {type: openai, custom_host: ${upstream.url}/cut/v1, api_key: "\${env:OWN}"}\n`;
    const { out } = await runHere(['providers', 'test'], folder(yaml), { env: { OWN: 'letters-of-a-secret' } });
    expect(out).toMatch(/FAIL .* 403 x+ Bearer /);
    expect(out).not.toContain('letters');
  });

  it('requests one token from each deployment with --deep', async () => {
    const before = upstream.requests.length;
    const { code, out } = await runHere(['providers', 'test', 'azure', '--deep'], folder(entries()), { env });
    expect(code).toBe(1);
    expect(out).toMatch(/FAIL .* 1 of 2 deployments; "gone": 404 The API deployment for this resource does not exist\n/);
    expect(out).toMatch(/fix: check deployment_id and api_version/);
    expect(upstream.requests.slice(before).map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /openai/models?api-version=2024-10-21',
      'POST /openai/deployments/d1/chat/completions?api-version=2024-10-21',
      'POST /openai/deployments/d-gone/chat/completions?api-version=2024-10-21',
    ]);
  });

  it('prints JSON, and exits with 0 if no provider fails', async () => {
    const { code, out } = await runHere(['providers', 'test', 'good', 'unset', '--json'], folder(entries()), { env });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject([
      { slug: 'good', state: 'ok', status: 200, models: 2, fix: null },
      { slug: 'unset', state: 'off', says: 'NOBODY_SET_THIS is not set' },
    ]);
  });

  it('fails after --timeout', async () => {
    const silent = await startUpstream(() => {});
    try {
      const yaml = `version: 1\nproviders:\n  slow: {type: openai, custom_host: ${silent.url}/v1, api_key: "\${env:GOOD}"}\n`;
      const { code, out } = await runHere(['providers', 'test', '--timeout', '200ms'], folder(yaml), { env });
      expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(/FAIL .*no response within 200 ms\n.*--timeout/) as unknown });
    } finally {
      await silent.close();
    }
  });
});

describe('gateway providers add', () => {
  const azure = [
    'providers',
    'add',
    'azure-openai',
    '--no-input',
    '--slug',
    'azure-eu',
    '--name',
    'Azure, Europe',
    '--set',
    'resource_name=contoso-eu',
    '--set',
    'deployments.gpt-4o.deployment_id=chat',
    '--set',
    'deployments.gpt-4o.api_version=2024-10-21',
    '--key-env',
    'AZURE_KEY',
  ];

  it('adds a provider and keeps the rest of the file byte for byte', async () => {
    const before = 'version: 1 # one\nproviders:\n  mock: {type: mock} # two\n\n# three\n';
    const cwd = folder(before);
    const { code, out, err } = await runHere(azure, cwd, { env: { AZURE_KEY: 'x' } });
    expect({ code, out }).toEqual({ code: 0, out: 'added to ./gateway.yaml: providers.azure-eu\n' });
    expect(err).toMatch(/no foundation_model/);
    expect(readFileSync(join(cwd, 'gateway.yaml'), 'utf8')).toBe(
      before.replace(
        '# two\n',
        `# two
  azure-eu:
    type: azure-openai
    name: Azure, Europe
    resource_name: contoso-eu
    api_key: \${env:AZURE_KEY}
    deployments:
      gpt-4o:
        deployment_id: chat
        api_version: "2024-10-21"
`,
      ),
    );
    expect((await runHere(azure, cwd)).err).toMatch(/already has a provider "azure-eu"/);
    expect((await runHere(['check'], cwd, { env: { AZURE_KEY: 'x' } })).code).toBe(0);
  });

  it.each([
    [['deployments."gpt-4.1".deployment_id=a=b', 'deployments."gpt-4.1".api_version=2024-10-21'], /gpt-4\.1:\n +deployment_id: a=b\n/, ''],
    [['resource_name'], /^$/, '"resource_name" is not key=value'],
    [['=x'], /^$/, '"=x" is not key=value'],
    [['deployments..a=x'], /^$/, '"deployments..a" is not a path'],
    [['deployments."a=x'], /^$/, 'is not key=value'],
    [['__proto__.a=x'], /^$/, '"__proto__.a" is not a path'],
  ])('parses the path of --set %j', async (assignments, out, err) => {
    const set = assignments.flatMap((one) => ['--set', one]);
    const args = ['providers', 'add', 'azure-openai', '--no-input', '--dry-run', '--set', 'resource_name=a', '--key-env', 'K', ...set];
    const result = await runHere(args, folder());
    expect([result.code, result.out]).toEqual([err === '' ? 0 : 2, expect.stringMatching(out)]);
    expect(result.err).toContain(err);
  });

  it('names the file in the command to try, and the flag for a missing setting', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'my team.yaml'), 'version: 1\n');
    const { code, err } = await runHere(['providers', 'add', 'mock', '-c', 'my team.yaml', '--no-input'], cwd);
    expect({ code, err }).toEqual({ code: 0, err: "Try it: gateway providers test mock -c 'my team.yaml'\n" });
    expect(await runHere(['providers', 'add', 'azure-openai', '--no-input'], cwd)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^error: resource_name is missing .*\n.*\nFlag: --set resource_name=VALUE\n$/) as string,
    });
  });

  it('creates the file if it does not exist, from a URL', async () => {
    const cwd = folder();
    const uri = 'https://r1.services.ai.azure.com/anthropic/v1/messages';
    const { code, out, err } = await runHere(['providers', 'add', 'azure-ai', '--no-input', '--uri', uri], cwd);
    expect({ code, out }).toEqual({ code: 0, out: 'wrote ./gateway.yaml: providers.r1\n' });
    expect(
      err,
    ).toBe(`Set R1_API_KEY, and restart a gateway that runs without it: until then it rejects this configuration. --key-file needs no restart.
Try it: gateway providers test r1\n`);
    expect(readFileSync(join(cwd, 'gateway.yaml'), 'utf8')).toBe(
      `version: 1\n\nproviders:\n  r1:\n    type: azure-ai\n    resource_name: r1\n    format: messages\n    api_key: \${env:R1_API_KEY}\n`,
    );
  });

  it.each([
    ['a setting that the type does not have', 'version: 1\n', ['--set', 'resorce=1'], 2, /unknown key "resorce" \[unknown-key\]/],
    [
      'a provider that an included file defines',
      'version: 1\ninclude: [more.yaml]\n',
      ['--slug', 'far'],
      1,
      /^error: more\.yaml:2 already has a provider "far"/,
    ],
    [
      'a virtual key with the same name',
      'version: 1\nvirtual_keys: {far: {provider: m}}\nproviders: {m: {type: mock}}\n',
      ['--slug', 'far'],
      2,
      /far/,
    ],
    ['a file with a syntax error', 'version: 1\nproviders: {\n', [], 3, /is not valid YAML; run gateway check/],
    ['a duplicate key', 'version: 1\nversion: 1\n', [], 3, /is not valid YAML; run gateway check/],
    [
      'providers that are an alias',
      'version: 1\nx-all: &all {m: {type: mock}}\nproviders: *all\n',
      [],
      3,
      /^error: "providers" in .*gateway\.yaml is not written as a mapping there, .*\nAdd what --dry-run prints yourself\.\n$/,
    ],
    [
      'a dry run with a setting that the type does not have',
      'version: 1\n',
      ['--dry-run', '--set', 'foo=1'],
      2,
      /unknown key "foo" \[unknown-key\]/,
    ],
  ])('leaves the file unchanged for %s', async (_, before, args, code, message) => {
    const cwd = folder(before);
    writeFileSync(join(cwd, 'more.yaml'), 'providers:\n  far: {type: mock}\n');
    expect(await runHere(['providers', 'add', 'openai', '--no-input', ...args], cwd)).toEqual({
      code,
      out: '',
      err: expect.stringMatching(message) as unknown,
    });
    expect(readFileSync(join(cwd, 'gateway.yaml'), 'utf8')).toBe(before);
  });

  it('does not overwrite an edit that is made while it validates the file', async () => {
    const cwd = folder('version: 1\nplugins: [{use: ./edit.mjs}, routing, transform, fallback-retry]\n');
    const path = join(cwd, 'gateway.yaml');
    writeFileSync(
      join(cwd, 'edit.mjs'),
      `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(path)}, '# an edit\\n');
export default { name: 'edit', options: { type: 'object' }, setup: () => ({}) };`,
    );
    const result = await runHere(['providers', 'add', 'openai', '--no-input'], cwd);
    expect(result).toMatchObject({ code: 1, out: '', err: expect.stringContaining('gateway.yaml was changed in the meantime') });
    expect(readFileSync(path, 'utf8')).toMatch(/fallback-retry\]\n# an edit\n$/);
  });

  it.each([
    [['--key-file', './sa.json'], 'service_account: ${file:./sa.json}'],
    [['--set', 'service_account=${file:./sa.json}'], 'service_account: ${file:./sa.json}'],
    [['--key-env', 'SA'], 'service_account: ${env:SA}'],
    [[], 'service_account: ${env:VX_SERVICE_ACCOUNT}'],
    [['--set', 'ambient=true'], 'ambient: true'],
  ])('writes the credential to the right setting of the type: %j', async (args, line) => {
    const base = ['providers', 'add', 'vertex-ai', '--no-input', '--slug', 'vx', '--set', 'project=p', '--set', 'region=us', '--dry-run'];
    const { code, out } = await runHere([...base, ...args], folder());
    expect({ code, out }).toEqual({
      code: 0,
      out: `providers:\n  vx:\n    type: vertex-ai\n    project: p\n    region: us\n    ${line}\n`,
    });
  });

  it.each([
    [[], ['api_key: ${env:AWS_API_KEY}']],
    [['--key-env', 'AWS_BEARER_TOKEN_BEDROCK'], ['api_key: ${env:AWS_BEARER_TOKEN_BEDROCK}']],
    [
      ['--set', 'access_key_id=${env:AWS_ACCESS_KEY_ID}', '--key-env', 'AWS_SECRET_ACCESS_KEY'],
      ['access_key_id: ${env:AWS_ACCESS_KEY_ID}', 'secret_access_key: ${env:AWS_SECRET_ACCESS_KEY}'],
    ],
  ])('writes an access key id only together with a secret access key: %j', async (args, lines) => {
    const base = ['providers', 'add', 'bedrock', '--no-input', '--slug', 'aws', '--dry-run'];
    const { code, out } = await runHere([...base, ...args], folder());
    expect({ code, out }).toEqual({
      code: 0,
      out: `providers:\n  aws:\n    type: bedrock\n${lines.map((line) => `    ${line}\n`).join('')}`,
    });
  });

  it('lists all variables that are not set', async () => {
    const set = ['--set', 'region=us-east-1', '--set', 'access_key_id=${env:ID_OF_IT}', '--key-env', 'SECRET_OF_IT'];
    const { code, err } = await runHere(['providers', 'add', 'bedrock', '--no-input', '--slug', 'aws', ...set], folder());
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(/^Set ID_OF_IT and SECRET_OF_IT, and restart a gateway that runs without them: .*\nTry it: /) as unknown,
    });
  });

  it.each(['', '# comment\n'])('writes the version into a file without a key: %j', async (before) => {
    const cwd = folder(before);
    const { code, err } = await runHere(['providers', 'add', 'mock', '--no-input'], cwd);
    expect({ code, err }).toEqual({ code: 0, err: 'Try it: gateway providers test mock\n' });
    expect((await runHere(['check'], cwd)).code).toBe(0);
  });

  it('creates the file that a link names', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'etc'));
    symlinkSync('etc/of-the-host.yaml', join(cwd, 'gateway.yaml'));
    symlinkSync('loop.yaml', join(cwd, 'loop.yaml'));
    const add = ['providers', 'add', 'mock', '--no-input'];
    expect((await runHere(add, cwd)).code).toBe(0);
    expect(lstatSync(join(cwd, 'gateway.yaml')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(cwd, 'etc/of-the-host.yaml'), 'utf8')).toContain('mock:');
    expect((await runHere([...add, '-c', 'loop.yaml'], cwd)).err).toMatch(
      /loop\.yaml cannot be written \(its symbolic links form a cycle\)/,
    );
  });

  it('reports a file that cannot be written', async () => {
    const { code, out, err } = await runHere(['providers', 'add', 'openai', '--no-input', '-c', 'no/such/folder.yaml'], folder());
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/cannot be written \(no such directory\); nothing/) as unknown,
    });
  });

  it('adds a provider to a file that already has errors', async () => {
    const cwd = folder('version: 1\nproviders:\n  m: {type: mock, what: 1}\n');
    const { code, err } = await runHere(['providers', 'add', 'openai', '--no-input'], cwd);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/unknown key "what"/) as unknown });
    expect(readFileSync(join(cwd, 'gateway.yaml'), 'utf8')).toContain('openai:');
  });

  it('loses no provider if several commands write at the same time', async () => {
    const dir = folder('version: 1\nproviders:\n  mock: {type: mock}\n');
    const types = ['groq', 'mistral', 'xai'];
    const result = await Promise.all(types.map((type) => runHere(['providers', 'add', type, '--no-input'], dir)));
    const text = readFileSync(join(dir, 'gateway.yaml'), 'utf8');
    const added = types.filter((_, i) => result[i]?.code === 0);
    expect(types.filter((type) => text.includes(`type: ${type}`))).toEqual(added);
    for (const { code, err } of result)
      if (code !== 0) expect(err).toBe('error: ./gateway.yaml was changed in the meantime\nNothing was written. Try again.\n');
  });

  it('prompts on a terminal for missing values, and never for a secret', async () => {
    const inputs = ['azure-us', '', '', 'contoso-us', 'gpt-4o', 'chat', '2024-10-21', 'gpt-4o', '', 'AZURE_US_KEY'];
    const { code, out, err } = await runHere(['providers', 'add', 'azure-openai', '--dry-run'], folder(), { answers: inputs });
    expect(code).toBe(0);
    expect(out).toBe(`providers:
  azure-us:
    type: azure-openai
    resource_name: contoso-us
    api_key: \${env:AZURE_US_KEY}
    deployments:
      gpt-4o:
        deployment_id: chat
        api_version: "2024-10-21"
        foundation_model: gpt-4o
`);
    expect(err).toMatch(/NAME of the variable that holds the key/);
  });

  it('exits without writing when the user interrupts', async () => {
    const cwd = folder('version: 1\n');
    const { code, out, err } = await runHere(['providers', 'add', 'openai'], cwd, { answers: ['main', interrupt] });
    expect({ code, out, err }).toEqual({
      code: 130,
      out: '',
      err: expect.stringMatching(/interrupted: nothing was written\n$/) as unknown,
    });
    expect(readFileSync(join(cwd, 'gateway.yaml'), 'utf8')).toBe('version: 1\n');
  });

  it.each([
    [['opena'], /Did you mean "openai"/],
    [['azure-openai'], /resource_name is missing/],
    [['openai', '--set', 'api_key=sk-0123456789'], /is a secret: write its reference/],
    [['azure-openai', '--set', 'deployments.a.api_key=sk-0123456789'], /is a secret/],
    [['openai', '--key-env', 'sk-0123456789'], /never enter the key itself/],
    [['openai', '--key-file', ''], /the path after --key-file is empty/],
    [['openai', '--key-file', '/run/a}b'], /the path after --key-file contains a brace/],
    [['openai', '--slug', 'Not A Slug'], /is not a slug/],
    [['openai', '--uri', 'https://r1.openai.azure.com/openai/v1'], /belongs to type azure-openai/],
  ])('rejects %j', async (args, message) => {
    const cwd = folder();
    const { code, out, err } = await runHere(['providers', 'add', ...args, '--no-input'], cwd);
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringMatching(message) as unknown });
    expect(err).not.toMatch(/sk-0123/);
  });
});
