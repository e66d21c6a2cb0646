import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ProcessResult, run } from '../cli/process.ts';
import { firstDayOfMonth } from '../../src/core/logs/day.ts';
import { sampleRecord } from '../../src/store/fixtures/sample.ts';
import { openSqliteStore } from '../../src/store/log/sqlite/store.ts';
import { entryOf, write } from '../logs/stores.ts';
import { projectFiles, readProjectFile } from '../repo/tree.ts';
import { runHere } from '../cli/in-process.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

/** The `keys` commands in a real folder: as a user runs them with a running gateway, in this process without one. */

const hashOf = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;
const issued = /gw_(?:live|test)_[0-9A-Za-z]{24}_[0-9A-Za-z]{4}/g;
const keyIn = ({ out }: ProcessResult): string => {
  const found = out.match(issued) ?? [];
  expect(found).toHaveLength(1);
  return found[0] ?? '';
};

const byHand = 'a-key-chosen-by-hand';
const yaml = `version: 1
include: [configs/*.yaml, keys.d/*.yaml]
providers: {mock: {type: mock}}   # the only one
configs:
  support: {targets: [mock/echo]}

api_keys:
  by-hand:     # old style
    hash: "${hashOf(byHand)}"  # made with sha256sum
    metadata: {team: web}
pricing: {mock/echo: {input: 1000000, output: 1000000}}
`;

