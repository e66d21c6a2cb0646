import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProcess, type Running } from '../cli/process.ts';
import { until } from '../support/gateway.ts';

let dir: string;
let running: Running | undefined;
const servers: Server[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'files-'));
});
afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  running = undefined;
  for (const server of servers.splice(0)) server.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Things that may exist at the path of a file. */
const kinds: Readonly<Record<string, (path: string) => void | Promise<unknown>>> = {
  'a pipe': (path) => void spawnSync('mkfifo', [path]),
  'a folder': (path) => mkdirSync(path),
  'an endless device': (path) => symlinkSync('/dev/zero', path),
  'a terminal': (path) => symlinkSync('/dev/ptmx', path),
  'a socket': (path) => {
    const server = createServer().listen(path);
    servers.push(server);
    return once(server, 'listening');
  },
  'a huge file': (path) => {
    writeFileSync(path, '');
    truncateSync(path, 1024 ** 4);
  },
  'a symbolic link to itself': (path) => symlinkSync(path, path),
};

/** The timeout of the test ends a command that hangs. */
function check(...args: readonly string[]): Running['ended'] {
  running = startProcess(['check', '--format', 'short', ...args], dir);
  return running.ended;
}

const problemOf: Readonly<Record<string, string>> = {
  'a pipe': 'it is a pipe, a socket or a device; only regular files are read',
  'a folder': 'it is a directory',
  'an endless device': 'it is a pipe, a socket or a device; only regular files are read',
  'a terminal': 'it is a pipe, a socket or a device; only regular files are read',
  'a socket': 'it is a pipe, a socket or a device; only regular files are read',
  'a huge file': 'it is too large',
  'a symbolic link to itself': 'its symbolic links form a cycle',
};

describe.each(Object.entries(kinds))('%s in place of a file', (kind, make) => {
  it('is rejected as the configuration file', async () => {
    await make(join(dir, 'odd'));
    const { code, out } = await check('-c', 'odd');
    expect(code).toBe(3);
    expect(out).toContain(`the file "odd" cannot be read (${problemOf[kind]})`);
  });

  it('is rejected for every setting that names a file, and for a pattern', async () => {
    await make(join(dir, 'odd'));
    mkdirSync(join(dir, 'conf'));
    if (kind !== 'a symbolic link to itself') symlinkSync(join(dir, 'odd'), join(dir, 'conf/odd.yaml'));
    writeFileSync(
      join(dir, 'gateway.yaml'),
      `version: 1
include: [odd, "conf/*.yaml"]
auth: {jwt: {issuer: https://issuer.example, audience: gw, jwks: ./odd}}
providers: {a: {type: openai, api_key: "\${file:odd}"}}
plugins: [{use: ./odd}]
`,
    );
    const { code, out } = await check();
    expect(code).toBe(3);
    const lines = out.split('\n').filter((line) => line.includes(problemOf[kind] ?? '?') || line.includes('it is'));
    expect(lines.map((line) => line.split(':').slice(1, 2).join())).toEqual(expect.arrayContaining(['2', '3', '4']));
    expect(out).toMatch(/gateway\.yaml:5:\d+: error: the file cannot be (loaded|read)/);
  });
});

describe('files that are replaced while the gateway runs', () => {
  it('by pipes are rejected, the gateway keeps serving, and later regular files are loaded', async () => {
    writeFileSync(join(dir, 'secret'), 'sk-secret-of-the-provider');
    const yaml = (name: string): string => `version: 1
providers: {${name}: {type: mock}, a: {type: openai, api_key: "\${file:secret}"}}
`;
    writeFileSync(join(dir, 'gateway.yaml'), yaml('one'));
    running = startProcess(['start', '--listen', '127.0.0.1:0', '--log-format', 'json'], dir);
    const process = running;
    const [, url = ''] = await process.waitForOutput(/"url":"([^"]+)"/);
    const hello = async (name: string): Promise<number> => {
      const body = JSON.stringify({ model: `@${name}/echo`, messages: [{ role: 'user', content: 'x' }] });
      return (await fetch(`${url}/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status;
    };
    for (const file of ['secret', 'gateway.yaml']) {
      spawnSync('mkfifo', [join(dir, 'pipe')]);
      renameSync(join(dir, 'pipe'), join(dir, file));
      const before = process.out().split('"config NOT reloaded"').length;
      // Each signal reads the files on a thread that the log also needs.
      for (let n = 0; n < 6; n += 1) process.child.kill('SIGHUP');
      await until(() => process.out().split('"config NOT reloaded"').length > before, 'the complaint');
      expect(await hello('one')).toBe(200);
    }
    for (const [file, text] of [
      ['secret', 'sk-secret-of-the-provider'],
      ['gateway.yaml', yaml('two')],
    ] as const) {
      writeFileSync(join(dir, 'new'), text);
      renameSync(join(dir, 'new'), join(dir, file));
    }
    await process.waitForOutput(/"msg":"config reloaded"/);
    expect(await hello('two')).toBe(200);
    process.child.kill('SIGTERM');
    expect((await process.ended).code).toBe(0);
  });
});

describe('configurations that would exhaust the memory', () => {
  const bomb = (levels: number): string =>
    Array.from(
      { length: levels },
      (_, i) => `  a${i}: &a${i} [${Array.from({ length: 10 }, () => (i === 0 ? 'x' : `*a${i - 1}`)).join(', ')}]`,
    ).join('\n');

  it.each([
    ['aliases that multiply', `version: 1\nx-bomb:\n${bomb(12)}\nproviders: {mock: {type: mock}}\n`, 'the aliases expand to more than'],
    ['deeply nested lists', `version: 1\nx-deep: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`, 'nested deeper than'],
    [
      'a pattern over the whole disk',
      'version: 1\ninclude: ["/**/*.no-such-name"]\nproviders: {mock: {type: mock}}\n',
      'the pattern searches more than',
    ],
  ])('are rejected: %s', async (_name, yaml, problem) => {
    writeFileSync(join(dir, 'gateway.yaml'), yaml);
    const { code, out } = await check();
    expect(code).toBe(3);
    expect(out).toContain(problem);
  });
});
