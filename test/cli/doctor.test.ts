import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { adminUrl } from '../admin/client.ts';
import { acquireLock } from '../../src/store/lock.ts';
import { openSqliteStore } from '../../src/store/log/sqlite/store.ts';
import { startTestGateway } from '../support/gateway.ts';
import { skipping } from '../support/skipping.ts';
import { startUpstream } from '../support/upstream.ts';
import { type RunResult, runHere } from './in-process.ts';

interface Report {
  readonly ok: boolean;
  readonly checks: readonly { readonly check: string; readonly state: string; readonly says: string; readonly fix: string | null }[];
}

const root = mkdtempSync(join(tmpdir(), 'doctor-'));
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => rmSync(root, { recursive: true }));

let folders = 0;
/** A folder with this configuration that every user may enter. */
function folderWith(yaml: string): string {
  folders += 1;
  const dir = join(root, String(folders));
  mkdirSync(dir);
  writeFileSync(join(dir, 'gateway.yaml'), `version: 1\n${yaml}`);
  return dir;
}

const doctor = (dir: string, args: readonly string[] = ['--offline'], env: Record<string, string> = {}): Promise<RunResult> =>
  runHere(['doctor', ...args], dir, { env });

/** The lines of one check, in the form `state message | fix`, and the exit code. */
async function checkLines(check: string, dir: string, args?: readonly string[], env?: Record<string, string>): Promise<[number, string[]]> {
  const { code, out } = await doctor(dir, ['--json', ...(args ?? ['--offline'])], env);
  const report = JSON.parse(out) as Report;
  expect(report.ok).toBe(code === 0);
  const lines = report.checks.filter((one) => one.check === check);
  return [code, lines.map(({ state, says, fix }) => `${state} ${says}${fix === null ? '' : ` | ${fix}`}`)];
}

const mock = 'providers: {mock: {type: mock}}\n';
const closedPort = 'http://127.0.0.1:1/v1';

it('gateway doctor prints one line for each check and leaves no files behind', async () => {
  const dir = folderWith(mock);
  const { code, out, err } = await doctor(dir);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out.split('\n').map((line) => line.slice(0, 4).trim())).toEqual([
    'ok',
    'ok',
    'ok',
    'ok',
    'ok',
    'ok',
    'skip',
    'ok',
    'ok',
    'ok',
    'ok',
    '',
  ]);
  expect(out).toMatch(
    /^ok {4}node \d+\.\d+\.\d+ \(needs 22\.19 or newer\)\nok {4}gateway\.yaml valid, 1 file, revision \w{7}; not compared/,
  );
  expect(out).toContain('ok    file watching works here (native events + 5 s poll)\n');
  expect(readdirSync(dir)).toEqual(['gateway.yaml']);
});

it('gateway doctor runs without a configuration', async () => {
  const dir = join(root, 'empty');
  mkdirSync(dir);
  const { code, out } = await doctor(dir);
  expect(code).toBe(0);
  expect(out).toMatch(/\nwarn {2}no configuration found.* {3}gateway init\n/);
  expect(out).toMatch(/\nskip {2}listeners: there is no configuration\n/);
});

