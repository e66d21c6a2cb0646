import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../src/admin/api-types.ts';
import { adminRoutes } from '../../src/admin/routes/table.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { adminUrl, call, cookieOf } from './client.ts';

const tokens = { viewer: 'token-of-the-viewer-1', operator: 'token-of-the-operator', admin: 'token-of-the-admin-12' } as const;
const hash = createHash('sha256').update(tokens.operator).digest('hex');
const yaml = `version: 1
providers: {mock: {type: mock}}
server:
  admin:
    token: \${env:ADMIN_TOKEN}
    hosts: [gateway.example]
    users:
      vera: {role: viewer, token: "\${env:VIEWER_TOKEN}"}
      otto: {role: operator, token_hash: "sha256:${hash}"}
`;
const env = { ADMIN_TOKEN: tokens.admin, VIEWER_TOKEN: tokens.viewer };

let gateway: TestGateway;
let base: string;
beforeAll(async () => {
  gateway = await startTestGateway(yaml, { admin: true, env });
  base = adminUrl(gateway);
});
afterAll(() => gateway.close());

const ranks: readonly (Role | 'anyone')[] = ['anyone', 'viewer', 'operator', 'admin'];
/** Routes that would stop the gateway of this file if the call is allowed. */
const ending = new Set(['/api/drain']);