describe('keys commands with a running gateway', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway(yaml, { watch: true, files: { 'keys.d/.gitkeep': '' } });
  });
  afterAll(() => gateway.close());

  const keys = (...args: string[]): Promise<ProcessResult> => run(['keys', ...args], gateway.dir);
  const send = async (key: string, model = '@mock/echo'): Promise<{ status: number; message: string; metadata: unknown }> => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'x' }] }),
    });
    const { error } = (await response.json()) as { error?: { message: string } };
    const record = await gateway.record(response.headers.get('x-request-id'));
    return { status: response.status, message: error?.message ?? '', metadata: record.metadata };
  };
  const reloads = (): number => gateway.events.filter(({ type }) => type === 'reloaded').length;
  const becomes = async (key: string, status: number): Promise<void> => {
    await expect.poll(async () => (await send(key)).status).toBe(status);
  };

  it('create a key that works as soon as it is written, and store only its hash', async () => {
    const created = await keys(
      'create',
      'app-web',
      '--models',
      'echo',
      '--metadata',
      'team=shop',
      'app=web',
      '--expires',
      '90d',
      '--write',
    );
    expect(created).toMatchObject({ code: 0, err: '' });
    const key = keyIn(created);
    await becomes(key, 200);
    expect(await run(['keys', 'verify'], gateway.dir, {}, `${key}\n`)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^"app-web": valid until /),
    });
    expect(await send(key)).toMatchObject({ metadata: { team: 'shop', app: 'web' } });
    expect((await send(key, '@mock/other')).message).toBe('Key "app-web" may not use model "other".');
    const file = join(gateway.dir, 'keys.d/app-web.yaml');
    expect(statSync(file).mode).toBe(statSync(join(gateway.dir, 'gateway.yaml')).mode);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(hashOf(key));
    expect(text).toContain(`prefix: ${key.slice(0, 12)}\n`);
    expect(text).not.toContain(key.slice(0, 16));
  });

  it('rotate a key with an overlap, and leave the rest of the file unchanged', async () => {
    const first = await keys('rotate', 'by-hand', '--overlap', '1h');
    const second = keyIn(first);
    await becomes(second, 200);
    expect((await send(byHand)).status).toBe(200);
    const edited = readFileSync(gateway.file, 'utf8');
    expect(edited.split('\n').filter((line) => !/hash:|previous:|prefix:/.test(line))).toEqual(
      yaml.split('\n').filter((line) => !line.includes('hash:')),
    );
    expect(edited).toContain('  # made with sha256sum\n');

    const listed = JSON.parse((await keys('list', '--json')).out) as {
      name: string;
      secrets: { prefix: string; until: string; last_used: string }[];
    }[];
    const listedKey = listed.find(({ name }) => name === 'by-hand');
    expect(listedKey?.secrets).toMatchObject([
      { prefix: second.slice(0, 12), until: null, last_used: expect.stringMatching(/^20/) },
      { prefix: null, until: expect.stringMatching(/Z$/), last_used: expect.stringMatching(/^20/) },
    ]);
    const rows = (await keys('list')).out.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(rows[0]).toEqual(['NAME', 'KEY', 'MAY USE', 'CREATED', 'EXPIRES', 'LAST USED', 'COST THIS MONTH']);
    expect(rows.some(([name, , , , , used]) => name === 'by-hand' && /^(?:now|\d+ (?:s|min) ago)$/.test(used ?? ''))).toBe(true);
    const costs = async (): Promise<string | undefined> =>
      /"name": "by-hand"[^]*?"cost_month_usd": "([\d.]+)"/.exec((await keys('list', '--json')).out)?.[1];
    await expect.poll(async () => Number(await costs())).toBeGreaterThanOrEqual(1);

    const third = keyIn(await keys('rotate', 'by-hand', '--overlap', '3s'));
    await becomes(third, 200);
    // A configuration is in effect before its reload is logged. One save is one reload: a created key and two rotations.
    await expect.poll(reloads).toBe(3);
    await becomes(second, 401);
    expect((await send(second)).message).toMatch(/"by-hand" was rotated, and this older secret of it expired on 20/);
    expect([(await send(third)).status, (await send(byHand)).status]).toEqual([200, 200]);
    expect(reloads()).toBe(3);

    const ended = await keys('rotate', 'by-hand', '--overlap', '0s');
    expect(ended.out).toContain('no longer valid. Secrets of earlier rotations work until their overlap ends');
    const fourth = keyIn(ended);
    await becomes(fourth, 200);
    await becomes(third, 401);
  });

  it('revoke a key at once, with all its secrets and by its name', async () => {
    const before = keyIn(await keys('create', 'job', '--write', '--json'));
    await becomes(before, 200);
    const after = keyIn(await keys('rotate', 'job'));
    await becomes(after, 200);
    expect(await keys('revoke', 'job')).toMatchObject({ code: 0, err: '' });
    await becomes(after, 401);
    for (const key of [before, after]) expect((await send(key)).message).toMatch(/^The gateway key "job" was revoked on 20/);
    expect(await keys('revoke', 'job')).toMatchObject({ code: 1, err: expect.stringMatching(/is already revoked/) });
    expect(await keys('rotate', 'job')).toMatchObject({ code: 1, err: expect.stringMatching(/is revoked.*\n.*keys create NAME/) });
    expect(await keys('create', 'job')).toMatchObject({ code: 1, err: expect.stringMatching(/already exists\nIt is revoked/) });
  });
});