describe('configuration check of gateway doctor', () => {
  it.each<[string, string, number, RegExp]>([
    [
      'that is invalid',
      'providers: {mock: {type: mok}}\n',
      1,
      /^fail gateway\.yaml is not valid, 1 error: gateway\.yaml:2:\d+: error: .* \| run gateway check/,
    ],
    [
      'with a warning',
      'providers: {main: {type: openai, api_key: sk-written-in-the-file-0123}}\n',
      0,
      /^ok gateway\.yaml valid, 1 file, 1 warning, /,
    ],
  ])('reports a configuration %s', async (_, yaml, code, line) => {
    const [exit, [first]] = await checkLines('config', folderWith(yaml));
    expect([exit, first]).toEqual([code, expect.stringMatching(line)]);
  });

  it('warns about a secret that is not set', async () => {
    const dir = folderWith('providers: {main: {type: openai, api_key: "${env:NOT_SET}"}}\n');
    const [code, lines] = await checkLines('config', dir);
    expect([code, lines[1]]).toEqual([0, expect.stringMatching(/^warn "main" is switched off, its secret is missing: NOT_SET \| set it/)]);
  });

  it('fails if the named file is missing', async () => {
    const [code, [first]] = await checkLines('config', root, ['-c', 'nowhere.yaml', '--offline']);
    expect([code, first]).toEqual([1, expect.stringMatching(/^fail nowhere\.yaml is not valid, 1 error: /)]);
    const [, lines] = await checkLines('permissions', root, ['-c', 'nowhere.yaml', '--offline']);
    expect(lines).toEqual(['skip permissions: nowhere.yaml cannot be read']);
  });

  it('compares the revision with the running gateway', async () => {
    const gateway = await startTestGateway(`version: 1\n${mock}`, { admin: true });
    closing.push(() => gateway.close());
    const env = {
      GATEWAY_ADMIN: adminUrl(gateway),
      GATEWAY_ADMIN_TOKEN: readFileSync(join(gateway.dir, '.gateway/admin-token'), 'utf8').trim(),
    };
    const { revision } = gateway.gateway.snapshot();
    const first = async (dir: string, from = env): Promise<string | undefined> => (await checkLines('config', dir, [], from))[1][0];
    expect(await first(gateway.dir)).toBe(`ok gateway.yaml valid, 1 file, revision ${revision} is the one running`);
    expect(await first(gateway.dir, { ...env, GATEWAY_ADMIN_TOKEN: 'not-the-token-of-it' })).toMatch(
      /^warn .*, but not compared with a running gateway: /,
    );
    expect(await first(folderWith(`${mock}configs: {a: {targets: [mock/echo]}}\n`))).toMatch(
      /^warn .*, but the gateway at \S+ runs \/.*gateway\.yaml \| name its file/,
    );
    writeFileSync(gateway.file, `${readFileSync(gateway.file, 'utf8')}configs: {a: {targets: [mock/echo]}}\n`);
    expect(await first(gateway.dir)).toMatch(new RegExp(`^warn .*, but the gateway at \\S+ runs revision ${revision} \\| gateway plan`));
  });

  it('reports that no gateway is running', async () => {
    const dir = folderWith(`server: {admin: {listen: "127.0.0.1:1"}}\n${mock}`);
    expect(await checkLines('config', dir, [])).toEqual([0, [expect.stringMatching(/^ok .*; no gateway runs$/)]]);
    const withAddress = await checkLines('config', dir, ['--admin', '127.0.0.1:1']);
    expect(withAddress).toEqual([0, [expect.stringMatching(/^warn .*no gateway at http:\/\/127\.0\.0\.1:1: nothing listens there \| /)]]);
  });
});

describe.skipIf(skipping(process.platform === 'win32' ? 'file modes are those of POSIX' : undefined))(
  'permission check of gateway doctor',
  () => {
    const literal = 'sk-written-in-the-file-0123456789';
    const yaml = `providers: {main: {type: openai, api_key: ${literal}}}\n`;

    it('warns, without printing the key, if every user can read a file with a key', async () => {
      chmodSync(root, 0o755);
      const dir = folderWith(yaml);
      chmodSync(dir, 0o755);
      chmodSync(join(dir, 'gateway.yaml'), 0o644);
      const { out, code } = await doctor(dir);
      expect(code).toBe(0);
      expect(out).toMatch(/\nwarn {2}gateway\.yaml is readable by every user and contains 1 secret in plain text +chmod o-r gateway\.yaml/);
      expect(out).not.toContain(literal);
    });

    it.each([
      ['the file', 0o755, 0o600],
      ['the folder', 0o700, 0o644],
    ])('accepts a key in a file if the mode of %s protects it', async (_, folderMode, fileMode) => {
      const dir = folderWith(yaml);
      chmodSync(join(dir, 'gateway.yaml'), fileMode);
      chmodSync(dir, folderMode);
      expect((await checkLines('permissions', dir))[1]).toEqual([
        'ok gateway.yaml contains 1 secret in plain text and is not readable by other users',
      ]);
    });
  },
);