describe('each route', () => {
  const rows = adminRoutes().flatMap((route) => ranks.map((role) => ({ route, role })));
  it.each(rows.map(({ route, role }) => [route.method, route.path, role, route] as const))(
    '%s %s as %s: enforces the role of the route and sends the security headers',
    async (method, path, role, route) => {
      const mayCall = ranks.indexOf(role) >= ranks.indexOf(route.role);
      if (mayCall && ending.has(path)) return;
      const token = role === 'anyone' ? undefined : tokens[role];
      const sent = await call(base, path.replaceAll(/\{\w+\}/g, 'none'), { method, token, isStream: route.limitMs === 0 });
      const expectedError = role === 'anyone' ? [401, 'sign_in_required'] : [403, 'not_allowed'];
      if (mayCall && route.role !== 'anyone') expect(String(sent.code)).not.toMatch(/sign_in_required|not_allowed/);
      if (!mayCall) expect([sent.status, sent.code]).toEqual(expectedError);
      expect(sent.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
      expect(sent.headers['content-security-policy']).toContain("default-src 'none'");
    },
  );

  it.each(adminRoutes().map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s has a description and a result for the docs',
    (_name, route) => {
      expect(route.about).toMatch(/^[A-Z].*\.$/);
      expect(route.returns).not.toBe('');
    },
  );
});

describe('request checks', () => {
  it.each([
    ['a foreign host', { host: 'evil.example' }, 403, 'host_not_allowed'],
    ['a foreign host that starts with 127.0.0.1', { host: '127.0.0.1.evil.example' }, 403, 'host_not_allowed'],
    ['an invalid host', { host: '127.0.0.1/../' }, 403, 'host_not_allowed'],
    ['a host of server.admin.hosts', { host: 'gateway.example:8788' }, 200, undefined],
    ['localhost', { host: 'localhost:1' }, 200, undefined],
    ['an IPv6 loopback address', { host: '[::1]:8788' }, 200, undefined],
    ['the Origin of another host', { origin: 'https://evil.example' }, 403, 'origin_not_allowed'],
    ['the Origin of another port', { host: '127.0.0.1:8788', origin: 'http://127.0.0.1:9999' }, 403, 'origin_not_allowed'],
    ['Origin: null (a sandboxed page)', { origin: 'null' }, 403, 'origin_not_allowed'],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }, 403, 'origin_not_allowed'],
    ['Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site' }, 403, 'origin_not_allowed'],
    [
      'the Origin of the dashboard',
      { host: '127.0.0.1:8788', origin: 'http://127.0.0.1:8788', 'sec-fetch-site': 'same-origin' },
      200,
      undefined,
    ],
  ])('checks Host and Origin: %s', async (_name, headers, status, code) => {
    const sent = await call(base, '/api/status', { token: tokens.admin, headers: headers as Record<string, string> });
    expect([sent.status, sent.code]).toEqual([status, code]);
  });

  it('rejects a POST without the header x-gateway-admin with 403', async () => {
    const { hostname, port } = new URL(base);
    const sent = await fetch(`http://${hostname}:${port}/api/session/link`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.admin}` },
    });
    expect(sent.status).toBe(403);
    expect(await sent.json()).toMatchObject({ error: { code: 'origin_not_allowed' } });
    expect((await call(base, '/api/session/link', { method: 'POST', token: tokens.admin })).status).toBe(200);
  });

  it.each([
    ['a body that is not JSON', { raw: '{"token":' }, 400, 'invalid_json'],
    ['an array', { raw: '[]' }, 400, 'invalid_json'],
    ['another content type', { raw: '{}', headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
    ['a body over 1 MB', { raw: `{"token":"${'x'.repeat(1024 * 1024)}"}` }, 413, 'body_too_large'],
    ['JSON nested too deeply', { raw: '{"a":'.repeat(2000) + '1' + '}'.repeat(2000) }, 400, 'json_too_complex'],
    ['a token of the wrong type', { raw: '{"token":7}' }, 400, 'invalid_type'],
    ['no body', {}, 400, 'missing_required_parameter'],
  ])('POST /api/session rejects %s', async (_name, request, status, code) => {
    const sent = await call(base, '/api/session', { method: 'POST', ...request });
    expect([sent.status, sent.code]).toEqual([status, code]);
  });

  it.each([
    ['GET', '/api/none', 404, 'route_not_found'],
    ['DELETE', '/api/status', 405, 'method_not_allowed'],
    ['GET', '/api/requests/%ff', 404, 'route_not_found'],
    ['POST', '/', 405, 'method_not_allowed'],
    ['GET', '/../../etc/passwd', 404, undefined],
  ])('%s %s is not a route (%d)', async (method, path, status, code) => {
    const sent = await call(base, path, { method, token: tokens.admin });
    expect(sent.code).toBe(code);
    if (code !== undefined) expect(sent.status).toBe(status);
    expect(sent.text).not.toContain('root:');
  });
});

describe('signing in', () => {
  it('sets an HttpOnly, SameSite=Strict cookie for a token and rejects it after signing out', async () => {
    const signed = await call(base, '/api/session', { method: 'POST', body: { token: tokens.viewer } });
    expect(signed.json).toMatchObject({ role: 'viewer', name: 'vera', is_open: false });
    expect(String(signed.headers['set-cookie'])).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    const cookie = cookieOf(signed);
    expect((await call(base, '/api/session', { cookie })).json).toMatchObject({ role: 'viewer' });
    expect((await call(base, '/api/status', { cookie })).status).toBe(200);
    await call(base, '/api/session', { method: 'DELETE', cookie });
    expect((await call(base, '/api/status', { cookie })).status).toBe(401);
  });

  it.each([
    ['unfinished bodies of sign-in requests', 'content-type: application/json'],
    ['unfinished bodies of requests with a token', `authorization: Bearer ${tokens.viewer}`],
  ])('is not blocked by %s; an aborted body is not logged as an internal error', async (_name, header) => {
    const port = Number(new URL(base).port);
    const head = `POST /api/session HTTP/1.1\r\nhost: 127.0.0.1\r\n${header}\r\nx-gateway-admin: 1\r\ncontent-length: 90\r\n\r\n{`;
    const endless: Socket[] = [];
    for (let i = 0; i < 40; i += 1) endless.push(connect(port, '127.0.0.1').on('error', () => {}));
    for (const socket of endless) socket.write(head);
    await Promise.all(endless.map((socket) => new Promise((resolve) => socket.write('"token"', resolve))));
    for (let i = 0; i < 20; i += 1)
      expect(await call(base, '/api/session', { method: 'POST', body: { token: tokens.viewer } })).toMatchObject({ status: 200 });
    for (const socket of endless) socket.destroy();
    for (let i = 0; i < 20; i += 1) expect((await call(base, '/api/status', { token: tokens.viewer })).status).toBe(200);
    expect(gateway.lines.filter((line) => line.includes('internal'))).toEqual([]);
  });

  it('sets a Secure cookie if the browser uses https', async () => {
    const headers = { 'x-forwarded-proto': 'https' };
    const signed = await call(base, '/api/session', { method: 'POST', body: { token: tokens.viewer }, headers });
    expect(String(signed.headers['set-cookie'])).toContain('; Secure');
  });

  it('ends the previous session of the browser, but not if the token is wrong', async () => {
    const first = cookieOf(await call(base, '/api/session', { method: 'POST', body: { token: tokens.admin } }));
    const failed = await call(base, '/api/session', {
      method: 'POST',
      cookie: first,
      body: { token: 'a-token-that-is-wrong-in-any-case-0001' },
    });
    expect([failed.status, (await call(base, '/api/status', { cookie: first })).status]).toEqual([401, 200]);
    const second = cookieOf(await call(base, '/api/session', { method: 'POST', cookie: first, body: { token: tokens.viewer } }));
    const statuses = [first, second].map(async (cookie) => (await call(base, '/api/status', { cookie })).status);
    expect(await Promise.all(statuses)).toEqual([401, 200]);
  });

  it('accepts a sign-in link only once', async () => {
    const { link } = (await call(base, '/api/session/link', { method: 'POST', token: tokens.admin })).json as { link: string };
    const signed = await call(base, '/api/session', { method: 'POST', body: { link } });
    expect(signed.json).toMatchObject({ role: 'admin' });
    expect((await call(base, '/api/status', { cookie: cookieOf(signed) })).status).toBe(200);
    expect((await call(base, '/api/session', { method: 'POST', body: { link } })).status).toBe(401);
  });

  it('ends sessions and links when the token that created them is removed', async () => {
    const linkOf = async (): Promise<string> =>
      ((await call(base, '/api/session/link', { method: 'POST', token: 'token-of-the-first-admin' })).json as { link: string }).link;
    await gateway.write(`${yaml}      ada: {role: admin, token: token-of-the-first-admin}\n`);
    await gateway.gateway.reload();
    const unused = await linkOf();
    const bodies = [{ token: tokens.operator }, { link: await linkOf() }];
    const cookies: string[] = [];
    for (const body of bodies) cookies.push(cookieOf(await call(base, '/api/session', { method: 'POST', body })));
    for (const cookie of cookies) expect((await call(base, '/api/status', { cookie })).status).toBe(200);
    await gateway.write(yaml.replace(/ {6}otto.*\n/, ''));
    await gateway.gateway.reload();
    for (const cookie of cookies) expect((await call(base, '/api/status', { cookie })).status).toBe(401);
    expect((await call(base, '/api/session', { method: 'POST', body: { link: unused } })).status).toBe(401);
    await gateway.write(yaml);
    await gateway.gateway.reload();
  });

  it('returns 429 after 10 wrong tokens, except for long tokens that cannot be guessed', async () => {
    const long = 'token-of-the-viewer-that-nobody-guesses';
    const ownGateway = await startTestGateway(yaml, { admin: true, env: { ...env, VIEWER_TOKEN: long } });
    const at = adminUrl(ownGateway);
    const statuses: number[] = [];
    for (let i = 0; i < 12; i += 1)
      statuses.push((await call(at, '/api/session', { method: 'POST', body: { token: `wrong-token-${i}-xxxxx` } })).status);
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401));
    expect(statuses.slice(10)).toEqual([429, 429]);
    const late = await call(at, '/api/status', { token: tokens.admin });
    expect(late.status).toBe(429);
    expect(late.text).toContain(`Try again in ${String(late.headers['retry-after'])} seconds.`);
    expect((await call(at, '/api/status', { token: long })).status).toBe(200);
    expect((await call(at, '/api/status', { token: `${long}!` })).status).toBe(401);
    await ownGateway.close();
  });
});

describe('admin token', () => {
  it('is generated and stored in the state directory with mode 0600 if none is configured', async () => {
    const ownGateway = await startTestGateway('version: 1\nproviders: {mock: {type: mock}}\n', { admin: true });
    const path = join(ownGateway.dir, '.gateway/admin-token');
    const token = readFileSync(path, 'utf8').trim();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await call(adminUrl(ownGateway), '/api/status', { token })).status).toBe(200);
    await ownGateway.close();
  });

  it('is not written to the state directory if one is configured', () => {
    expect(() => statSync(join(gateway.dir, '.gateway/admin-token'))).toThrow('ENOENT');
  });

  it('is not needed with server.admin.open', async () => {
    const ownGateway = await startTestGateway('version: 1\nproviders: {mock: {type: mock}}\nserver: {admin: {open: true}}\n', {
      admin: true,
    });
    expect((await call(adminUrl(ownGateway), '/api/session')).json).toMatchObject({ is_open: true, role: 'admin' });
    expect((await call(adminUrl(ownGateway), '/api/status')).status).toBe(200);
    await ownGateway.close();
  });

  it.each([
    ['', 'server.admin.token nor server.admin.users is set'],
    ['server: {admin: {open: true}}', 'server.admin.open is set'],
  ])('is required if other hosts can reach the listener: %s', async (server, message) => {
    const starting = startTestGateway(`version: 1\nproviders: {mock: {type: mock}}\n${server}\n`, {
      admin: true,
      adminListen: '0.0.0.0:0',
    });
    await expect(starting).rejects.toThrow(message);
  });
});

it('a reload without an admin token is rejected if other hosts can reach the running listener', async () => {
  const written = (admin: string): string =>
    `version: 1\nproviders: {mock: {type: mock}}\nserver: {state_dir: memory, admin: {${admin}}}\n`;
  const withToken = (listen: string): string => written(`listen: "${listen}", token: token-of-the-admin-12`);
  const ownGateway = await startTestGateway(withToken('0.0.0.0:0'), { admin: true, adminListen: undefined });
  await ownGateway.write(`${withToken('127.0.0.1:0')}configs: {a: {targets: [mock/echo]}}\n`);
  expect(await ownGateway.gateway.reload()).toMatchObject({ type: 'reloaded' });
  await ownGateway.write(written('listen: "127.0.0.1:0"'));
  expect(await ownGateway.gateway.reload()).toMatchObject({
    type: 'rejected',
    reason: expect.stringContaining('0.0.0.0:0 is reachable') as string,
  });
  await ownGateway.close();
});

it('/api/status and /api/session contain no secret of the configuration', async () => {
  for (const path of ['/api/status', '/api/session'])
    for (const token of Object.values(tokens)) {
      const { text } = await call(base, path, { token });
      for (const secret of Object.values(tokens)) expect(text).not.toContain(secret);
    }
});

describe('without signing in', () => {
  it('idle connections and incomplete requests do not block other users', async () => {
    const ownGateway = await startTestGateway(yaml, { admin: true, env });
    const { port } = new URL(adminUrl(ownGateway));
    const sockets: Socket[] = [];
    for (let i = 0; i < 300; i += 1) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      sockets.push(socket);
      await once(socket, 'connect');
      if (i % 2 === 0) socket.write('GET /api/status HTTP/1.1\r\nhost: 127');
    }
    expect(await call(adminUrl(ownGateway), '/api/status', { token: tokens.viewer })).toMatchObject({ status: 200 });
    for (const socket of sockets) socket.destroy();
    await ownGateway.close();
  });
});
