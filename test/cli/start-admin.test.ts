import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tryParseObject } from '../../src/core/json/scan.ts';
import { startProcess, run, type Running } from './process.ts';

let cwd: string;
let running: Running | undefined;
let occupied: Server | undefined;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'start-admin-'));
});
afterEach(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  running = undefined;
  occupied?.close();
  occupied = undefined;
  rmSync(cwd, { recursive: true, force: true });
});

const file = (server: string): void =>
  writeFileSync(join(cwd, 'admin.yaml'), `version: 1\nserver: {${server}}\nproviders: {mock: {type: mock}}\n`);
const listen = ['start', '-c', 'admin.yaml', '--listen', '127.0.0.1:0'];

/** The JSON log lines of a start, up to the line of a request, which follows all lines of the start. */
async function linesOf(args: readonly string[]): Promise<readonly (Readonly<Record<string, unknown>> | undefined)[]> {
  running = startProcess([...listen, ...args], cwd);
  const [, url = ''] = await running.waitForOutput(/"url":"(http[^"]*)"/);
  await fetch(`${url}/models`);
  await running.waitForOutput(/"msg":"request"/);
  return running.out().trim().split('\n').map(tryParseObject);
}

describe('gateway start without a terminal', () => {
  const warning = 'nobody can sign in to the dashboard and the admin API: there is no admin token';
  const any = ['--admin-listen', '127.0.0.1:0'];

  it.each([
    ['logs a warning if nobody can sign in', 'state_dir: memory', any, [warning]],
    ['logs no warning if a token is configured', 'state_dir: memory, admin: {token: tok-0123456789abcdef}', any, []],
    ['logs no warning with server.admin.open', 'state_dir: memory, admin: {open: true}', any, []],
    ['logs no warning if the state directory has a token', 'state_dir: state', any, []],
    ['logs no warning with --no-admin', 'state_dir: memory', ['--no-admin'], []],
  ])('%s', async (_name, server, args, expected) => {
    file(server);
    const warnings = (await linesOf(args)).filter((line) => line?.['level'] === 'warn');
    expect(warnings.map((line) => line?.['msg'])).toEqual(expected);
    if (expected.length > 0)
      expect(warnings[0]).toMatchObject({ dashboard: expect.stringMatching(/^http/), hint: expect.stringContaining('server.admin.token') });
    expect(running?.out()).not.toContain('#t=');
  });
});

describe('an admin address that is in use', () => {
  it.each([
    ['the flag', () => 'state_dir: memory', (address: string) => ['--admin-listen', address]],
    ['the file', (address: string) => `state_dir: memory, admin: {listen: "${address}"}`, () => []],
  ])('fails the start if it is set by %s', async (_name, server, flags) => {
    const address = `127.0.0.1:${await take(0)}`;
    file(server(address));
    const { code, err, out } = await run([...listen, ...flags(address)], cwd);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`error: Can't listen on ${address}: the address is in use`);
    expect(err).toContain('\n  --admin-listen and server.admin.listen choose another address.\n');
    expect(err).not.toContain('    at ');
  });

  it('only disables the dashboard if it is the default', async () => {
    await take(8788);
    file('state_dir: memory');
    const [warning, started] = await linesOf([]);
    expect(warning).toMatchObject({
      level: 'warn',
      listen: '127.0.0.1:8788',
      reason: "Can't listen on 127.0.0.1:8788: the address is in use.",
      hint: '--admin-listen and server.admin.listen choose another address.',
      msg: 'the dashboard is not served',
    });
    expect(warning).not.toHaveProperty('err');
    expect(started).toMatchObject({ dashboard: null });
  });
});

/** Listens on a port unless it is in use. @returns the port */
async function take(port: number): Promise<number> {
  occupied = createServer().listen(port, '127.0.0.1');
  // Rejects if the port is already in use, which is equivalent.
  await once(occupied, 'listening').catch(() => undefined);
  return (occupied.address() as AddressInfo | null)?.port ?? port;
}