describe('state directory check of gateway doctor', () => {
  it.each<[string, string, number, RegExp]>([
    ['storage in memory', 'state_dir: memory', 0, /^ok nothing is kept on disk/],
    ['a new folder', 'state_dir: new', 0, /^ok state directory new can be created, .* free; the request log may use 3 GB and has 0 B$/],
  ])('accepts %s', async (_, server, code, line) => {
    const [exit, lines] = await checkLines('state_dir', folderWith(`server: {${server}}\n${mock}`));
    expect([exit, lines]).toEqual([code, [expect.stringMatching(line)]]);
  });

  it.each<[string, number, RegExp]>([
    ['', 0, /^warn state directory gateway\.yaml is not writable \(it is not a directory\): requests are recorded in memory only \| make/],
    [', state_dir_required: true', 1, /^fail .*: the gateway does not start \| make gateway\.yaml writable/],
  ])('reports a file in place of the directory%s', async (more, code, line) => {
    const [exit, lines] = await checkLines('state_dir', folderWith(`server: {state_dir: gateway.yaml${more}}\n${mock}`));
    expect([exit, lines]).toEqual([code, [expect.stringMatching(line)]]);
  });

  const isRoot = process.getuid?.() === 0;
  it.skipIf(skipping(isRoot ? 'root may write in every folder' : undefined)).each([
    ['', 0, /^warn .* is not writable \(not allowed\): requests are recorded in memory only \| make/],
    [', state_dir_required: true', 1, /^fail .*: the gateway does not start \| make/],
  ])('reports a directory that is not writable%s', async (more, code, line) => {
    const dir = folderWith(`server: {state_dir: closed/state${more}}\n${mock}`);
    mkdirSync(join(dir, 'closed'), { mode: 0o500 });
    expect(await checkLines('state_dir', dir)).toEqual([code, [expect.stringMatching(line)]]);
  });

  it('warns if the free space is less than the request log may use', async () => {
    const dir = folderWith(`${mock}logging: {requests: {retention: {size: 1000TB}}}\n`);
    const [, lines] = await checkLines('state_dir', dir);
    expect(lines).toEqual([
      expect.stringMatching(/^warn .* the request log may use \d+ TB and has 0 B \| free .*, or lower logging\.requests\.retention\.size/),
    ]);
  });
});

