import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { runHere } from './in-process.ts';
import { startProcess, run } from './process.ts';

const cwd = mkdtempSync(join(tmpdir(), 'health-'));
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => rmSync(cwd, { recursive: true }));

/** A listener that is not a gateway. Resolves to its port, or to 0 for a socket. */
async function serve(listener: RequestListener, socket?: string): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => (socket === undefined ? server.listen(0, '127.0.0.1', resolve) : server.listen(socket, resolve)));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return socket === undefined ? (server.address() as AddressInfo).port : 0;
}

const body = (value: unknown, status = 200): RequestListener => {
  return (_request, response) => void response.writeHead(status).end(typeof value === 'string' ? value : JSON.stringify(value));
};

const loaded = { revision: '91bd0e7', loaded_at: '2026-11-22T09:31:40.012Z' };
const good = { status: 'ok', reasons: [], config: { state: 'ok', ...loaded } };
const failed = {
  ...good,
  config: { state: 'failed', ...loaded, failed_since: '2026-11-22T09:32:02.418Z', errors: 2, why: ['gateway.yaml:9:9 error: one', 'two'] },
};

describe('gateway health', () => {
  it.each([
    ['a ready gateway', body(good), [], 0, /^ready · URL · config ok: revision 91bd0e7, loaded 2026-11-22T09:31:40.012Z\n$/],
    [
      'a failed reload',
      body(failed),
      [],
      0,
      /^ready · URL · config reload failed since 2026-11-22T09:32:02.418Z \(2 errors\): revision 91bd0e7 of 2026-11-22T09:31:40.012Z serves\n {2}gateway.yaml:9:9 error: one\n {2}two\n$/,
    ],
    ['a failed reload with --strict', body(failed), ['--strict'], 1, /^ready · URL · config reload failed/],
    ['a ready gateway with --strict', body(good), ['--strict'], 0, /^ready/],
    [
      'a gateway that is stopping',
      body({ ...good, status: 'not ready', reasons: ['the gateway is stopping'] }, 503),
      [],
      1,
      /^not ready · URL · the gateway is stopping · config ok/,
    ],
    ['status 200 with "not ready"', body({ ...good, status: 'not ready' }), [], 1, /^not ready/],
    ['status 503 with "ok"', body(good, 503), [], 1, /^not ready/],
    [
      'a redirect',
      (_request, response) => void response.writeHead(302, { location: '/other' }).end(),
      [],
      1,
      /HTTP 302 without the response body/,
    ],
    ['another server', body('<html>hello</html>'), [], 1, /^unreachable · URL · HTTP 200 without the response body of a gateway\n/],
    ['an array', body([1]), [], 1, /without the response body of a gateway/],
    [
      'an incomplete body',
      (_request, response) => void response.write('{"status":'),
      ['--timeout', '200ms'],
      1,
      /no response within 200 ms/,
    ],
    ['no response', () => undefined, ['--timeout', '200ms'], 1, /no response within 200 ms/],
    ['a closed connection', (request) => void request.socket.destroy(), [], 1, /closed without a response/],
    ['a long body', body({ ...good, more: 'x'.repeat(70_000) }), [], 1, /without the response body of a gateway/],
    [
      'a deeply nested body',
      body(`{"status":"ok","config":${'['.repeat(20_000)}${']'.repeat(20_000)}}`),
      [],
      1,
      /without the response body of a gateway/,
    ],
    [
      'terminal control characters',
      body({ ...good, reasons: ['\u001b[2J\nready'] }, 503),
      [],
      1,
      /^not ready · URL · \ufffd\[2J ready · config/,
    ],
  ] satisfies [string, RequestListener, string[], number, RegExp][])(
    'prints the right state for %s',
    async (_name, listener, flags, code, output) => {
      const url = `http://127.0.0.1:${await serve(listener)}`;
      const result = await runHere(['health', '--url', url, ...flags], cwd);
      expect(result.out.replaceAll(`${url}/readyz`, 'URL')).toMatch(output);
      expect({ code: result.code, err: result.err }).toEqual({ code, err: '' });
    },
  );

  it('prints JSON with --json', async () => {
    const url = `http://127.0.0.1:${await serve(body(failed))}`;
    const { code, out } = await runHere(['health', '--url', url, '--json'], cwd);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ ready: true, url: `${url}/readyz`, status: 200, reasons: [], notes: [], config: failed.config });
    const { code: none, out: nothing } = await runHere(['health', '--url', 'unix:/nowhere.sock', '--json'], cwd);
    expect(none).toBe(1);
    expect(JSON.parse(nothing)).toEqual({
      ready: false,
      url: 'unix:/nowhere.sock',
      error: 'there is no such socket',
      reasons: [],
      notes: [],
      config: null,
    });
  });
});

