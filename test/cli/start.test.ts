import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSpool } from '../../src/store/fixtures/read-spool.ts';
import { startProcess, run, type Running } from './process.ts';

let cwd: string;
let started: Running[];

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'start-'));
  started = [];
});

afterEach(async () => {
  for (const one of started) one.child.kill('SIGKILL');
  await Promise.all(started.map((one) => one.ended));
  rmSync(cwd, { recursive: true, force: true });
});

const anyPort = ['--listen', '127.0.0.1:0'];
const file = (text: string, name = 'gateway.yaml') => writeFileSync(join(cwd, name), text);
const mock = 'version: 1\nproviders: {mock: {type: mock}}\n';

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const running = startProcess(['start', ...args], cwd, env);
  started.push(running);
  return running;
}

/** The URL that a start with the pretty log format prints. */
async function urlOf(running: Running): Promise<string> {
  const [, url = ''] = await running.waitForOutput(/listening {2}(\S+)[^]*ready in/);
  return url;
}

async function chat(url: string, model: string, more: object = {}): Promise<Response> {
  return fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }], ...more }),
  });
}

describe('start without a configuration file', () => {
  it('serves the curl commands that it prints, and writes nothing to disk', async () => {
    const running = start([...anyPort, '--log-format', 'pretty'], { OPENAI_API_KEY: 'sk-not-to-be-shown' });
    const url = await urlOf(running);
    expect(running.out()).toContain('config     none found, serving with a mock provider');
    expect(running.out()).toContain('providers  mock · openai (from OPENAI_API_KEY)\n');
    const printed = [...running.out().matchAll(/curl (-N )?(\S+) [^]*?-d '(.*)'/g)];
    expect(printed).toHaveLength(2);
    for (const [, , at = '', body = ''] of printed) {
      const response = await fetch(at, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('hello');
    }
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    await running.waitForOutput(/200 {2}- +mock\/echo [^\n]*\n[^\n]*200 {2}- +mock\/echo /);
    running.child.kill('SIGTERM');
    const { code, out, err } = await running.ended;
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('stopped · 2 requests served');
    expect(out).not.toContain('sk-not-to-be-shown');
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('rejects a public address', async () => {
    const { code, err } = await run(['start', '--listen', '0.0.0.0:0'], cwd);
    expect(code).toBe(3);
    expect(err).toContain('serves only this machine');
  });
});

describe('start with a configuration file', () => {
  it('prints what it serves, and stores records that survive kill -9', async () => {
    file(`${mock}include: more.yaml\nconfigs: {unused: {targets: [mock/echo]}}\n`);
    file('virtual_keys: {team: {provider: mock}}\n', 'more.yaml');
    const running = start([...anyPort, '--log-format', 'pretty']);
    const url = await urlOf(running);
    expect(running.out()).toMatch(/config {5}\.\/gateway\.yaml \+ 1 included · revision [0-9a-f]{7}/);
    expect(running.out()).toContain('providers  mock        configs 1 · virtual keys 1 · no API keys: open to this machine\n');
    expect(running.out()).toContain(
      'pipeline   auth → virtual-key → feedback → prompts → routing → models → cache → transform → fallback-retry → logging\n',
    );
    expect(running.out()).toMatch(/ready in \d+\.\d\d s · watching 2 files/);
    const ids: unknown[] = [];
    for (const stream of [false, true, false]) {
      const response = await chat(url, '@mock/echo', { stream });
      await response.text();
      ids.push(response.headers.get('x-request-id'));
    }
    running.child.kill('SIGKILL');
    await running.ended;
    const spooled = readSpool(join(cwd, '.gateway/spool'));
    expect(spooled.map((entry) => entry.kind === 'record' && entry.record.id)).toEqual(ids);
  });

  it('logs JSON lines without a terminal', async () => {
    file(mock);
    const running = start(anyPort);
    const [line = ''] = await running.waitForOutput(/.*"gateway started".*\n/);
    const { url } = JSON.parse(line) as { url: string };
    await (await chat(url, '@mock/fail')).text();
    await running.waitForOutput(/"msg":"request"/);
    running.child.kill('SIGINT');
    const { code, out } = await running.ended;
    expect(code).toBe(0);
    const lines = out
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one) as Record<string, unknown>);
    expect(lines.map((one) => one.msg)).toEqual(['gateway started', 'request', 'stopping', 'stopped']);
    expect(lines[1]).toMatchObject({ level: 'info', provider: 'mock', model: { asked: '@mock/fail' } });
  });

  it('reloads on SIGHUP, and prints the errors of an invalid file', async () => {
    file(mock);
    const running = start([...anyPort, '--no-watch', '--log-format', 'pretty']);
    const url = await urlOf(running);
    expect(running.out()).not.toContain('watching');
    file(`${mock}configs: {support: {targets: [mock/echo]}}\n`);
    running.child.kill('SIGHUP');
    await running.waitForOutput(/config reloaded · revision [0-9a-f]{7} · \+configs\.support {2}\([^,]+, 0 requests interrupted\)/);
    file(`${mock}configs: {support: {targetz: [mock/echo]}}\n`);
    running.child.kill('SIGHUP');
    await running.waitForOutput(
      /config NOT reloaded, revision [0-9a-f]{7} keeps serving:\n {10}gateway\.yaml:3:\d+ error: unknown key "targetz" \(did you mean "targets"\?\)/,
    );
    expect((await chat(url, '@mock/echo')).status).toBe(200);
  });

  it('reloads when the file changes', async () => {
    file(mock);
    const running = start([...anyPort, '--log-format', 'pretty']);
    await urlOf(running);
    file(`${mock}configs: {support: {targets: [mock/echo]}}\n`);
    await running.waitForOutput(/config reloaded · revision [0-9a-f]{7} · \+configs\.support/);
  });

  it('reads standard input, or the file in GATEWAY_CONFIG', async () => {
    file(mock, 'other.yaml');
    const named = start([...anyPort, '--log-format', 'pretty'], { GATEWAY_CONFIG: 'other.yaml' });
    await urlOf(named);
    expect(named.out()).toContain('config     ./other.yaml · ');
    const piped = start([...anyPort, '--log-format', 'pretty', '-c', '-']);
    piped.child.stdin?.end(mock);
    await urlOf(piped);
    expect(piped.out()).toContain('config     standard input · ');
  });

  it('uses the log settings of the file, and flags override them', async () => {
    file(`${mock}logging: {level: warn, format: pretty}\n`);
    const quiet = start(anyPort);
    const url = await urlOf(quiet);
    await (await chat(url, '@mock/echo')).text();
    quiet.child.kill('SIGTERM');
    expect((await quiet.ended).out).not.toContain('mock/echo  ');
    const loud = start([...anyPort, '--log-level', 'info', '--log-format', 'json']);
    await loud.waitForOutput(/"gateway started"/);
  });
});

describe('start-up checks', () => {
  it('prints every error of the file', async () => {
    file('version: 1\nproviderz: {}\nserver: {lissen: 1}\n');
    const { code, out, err } = await run(['start'], cwd);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain('unknown key "providerz"');
    expect(err).toContain('did you mean "listen"?');
    expect(err).toContain('2 errors: the gateway did not start');
  });

  it('exits with 3 if the named file is missing', async () => {
    const { code, err } = await run(['start', '-c', 'gone.yaml'], cwd);
    expect(code).toBe(3);
    expect(err).toContain('"gone.yaml" cannot be read');
  });

  it.each([
    ['no key is defined on a public address', `${mock}server: {listen: "0.0.0.0:0"}\n`, 3],
    [
      'the state directory cannot be used',
      `${mock}server: {listen: "127.0.0.1:0", state_dir: gateway.yaml, state_dir_required: true}\n`,
      3,
    ],
  ])('exits with 3 and a hint if %s', async (_name, text, expected) => {
    file(text);
    const { code, out, err } = await run(['start'], cwd);
    expect({ code, out }).toEqual({ code: expected, out: '' });
    expect(err).toMatch(/^error: [^\n]+\n {2}[^\n]/);
  });

  it('succeeds on a public address with server.open', async () => {
    file(`${mock}server: {listen: "0.0.0.0:0", open: true}\n`);
    const running = start(['--log-format', 'pretty']);
    await urlOf(running);
    expect(running.out()).toContain('no API keys: open to everyone who can connect');
  });

  it('prints the process that uses the port, and the flag', async () => {
    const server = createTcpServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { code, err } = await run(['start', '--listen', `127.0.0.1:${port}`], cwd);
    server.close();
    expect(code).toBe(1);
    expect(err).toContain(`127.0.0.1:${port}`);
    expect(err).toContain('--listen');
    if (process.platform === 'linux') expect(err).toContain(`(process ${process.pid}: `);
  });
});

describe('stopping', () => {
  it('completes a running response, and a second signal exits immediately', async () => {
    file(
      `version: 1\nproviders: {mock: {type: mock, replies: {long: {text: "a b c d e f g h", chunks: 8, chunk_delay: 100ms}, endless: {text: "${'x'.repeat(600)}", chunks: 600, chunk_delay: 100ms}}}}\n`,
    );
    const running = start([...anyPort, '--log-format', 'pretty']);
    const url = await urlOf(running);
    const response = await chat(url, '@mock/long', { stream: true });
    running.child.kill('SIGTERM');
    expect(await response.text()).toContain('data: [DONE]');
    expect((await running.ended).code).toBe(0);

    const hasty = start([...anyPort, '--log-format', 'pretty']);
    const second = await chat(await urlOf(hasty), '@mock/endless', { stream: true });
    hasty.child.kill('SIGINT');
    await hasty.waitForOutput(/stopping on SIGINT/);
    hasty.child.kill('SIGINT');
    expect((await hasty.ended).code).toBe(130);
    await second.text().catch(() => '');
  });
});

describe('the probes', () => {
  it('answer on a listener of their own, whose address the start prints', async () => {
    file(mock);
    const running = start([...anyPort, '--probe-listen', '127.0.0.1:0', '--log-format', 'pretty']);
    const [, address] = await running.waitForOutput(/ probes {2}(127\.0\.0\.1:[1-9]\d*)\n/);
    await urlOf(running);
    expect((await fetch(`http://${address}/readyz`)).status).toBe(200);
  });
});