describe('network check of gateway doctor', () => {
  it('reaches providers without a credential, and compares the system time', async () => {
    const upstream = await startUpstream((response) => void response.end());
    closing.push(() => upstream.close());
    const entry = `{type: openai, custom_host: "${upstream.url}/v1", api_key: sk-0123456789-0123456789}`;
    const dir = folderWith(`server: {admin: {listen: "127.0.0.1:1"}}\nproviders: {one: ${entry}, two: ${entry}, mock: {type: mock}}\n`);
    const [code, lines] = await checkLines('network', dir, []);
    expect(lines).toEqual([
      expect.stringMatching(`^ok ${upstream.host} reachable \\(\\d+ ms\\)$`),
      `ok system time within 1 s of ${upstream.host}`,
    ]);
    expect(code).toBe(0);
    expect(upstream.requests.map(({ method, url, headers }) => [method, url, headers.authorization])).toEqual([['HEAD', '/', undefined]]);
  });

  it('fails if the system time differs', async () => {
    const upstream = await startUpstream(
      // Some seconds more than an hour, because a date has whole seconds.
      (response) => void response.writeHead(404, { date: new Date(Date.now() - 3_610_000).toUTCString() }).end(),
    );
    closing.push(() => upstream.close());
    const dir = folderWith(
      `server: {admin: {listen: "127.0.0.1:1"}}\nproviders: {one: {type: openai, custom_host: "${upstream.url}/v1", api_key: sk-0123456789}}\n`,
    );
    const [code, lines] = await checkLines('network', dir, []);
    expect([code, lines[1]]).toEqual([1, expect.stringMatching(/^fail system time 1 h ahead of .* \| synchronize it/)]);
  });

  it.each<[string, string, Record<string, string>, RegExp]>([
    [
      'refuse connections',
      closedPort,
      {},
      /^fail 127\.0\.0\.1:1 not reachable: the connection was refused \| check that the service runs there$/,
    ],
    [
      'do not resolve',
      'http://nothing.invalid/v1',
      {},
      /^fail nothing\.invalid:80 not reachable: the name does not resolve \(ENOTFOUND\) \| check the name/,
    ],
    [
      'are behind a proxy',
      'https://nothing.invalid/v1',
      { HTTPS_PROXY: 'http://p:1' },
      /\| check the name and DNS, or set server\.egress\.proxy: \$\{env:HTTPS_PROXY\}/,
    ],
  ])('fails for providers that %s', async (_, host, env, line) => {
    const dir = folderWith(
      `server: {admin: {listen: "127.0.0.1:1"}}\nproviders: {one: {type: openai, custom_host: "${host}", api_key: sk-0123456789}}\n`,
    );
    const [code, lines] = await checkLines('network', dir, [], env);
    expect([code, lines]).toEqual([1, [expect.stringMatching(line), 'skip system time: no provider is reachable to compare it with']]);
  });

  it('connects through the proxy of the configuration', async () => {
    const dir = folderWith(
      `server: {admin: {listen: "127.0.0.1:1"}, egress: {proxy: "http://127.0.0.1:1"}}\nproviders: {one: {type: openai, custom_host: "https://nothing.invalid/v1", api_key: sk-0123456789}}\n`,
    );
    const [code, lines] = await checkLines('network', dir, []);
    expect([code, lines[0]]).toEqual([
      1,
      'fail nothing.invalid:443 not reachable: no connection to the proxy | check server.egress.proxy, or list the host in server.egress.no_proxy if it is reached directly',
    ]);
  });

  it('calls no provider with --offline or if all are disabled', async () => {
    const yaml = (more: string): string =>
      `server: {admin: {listen: "127.0.0.1:1"}}\nproviders: {mock: {type: mock}, one: {type: openai, custom_host: "${closedPort}", api_key: sk-0123456789${more}}}\n`;
    expect(await checkLines('network', folderWith(yaml('')))).toEqual([0, ['skip providers and system time: not checked with --offline']]);
    const [code, lines] = await checkLines('network', folderWith(yaml(', enabled: false')), []);
    expect([code, lines[0]]).toEqual([0, 'ok no provider needs the network']);
  });
});

describe('listener check of gateway doctor', () => {
  const hash = `sha256:${'0'.repeat(64)}`;
  it.each<[string, string, number, RegExp[]]>([
    [
      'on the loopback interface',
      '',
      0,
      [/^ok the data listener accepts local connections only/, /^ok the admin listener accepts local connections only$/],
    ],
    [
      'with server.open',
      'server: {listen: "0.0.0.0:8787", open: true, admin: {enabled: false}}\n',
      0,
      [/^warn 0\.0\.0\.0:8787 serves everybody .* \| gateway keys create/, /^ok admin listener is off$/],
    ],
    [
      'with keys and a token',
      `server: {listen: "0.0.0.0:8787", admin: {listen: "0.0.0.0:8788", token: "\${env:T}"}}\napi_keys: {app: {hash: "${hash}"}}\n`,
      0,
      [/^ok 0\.0\.0\.0:8787 requires an API key$/, /^ok admin listens on 0\.0\.0\.0:8788 and requires a token$/],
    ],
    [
      'on other interfaces without a key',
      'server: {listen: "0.0.0.0:8787"}\n',
      1,
      [/^fail 0\.0\.0\.0:8787 is reachable from other hosts and no API key/],
    ],
    [
      'of the admin API without a token',
      'server: {admin: {listen: "0.0.0.0:8788"}}\n',
      1,
      [/^fail the admin listener 0\.0\.0\.0:8788 .* \| set server\.admin\.token/],
    ],
  ])('reports listeners %s', async (_, yaml, code, lines) => {
    const result = await checkLines('listeners', folderWith(mock + yaml), ['--offline'], { T: 'a-token-of-the-admin' });
    expect(result).toEqual([code, lines.map((line) => expect.stringMatching(line))]);
  });
});