describe('the address of gateway health', () => {
  const listening = (server: string): string => `version: 1\nserver: {${server}}\nproviders: {mock: {type: mock}}\n`;
  it.each<[string, (port: number) => string, { socket?: boolean }]>([
    ['server.listen', (port) => listening(`listen: "127.0.0.1:${port}"`), {}],
    ['a wildcard address', (port) => listening(`listen: "0.0.0.0:${port}"`), {}],
    ['server.probe_listen before server.listen', (port) => listening(`listen: "127.0.0.1:1", probe_listen: "127.0.0.1:${port}"`), {}],
    ['a reference', () => listening('listen: "127.0.0.1:${env:PORT}"'), {}],
    ['a file with a syntax error further down', (port) => `${listening(`listen: "127.0.0.1:${port}"`)}configs: {a: [}\n`, {}],
    ['a file with missing secrets', (port) => `${listening(`listen: "127.0.0.1:${port}"`)}api_keys: {a: {hash: "\${env:NO}"}}\n`, {}],
    ['a socket', () => listening('listen: "unix:SOCKET"'), { socket: true }],
    ['a socket with a mode', () => listening('listen: {unix: SOCKET, mode: "0660"}'), { socket: true }],
  ])('is read from %s', async (_name, yaml, { socket = false }) => {
    const path = join(cwd, 'gateway.sock');
    const port = await serve(body(good), socket ? path : undefined);
    writeFileSync(join(cwd, 'listen.yaml'), yaml(port).replaceAll('SOCKET', path));
    const { code, out } = await runHere(['health', '-c', 'listen.yaml'], cwd, { env: { PORT: String(port) } });
    expect(out).toMatch(/^ready/);
    expect(code).toBe(0);
  });

  it('is read from the file in GATEWAY_CONFIG and from included files', async () => {
    const port = await serve(body(good));
    writeFileSync(join(cwd, 'server.yaml'), `server: {listen: "127.0.0.1:${port}"}\n`);
    writeFileSync(join(cwd, 'main.yaml'), 'version: 1\ninclude: [server.yaml]\n');
    expect((await runHere(['health'], cwd, { env: { GATEWAY_CONFIG: 'main.yaml' } })).out).toMatch(/^ready/);
    expect((await runHere(['health', '--ready'], cwd, { env: { GATEWAY_CONFIG: 'main.yaml' } })).code).toBe(0);
  });

  it('prints the error of the configuration file if nothing responds', async () => {
    writeFileSync(join(cwd, 'unset.yaml'), listening('listen: "127.0.0.1:${env:PORT}"'));
    const { code, err } = await runHere(['health', '-c', 'unset.yaml'], cwd);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringMatching(/"127.0.0.1:" is not an address .*\n {2}unset.yaml:2: environment variable PORT is not set\n$/s),
    });
    writeFileSync(join(cwd, 'broken.yaml'), 'version: 1\nserver: {listen: "127.0.0.1:1"}\nconfigs: {a: [}\n');
    const { out } = await runHere(['health', '-c', 'broken.yaml'], cwd);
    expect(out).toMatch(/^unreachable · http:\/\/127.0.0.1:1\/readyz · nothing listens there\n {2}broken.yaml:3: .*\n {2}if the gateway/);
  });

  it.each([
    [['--url', 'ftp://host'], /"ftp:\/\/host" is not an address/],
    [['--url', 'http://user:word@host'], /is not an address/],
    [['--url', 'http://'], /is not an address/],
    [['--url', '127.0.0.1:0'], /a port that the system chose/],
    [['-c', 'nowhere.yaml'], /the file "nowhere.yaml" cannot be read/],
    [['-c', '-'], /standard input: name the address of the gateway with --url/],
    [['--timeout', '0s'], /not a duration from 1ms to 10m: "0s"/],
    [['--timeout', 'soon'], /not a duration from 1ms to 10m: "soon"/],
    [['--timeout', '2d'], /not a duration from 1ms to 10m: "2d"/],
  ])('exits with 2 for invalid options: %j', async (flags, message) => {
    const { code, out, err } = await runHere(['health', ...flags], cwd);
    expect(err).toMatch(message);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});

describe('gateway health of a running gateway', () => {
  it('prints ready, a failed reload, and unreachable after the gateway has stopped', async () => {
    const socket = join(cwd, 'real.sock');
    const file = join(cwd, 'gateway.yaml');
    const yaml = `version: 1\nserver: {listen: "unix:${socket}", state_dir: memory}\nproviders: {mock: {type: mock}}\n`;
    writeFileSync(file, yaml);
    const gateway = startProcess(['start', '--log-format', 'json'], cwd);
    await gateway.waitForOutput(/"msg":"gateway started"/);
    try {
      const first = await run(['health'], cwd);
      expect(first).toEqual({
        code: 0,
        out: expect.stringMatching(/^ready · unix:.* · config ok: revision [0-9a-f]{7}, loaded 2/),
        err: '',
      });
      writeFileSync(file, `${yaml}wrong: 1\n`);
      await gateway.waitForOutput(/config NOT reloaded/);
      const second = await run(['health', '--strict'], cwd);
      expect(second).toMatchObject({
        code: 1,
        out: expect.stringMatching(/config reload failed since .*\n {2}gateway.yaml:4:1 error: .*wrong/),
      });
    } finally {
      gateway.child.kill('SIGTERM');
      await gateway.ended;
    }
    expect(await run(['health'], cwd)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^unreachable · unix:.* · there is no such socket/),
    });
  });
});