describe('keys commands without a gateway', () => {
  let dir = '';
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  function folder(files: Readonly<Record<string, string>>): string {
    dir = mkdtempSync(join(tmpdir(), 'gateway-keys-'));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(dir, name, '..'), { recursive: true });
      writeFileSync(join(dir, name), text);
    }
    return dir;
  }

  it('print a key entry that is valid in gateway.yaml', async () => {
    const cwd = folder({ 'gateway.yaml': 'version: 1\nproviders: {mock: {type: mock}}\n' });
    const created = await runHere(['keys', 'create', 'app', '--providers', 'mock,type:openai', '--test', '--debug'], cwd);
    expect(created.code).toBe(0);
    expect(keyIn(created)).toMatch(/^gw_test_/);
    const entry = created.out.slice(created.out.indexOf('api_keys:'));
    expect(entry).toMatch(
      /^api_keys:\n {2}app:\n {4}hash: sha256:[0-9a-f]{64}\n {4}prefix: gw_test_....\n {4}created: 20.*Z\n {4}allow: \{providers: \[mock, type:openai\]\}\n {4}debug: true\n$/,
    );
    writeFileSync(join(cwd, 'gateway.yaml'), `version: 1\nproviders: {mock: {type: mock}}\n${entry}`);
    expect(await runHere(['check'], cwd)).toMatchObject({ code: 0 });
  });

  it('show the cost of a month whose records have been deleted', async () => {
    const text = `version: 1\nserver: {state_dir: state}\nproviders: {mock: {type: mock}}\napi_keys: {app: {hash: "${hashOf(byHand)}"}}\n`;
    const cwd = folder({ 'gateway.yaml': text, 'state/.gitkeep': '' });
    const store = openSqliteStore(join(cwd, 'state/log.sqlite'));
    const costing = (id: string, at: number) =>
      entryOf(sampleRecord({ id, at, key: 'app', cost: { usd: '1000000', source: null, prices: {} } }));
    const first = firstDayOfMonth(Date.now()) * 86_400_000;
    await write(store, [costing('req_before', first - 1), costing('req_first', first), costing('req_second', first)]);
    while (await store.retain({ age: 0, size: 1 }, Date.now()));
    await store.close();
    const listed = JSON.parse((await runHere(['keys', 'list', '--json'], cwd)).out) as { cost_month_usd: string }[];
    expect(listed.map(({ cost_month_usd: cost }) => cost)).toEqual(['2000000']);
  });

  it('show why the costs are missing if only they cannot be read', async () => {
    const text = `version: 1\nserver: {state_dir: state}\nproviders: {mock: {type: mock}}\napi_keys: {app: {hash: "${hashOf(byHand)}"}}\n`;
    const cwd = folder({ 'gateway.yaml': text, 'state/.gitkeep': '' });
    const path = join(cwd, 'state/log.sqlite');
    copyFileSync('src/store/log/sqlite/fixtures/version-6.sqlite', path);
    expect(await runHere(['keys', 'list'], cwd)).toMatchObject({
      code: 0,
      err: expect.stringMatching(
        /^warning: the use of keys is shown without the request log: state\/log\.sqlite cannot be read \(no such table: /,
      ),
    });
  });

  it('create the first key of a fresh clone in an included folder', async () => {
    const shipped = projectFiles().filter((file) => /^configs\/(?!examples|schema)/.test(file));
    const gateway = await startTestGateway(readProjectFile('gateway.yaml'), {
      watch: true,
      files: Object.fromEntries(shipped.map((file) => [file, readProjectFile(file)])),
    });
    try {
      expect(await runHere(['check'], gateway.dir)).toMatchObject({ code: 0, out: expect.stringMatching(/ 0 keys, \d+ prompts? \(/) });
      const status = async (headers = {}): Promise<number> => (await fetch(`${gateway.url}/v1/models`, { headers })).status;
      expect(await status()).toBe(200);
      const created = await runHere(['keys', 'create', 'my-app', '--write'], gateway.dir);
      expect(created.out).toContain('written to configs/keys/my-app.yaml');
      await expect.poll(() => status()).toBe(401);
      expect(await status({ authorization: `Bearer ${keyIn(created)}` })).toBe(200);
    } finally {
      await gateway.close();
    }
  });

  it.each([
    [['--rate', '60/min'], 'limits: {rate: 60/min}', { rate: '60/min' }],
    [
      ['--concurrency', '20', '--budget', '50USD/month', '--tokens', '200k/min', '--rate', '1.5k/h'],
      'limits: {rate: 1.5k/h, tokens: 200k/min, budget: 50USD/month, concurrency: 20}',
      { rate: '1.5k/h', tokens: '200k/min', budget: '50USD/month', concurrency: 20 },
    ],
    [['--budget', '0.5 USD/day'], 'limits: {budget: 0.5 USD/day}', { budget: '0.5 USD/day' }],
  ])('write the limits of %j to the entry', async (flags, line, limits) => {
    const cwd = folder({ 'gateway.yaml': yaml, 'keys.d/.gitkeep': '' });
    const printed = await runHere(['keys', 'create', 'app', ...flags], cwd);
    expect(printed).toMatchObject({ code: 0, err: '', out: expect.stringContaining(`\n    ${line}\n`) });
    const written = await runHere(['keys', 'create', 'app', ...flags, '--write', '--json'], cwd);
    expect(JSON.parse(written.out)).toMatchObject({ limits });
    expect(readFileSync(join(cwd, 'keys.d/app.yaml'), 'utf8')).toContain(`\n    ${line}\n`);
    expect(await runHere(['check'], cwd)).toMatchObject({ code: 0 });
  });

  it('work in a folder whose name looks like a glob pattern', async () => {
    const files = {
      'gateway (copy) [1]/gateway.yaml':
        'version: 1\ninclude: [./keys/*.yaml]\nproviders: {mock: {type: mock}}\nconfigs: {main: {provider: mock}}\n',
      'gateway (copy) [1]/keys/.gitkeep': '',
    };
    const cwd = folder(files);
    const at = ['-c', 'gateway (copy) [1]/gateway.yaml'];
    const created = await runHere(['keys', 'create', 'app', '--configs', 'main', '--write', ...at], cwd);
    expect(created).toMatchObject({ code: 0, err: expect.stringMatching(/^note: it is the first key: .*\n$/) });
    expect(created.out).toContain('written to gateway (copy) [1]/keys/app.yaml');
    expect(await runHere(['keys', 'rotate', 'app', '--overlap', '1h', ...at], cwd)).toMatchObject({ code: 0, err: '' });
    expect((await runHere(['keys', 'list', ...at], cwd)).out).toContain('older secret');
  });

  it('write JSON with --json', async () => {
    const cwd = folder({ 'gateway.yaml': 'version: 1\ninclude: ["configs/keys/*.yml"]\nproviders: {mock: {type: mock}}\n' });
    const created = JSON.parse((await runHere(['keys', 'create', 'app', '--write', '--json'], cwd)).out) as Record<string, string>;
    expect(created).toMatchObject({ name: 'app', hash: hashOf(created['key'] ?? ''), file: 'configs/keys/app.yml' });
    const revoked = JSON.parse((await runHere(['keys', 'revoke', 'app', '--json'], cwd)).out) as object;
    expect(revoked).toEqual({ name: 'app', revoked: expect.stringMatching(/Z$/), file: 'configs/keys/app.yml' });
  });

  const plain = { 'gateway.yaml': yaml };
  const refusals: readonly [what: string, files: Record<string, string>, args: string[], code: number, says: RegExp][] = [
    ['a name that is already used', plain, ['create', 'by-hand'], 1, /"by-hand" already exists\n.*keys rotate by-hand/],
    ['an invalid name', plain, ['create', '../name'], 2, /is not a valid key name/],
    [
      'a config that does not exist',
      plain,
      ['create', 'x', '--configs', 'suport', '--write'],
      1,
      /no config called "suport"\ndid you mean "support"/,
    ],
    ['a provider that does not exist', plain, ['create', 'x', '--providers', 'mok'], 1, /no provider called "mok"/],
    ['a list without names', plain, ['create', 'x', '--models', ','], 2, /--models is empty/],
    ['--enforce-config without a config', plain, ['create', 'x', '--enforce-config'], 1, /"default_config" is missing/],
    ['metadata without a name', plain, ['create', 'x', '--metadata', 'web'], 2, /name=value/],
    ['an expiry that is not a time', plain, ['create', 'x', '--expires', 'soon'], 2, /expires must be a duration or a date/],
    ['an expiry after the year 9999', plain, ['create', 'x', '--expires', '3000000d'], 2, /expires 3000000d is after the year 9999/],
    [
      'an expiry that is not a calendar date',
      plain,
      ['create', 'x', '--expires', '100000000d'],
      2,
      /expires 100000000d is after the year 9999/,
    ],
    ['an expiry in the past', plain, ['create', 'x', '--expires', '2020-01-01'], 2, /is in the past/],
    ['a rate without a period', plain, ['create', 'x', '--rate', '60'], 2, /^error: rate must be .*, not "60"\nFor example 60\/min\./],
    ['a rate below 1', plain, ['create', 'x', '--rate', '0.5/min'], 2, /rate must be a whole number of at least 1 /],
    [
      'a long period of tokens',
      plain,
      ['create', 'x', '--tokens', '200k/month'],
      2,
      /tokens must be .*, not "200k\/month"\nFor example 200k/,
    ],
    [
      'a budget in another currency',
      plain,
      ['create', 'x', '--budget', '50EUR/month'],
      2,
      /budget must be an amount in USD .*\n.*50USD\/month/,
    ],
    ['a concurrency of 0', plain, ['create', 'x', '--concurrency', '0'], 2, /concurrency must be a whole number from 1 to 1,000,000/],
    ['a concurrency that is not a number', plain, ['create', 'x', '--concurrency', 'few'], 2, /concurrency must be .*, not "few"/],
    [
      '--write without an included folder for keys',
      { 'gateway.yaml': yaml.replace(', keys.d/*.yaml', '') },
      ['create', 'x', '--write'],
      1,
      /Replace its include .*\n\n  include: \[configs\/\*\.yaml, configs\/keys\/\*\.yaml\]/,
    ],
    [
      '--write over an existing file',
      { ...plain, 'keys.d/x.yaml': '# mine\n' },
      ['create', 'x', '--write'],
      1,
      /keys\.d\/x\.yaml already exists and is not overwritten/,
    ],
    ['the name of an unknown key', plain, ['rotate', 'by-hnd'], 1, /no key is called "by-hnd"\..*"by-hand"/],
    ['an overlap without a unit', plain, ['rotate', 'by-hand', '--overlap', '24'], 2, /overlap must be a duration with a unit/],
    ['an infinite overlap', plain, ['rotate', 'by-hand', '--overlap', '9999d'], 2, /^error: overlap/],
    [
      'the edit of a key defined by a YAML anchor',
      { 'gateway.yaml': `version: 1\nx-a: &a {hash: "${hashOf(byHand)}"}\nproviders: {mock: {type: mock}}\napi_keys: {k: *a}\n` },
      ['rotate', 'k'],
      1,
      /gateway\.yaml:4 cannot be edited/,
    ],
    ['a file that is not readable', { 'gateway.yaml': 'a: [' }, ['list'], 3, /gateway\.yaml cannot be read/],
    ['a folder without a configuration', {}, ['list'], 3, /no configuration found/],
    ['a key on the command line', plain, ['verify', byHand], 2, /must be on standard input/],
    ['a key as a flag', plain, ['verify', `--key=${byHand}`], 2, /must be on standard input/],
    ['no key on standard input', plain, ['verify'], 2, /standard input is empty/],
  ];
  it.each(refusals)('reject %s', async (_name, files, args, code, message) => {
    const cwd = folder(files);
    const result = await runHere(['keys', ...args], cwd);
    expect(result).toMatchObject({ code, out: '' });
    expect(result.err).toMatch(message);
    expect(result.err).not.toContain(byHand);
    for (const [name, text] of Object.entries(files)) expect(readFileSync(join(cwd, name), 'utf8')).toBe(text);
  });

  it.each(['text', 'json'])('warn that a new key does not work if the configuration has other errors (%s)', async (form) => {
    const cwd = folder({ 'gateway.yaml': yaml.replace('mock/echo', 'mok/echo') });
    const created = await runHere(['keys', 'create', 'x', '--write', ...(form === 'json' ? ['--json'] : [])], cwd);
    expect(created).toMatchObject({
      code: 0,
      err: 'warning: the new key does not work yet, the configuration has 1 other error: gateway check\n',
    });
  });

  it.each(['expires', 'revoked'])('limit the overlap of an old secret to the end of its key (%s)', async (end) => {
    const soon = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
    const text = yaml.replace('    metadata:', `    ${end}: "${soon}"\n    metadata:`);
    const cwd = folder({ 'gateway.yaml': text, 'keys.d/.gitkeep': '' });
    const created = await runHere(['keys', 'rotate', 'by-hand'], cwd);
    expect(created).toMatchObject({ code: 0, err: '' });
    expect(created.out).toContain(`The old secret works until ${soon};`);
    expect(readFileSync(join(cwd, 'gateway.yaml'), 'utf8')).toContain(`until: ${soon}}]`);
  });

  it('do not need the secrets of providers', async () => {
    const cwd = folder({
      'gateway.yaml': `${yaml.replace('{mock: {type: mock}}', '{mock: {type: mock}, o: {type: openai, api_key: "${env:NOT_SET_HERE}"}}')}`,
    });
    expect(await runHere(['keys', 'create', 'x', '--write'], cwd)).toMatchObject({ code: 0, err: '' });
  });

  const validKey = 'gw_live_9f2cQ7h0Zk3vJm8tXw1bRn5s_';
  const verdicts: readonly [what: string, entry: string, key: string, code: number, words: RegExp, json: object][] = [
    ['a key', '', byHand, 0, /^"k": valid\n$/, { valid: true, state: 'active', name: 'k', secret: 'current', ends: null }],
    ['a key that will expire', ', expires: 2099-01-01', byHand, 0, /^"k": valid until 2099-01-01\n$/, { valid: true, ends: '2099-01-01' }],
    ['an expired key', ', expires: 2020-01-01', byHand, 1, /expired on 2020-01-01/, { valid: false, state: 'expired', name: 'k' }],
    ['a revoked key', ', revoked: 2020-01-01, expires: 2019-01-01', byHand, 1, /revoked on 2020-01-01/, { valid: false, state: 'revoked' }],
    [
      'an older secret',
      `, previous: [{hash: "${hashOf('a-secret-from-before')}", until: 2099-01-01}]`,
      'a-secret-from-before',
      0,
      /older secret, works until 2099/,
      { valid: true, secret: 'previous' },
    ],
    [
      'a replaced secret',
      `, previous: [{hash: "${hashOf('a-secret-from-before')}", until: 2020-01-01}]`,
      'a-secret-from-before',
      1,
      /older secret, which expired/,
      { valid: false, state: 'replaced' },
    ],
    [
      'an older secret of a key that ends before its overlap',
      `, expires: 2098-01-01, previous: [{hash: "${hashOf('a-secret-from-before')}", until: 2099-01-01}]`,
      'a-secret-from-before',
      0,
      /older secret, works until 2098/,
      { valid: true, secret: 'previous', ends: '2098-01-01' },
    ],
    ['a key that will be revoked', ', revoked: 2098-01-01, expires: 2099-01-01', byHand, 0, /valid until 2098/, { ends: '2098-01-01' }],
    [
      'a key chosen by hand that begins like an issued one',
      `, previous: [{hash: "${hashOf(`${validKey}by-hand`)}", until: 2099-01-01}]`,
      `${validKey}by-hand`,
      0,
      /works until 2099/,
      { valid: true, state: 'active', name: 'k' },
    ],
    [
      'an unknown key',
      '',
      'something-else-0123',
      1,
      /^unknown: this configuration has no such key/,
      { valid: false, state: 'unknown', name: null },
    ],
    ['a truncated key', '', validKey, 1, /checksum is wrong/, { valid: false, state: 'damaged' }],
    ['a mistyped key', '', `${validKey}0000`, 1, /checksum is wrong/, { valid: false, state: 'damaged' }],
    ['a token', '', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2ln', 1, /is a token \(JWT\)/, { valid: false, state: 'token' }],
  ];
  it.each(verdicts)('verify recognizes %s', async (_name, entry, key, code, lines, json) => {
    const cwd = folder({
      'gateway.yaml': `version: 1\nproviders: {mock: {type: mock}}\napi_keys: {k: {hash: "${hashOf(byHand)}"${entry}}}\n`,
    });
    const result = await runHere(['keys', 'verify'], cwd, { stdin: `${key}\n` });
    expect(result).toMatchObject({ code, err: '', out: expect.stringMatching(lines) });
    const machine = await runHere(['keys', 'verify', '--json'], cwd, { stdin: key });
    expect(JSON.parse(machine.out)).toMatchObject(json);
    expect(`${result.out}${machine.out}`).not.toContain(key);
  });

  const unreadable: readonly [what: string, files: Record<string, string>, says: RegExp][] = [
    ['a damaged log', { 'state/log.sqlite': 'no database' }, /state\/log\.sqlite cannot be read \(file is not a database\)/],
    ['a log of an earlier version', { 'state/log.sqlite': '' }, /state\/log\.sqlite cannot be read \(no such table: main.blocks\)/],
    ['a state directory that is a file', { state: '' }, /state\/log\.sqlite cannot be read \(no such directory\)/],
    ['a damaged spool', { 'state/spool/1-1-1.log/file': '' }, /state\/spool\/1-1-1\.log cannot be read \(it is a directory\)/],
  ];
  it.each(unreadable)('list warns that the last use may be missing: %s', async (_name, files, message) => {
    const cwd = folder({ 'gateway.yaml': `${yaml}server: {state_dir: ./state}\n`, ...files });
    const listed = await runHere(['keys', 'list', '--json'], cwd);
    expect(listed).toMatchObject({ code: 0, err: expect.stringMatching(message) });
    expect(JSON.parse(listed.out)).toMatchObject([{ name: 'by-hand', secrets: [{ last_used: null }] }]);
  });

  it('rotate and revoke say that a gateway does not apply a configuration with errors', async () => {
    const cwd = folder({
      'gateway.yaml': `version: 1\nproviders: {mock: {type: mock, typo: 1}}\napi_keys: {k: {hash: "${hashOf(byHand)}"}}\n`,
    });
    const rotated = await runHere(['keys', 'rotate', 'k'], cwd);
    expect(rotated).toMatchObject({
      code: 0,
      err: 'warning: the new secret does not work yet, the configuration has 1 other error: gateway check\n',
    });
    expect(rotated.out).not.toContain('at once');
    expect(await runHere(['keys', 'revoke', 'k'], cwd)).toEqual({
      code: 3,
      out: 'revoked api key "k" in gateway.yaml.\n',
      err: 'warning: a running gateway still accepts it, the configuration has 1 other error: gateway check\n',
    });
    expect(readFileSync(join(cwd, 'gateway.yaml'), 'utf8')).toContain('revoked: ');
  });

  it.each([100, 60, 44])('list fits a terminal of %i columns', async (columns) => {
    const entry = `hash: "${hashOf(byHand)}", prefix: gw_live_abcd, created: 2026-01-02, allow: {models: [gpt-4o, gpt-4o-mini]}`;
    const cwd = folder({
      'gateway.yaml': `version: 1\nproviders: {mock: {type: mock}}\napi_keys: {app-web: {${entry}, revoked: 2026-03-04T05:06:07Z}}\n`,
    });
    const { code, out } = await runHere(['keys', 'list'], cwd, { isTty: true, columns });
    expect(code).toBe(0);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(out).toMatch(/^app-web .*revoked 2026-03-04/m);
  });

  it.each([
    ['web', ['app-web', 'old-web']],
    ['APP gpt-4o', ['app-web']],
    ['revoked', ['old-web']],
    ['gw_live_abcd', ['app-web']],
  ])('list --find %j finds keys by words', async (words, names) => {
    const cwd = folder({
      'gateway.yaml': `version: 1
providers: {mock: {type: mock}}
api_keys:
  app-web: {hash: "${hashOf(byHand)}", prefix: gw_live_abcd, allow: {models: [gpt-4o]}}
  old-web: {hash: "${hashOf('old')}", revoked: 2026-03-04}
  batch: {hash: "${hashOf('batch')}"}
`,
    });
    const { out } = await runHere(['keys', 'list', '--json', '--find', words], cwd);
    expect((JSON.parse(out) as { name: string }[]).map(({ name }) => name)).toEqual(names);
    expect(await runHere(['keys', 'list', '--find', 'none'], cwd)).toEqual({
      code: 0,
      out: '',
      err: 'no key matches all of these words\n',
    });
  });

  it('list accepts a configuration without keys', async () => {
    const cwd = folder({ 'gateway.yaml': 'version: 1\nproviders: {mock: {type: mock}}\n' });
    expect(await runHere(['keys', 'list'], cwd)).toMatchObject({ code: 0, out: '', err: expect.stringMatching(/no keys are defined/) });
    expect((await runHere(['keys', 'list', '--json'], cwd)).out).toBe('[]\n');
  });
});