it('gateway doctor names the file of -c in the commands that it suggests', async () => {
  const args = ['--offline', '-c', 'gateway.yaml'];
  const [, [invalid]] = await checkLines('config', folderWith('providers: {mock: {type: mok}}\n'), args);
  expect(invalid).toMatch(/ \| run gateway check -c gateway\.yaml to see each/);
  const open = folderWith(`${mock}server: {listen: "0.0.0.0:8787", open: true}\n`);
  expect((await checkLines('listeners', open, args))[1][0]).toMatch(/ \| gateway keys create NAME -c gateway\.yaml, and/);
});

describe('request log check of gateway doctor', () => {
  const logLines = (dir: string, args?: readonly string[]): Promise<[number, string[]]> => checkLines('request_log', dir, args);

  it('reads the file, and fails with a hint if it is damaged', async () => {
    const dir = folderWith(mock);
    expect(await logLines(dir)).toEqual([0, ['ok request log .gateway/log.sqlite is created at the start']]);
    const path = join(dir, '.gateway/log.sqlite');
    await openSqliteStore(path).close();
    expect(await logLines(dir)).toEqual([0, ['ok request log .gateway/log.sqlite can be read']]);
    writeFileSync(path, 'no database'.repeat(100));
    expect(await logLines(dir)).toEqual([
      1,
      [expect.stringMatching(/^fail .*log\.sqlite: .* not a database \| The file is damaged\. Rename it/)],
    ]);
  });

  it('fails if Postgres cannot be reached', async () => {
    const dir = folderWith(`${mock}logging: {requests: {store: "postgres://u:pass-word@127.0.0.1:1/logs"}}\n`);
    const [code, lines] = await logLines(dir, []);
    expect([code, lines]).toEqual([
      1,
      [
        expect.stringMatching(
          /^fail request log in Postgres: The request log cannot be read: postgres 127\.0\.0\.1:1\/logs: .*ECONNREFUSED.* \| Requests are served; their records wait/,
        ),
      ],
    ]);
    expect(await logLines(dir)).toEqual([0, ['skip request log in Postgres: not connected (--offline)']]);
  });

  it('warns about another gateway in the state directory', async () => {
    const dir = folderWith(mock);
    mkdirSync(join(dir, '.gateway'));
    const lock = acquireLock(join(dir, '.gateway/lock'));
    const [code, lines] = await logLines(dir);
    expect([code, lines[1]]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(`^warn a gateway \\(pid ${process.pid} on .*\\) uses the state directory \\.gateway: .* \\| Stop it, or set another`),
      ),
    ]);
    lock?.release();
    expect((await logLines(dir))[1]).toHaveLength(1);
  });

  it('shows what the running gateway reports', async () => {
    const gateway = await startTestGateway(`version: 1\n${mock}`, { admin: true });
    closing.push(() => gateway.close());
    const token = readFileSync(join(gateway.dir, '.gateway/admin-token'), 'utf8').trim();
    const env = { GATEWAY_ADMIN: adminUrl(gateway), GATEWAY_ADMIN_TOKEN: token };
    await expect
      .poll(() => checkLines('request_log', gateway.dir, [], env))
      .toEqual([0, [expect.stringMatching(/^ok request log \.gateway\/log\.sqlite can be read$/)]]);
    const file = join(gateway.dir, '.gateway/log.sqlite');
    // The gateway may create the file again at once.
    await expect
      .poll(() => {
        rmSync(file, { force: true });
        mkdirSync(file);
        return true;
      })
      .toBe(true);
    await expect
      .poll(async () => (await checkLines('request_log', gateway.dir, [], env))[1])
      .toContainEqual(expect.stringMatching(/^warn the running gateway reports: /));
  });
});
