import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { json, type Script, type ScriptedUpstream, startUpstream } from '../../../../test/support/upstream.ts';
import type { InstanceEndpoint, OAuthGrant } from '../../../core/secrets/grant.ts';
import type { Token } from '../token-source.ts';
import { createUpstream, type Upstream } from '../../outbound/upstream.ts';
import { instanceIdentity } from './instance-identity.ts';
import { TimerWheel } from '../../wire/timer-wheel.ts';

/** Fake machine endpoints on loopback: waits, token lifetimes, and the challenge that names a file. */

type Grant = Extract<OAuthGrant, { kind: 'instance-identity' }>;

const now = Date.UTC(2026, 10, 21);
let server: ScriptedUpstream;
let upstream: Upstream;
let root: string;
let waits: number[];

const sendToken: Script = (response) => json(response, 200, { access_token: 't', expires_in: '3600' });

const endpoint = (overrides: Partial<InstanceEndpoint> = {}): InstanceEndpoint => ({
  name: 'the machine',
  when: [],
  url: { env: 'ENDPOINT' },
  method: 'GET',
  parameters: { 'api-version': '1' },
  headers: { metadata: 'true' },
  connectMs: 1000,
  repeats: [
    { statuses: [404, 500], waitsMs: [0, 1600, 3200] },
    { statuses: [410], waitsMs: [10_000, 10_000, 10_000, 10_000] },
  ],
  ...overrides,
});

function fetchFrom(
  overrides: Partial<InstanceEndpoint> = {},
  grant: Partial<Grant> = {},
  env: Record<string, string> = {},
): Promise<Token> {
  const fullGrant: Grant = {
    kind: 'instance-identity',
    endpoints: [endpoint(overrides)],
    identity: undefined,
    identityField: 'auth.client_id',
    resource: 'https://service.example',
    blame: [{ status: 400, field: 'auth.client_id', says: 'names nobody' }],
    ...grant,
  };
  const deps = {
    upstream,
    checkEgress: () => undefined,
    now: () => now,
    monotonic: () => now,
    wait: (ms: number) => Promise.resolve(void waits.push(ms)),
    env: { ENDPOINT: server.url, ROOT: root, ...env },
  };
  return instanceIdentity(fullGrant, deps).fetch();
}

beforeAll(async () => {
  server = await startUpstream(sendToken);
  upstream = createUpstream({ wheel: new TimerWheel(), lookup: () => undefined });
  root = await realpath(await mkdtemp(join(tmpdir(), 'instance-')));
  await mkdir(join(root, 'tokens', 'below'), { recursive: true });
});

beforeEach(() => {
  server.requests.length = 0;
  server.script = sendToken;
  waits = [];
});

afterAll(async () => {
  await upstream.close();
  await server.close();
  await rm(root, { recursive: true, force: true });
});

describe('instanceIdentity() retries', () => {
  it.each([
    ['after 404 and 500 until the endpoint returns 200', [404, 500, 200], [0, 1600], true],
    ['after 410 with longer waits', [410, 410, 200], [10_000, 10_000], true],
    ['at most three times after 500', [500, 500, 500, 500], [0, 1600, 3200], false],
    ['not at all after 400', [400], [], false],
  ])('%s', async (_, statuses, expected, isTokenIssued) => {
    server.script = (response, request, count) => {
      const status = statuses[count - 1] ?? 0;
      if (status === 200) void sendToken(response, request, count);
      else json(response, status, {});
    };
    const outcome = await fetchFrom().then(
      () => true,
      () => false,
    );
    expect([outcome, waits, server.requests.length]).toEqual([isTokenIssued, expected, statuses.length]);
  });
});

describe('token lifetime of instanceIdentity()', () => {
  const hour = 3_600_000;
  it.each<[string, object, number, number | undefined]>([
    ['expires_in as a string', { expires_in: '3600' }, now + hour, undefined],
    ['expires_in as a number', { expires_in: 3600 }, now + hour, undefined],
    ['expires_on before expires_in', { expires_in: '86400', expires_on: String((now + hour) / 1000) }, now + hour, undefined],
    ['expires_on as a date', { expires_on: '11/21/2026 01:00:00 +00:00' }, now + hour, undefined],
    ['expires_on as a date with AM or PM', { expires_on: '11/21/2026 1:00:00 PM +00:00' }, now + 13 * hour, undefined],
    ['expires_in if expires_on is in the past', { expires_in: 60, expires_on: 1 }, now + 60_000, undefined],
    ['refresh_in for the renewal', { expires_in: 7200, refresh_in: '3600' }, now + 2 * hour, now + hour],
    ['a default without any field', {}, now + 300_000, undefined],
    ['a default for invalid fields', { expires_in: 'soon', expires_on: 'never' }, now + 300_000, undefined],
  ])('uses %s', async (_, lifetime, expiresAt, renewAt) => {
    server.script = (response) => json(response, 200, { access_token: 't', ...lifetime });
    expect(await fetchFrom()).toEqual({ value: 't', expiresAt, renewAt });
  });
});

describe('choice of the endpoint', () => {
  const first = endpoint({ name: 'the first', when: ['A', 'B'], path: '/first' });
  const second = endpoint({ name: 'the second', when: ['A'], path: '/second' });
  it.each([
    [{ A: '1', B: '1' }, '/first'],
    [{ A: '1', B: ' ' }, '/second'],
  ])('selects the endpoint by the environment %j', async (env, path) => {
    await fetchFrom({}, { endpoints: [first, second] }, env as Record<string, string>);
    expect(server.requests[0]?.url).toBe(`${path}?api-version=1&resource=https%3A%2F%2Fservice.example`);
  });

  it('rejects a machine without a known endpoint', async () => {
    await expect(fetchFrom({}, { endpoints: [first, second] })).rejects.toThrow('this machine has no identity');
  });
});

describe('authentication challenge of instanceIdentity()', () => {
  const challenge = {
    folders: [
      [{ env: 'ROOT' }, 'tokens'],
      [{ env: 'UNSET' }, 'tokens'],
    ],
    suffix: '.key',
    maxBytes: 16,
  };
  const respondWithChallenge =
    (file: string): Script =>
    (response, request, count) =>
      request.headers.authorization === 'Basic proof'
        ? sendToken(response, request, count)
        : json(response, 401, {}, { 'www-authenticate': `Basic realm=${file}` });

  it('sends the content of the file named by the challenge', async () => {
    const file = join(root, 'tokens', 'a.key');
    await writeFile(file, 'proof\n');
    server.script = respondWithChallenge(file);
    expect((await fetchFrom({ challenge })).value).toBe('t');
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, 'Basic proof']);
  });

  it.each([
    ['with another suffix', 'tokens/a.txt', /outside the agent's directory/],
    ['in another folder', 'a.key', /outside the agent's directory/],
    ['in a subfolder', 'tokens/below/a.key', /outside the agent's directory/],
    ['with .. in its path', 'tokens/below/../../a.key', /outside the agent's directory/],
    ['that is a symbolic link to another folder', 'tokens/link.key', /outside the agent's directory/],
    ['that is too large', 'tokens/large.key', /larger than 16 bytes/],
    ['that does not exist', 'tokens/missing.key', /cannot be read \(ENOENT\)/],
  ])('does not send the content of a file %s', async (_, name, expectedError) => {
    await Promise.all(['tokens/a.txt', 'a.key', 'tokens/below/a.key'].map((filePath) => writeFile(join(root, filePath), 'secret of root')));
    await writeFile(join(root, 'tokens/large.key'), 'x'.repeat(17));
    await symlink(join(root, 'a.key'), join(root, 'tokens/link.key')).catch(() => undefined);
    server.script = respondWithChallenge(`"${root}/${name}"`);
    await expect(fetchFrom({ challenge })).rejects.toThrow(expectedError);
    expect([server.requests.length, server.requests.some(({ headers }) => headers.authorization !== undefined)]).toEqual([1, false]);
  });

  it('rejects a challenge that names no file', async () => {
    server.script = (response) => json(response, 401, {}, { 'www-authenticate': 'Bearer' });
    await expect(fetchFrom({ challenge })).rejects.toThrow(/names no file/);
  });

  it('reports 401 if the challenge is repeated', async () => {
    await writeFile(join(root, 'tokens', 'b.key'), 'other');
    server.script = respondWithChallenge(join(root, 'tokens', 'b.key'));
    await expect(fetchFrom({ challenge })).rejects.toThrow(/returned 401/);
    expect(server.requests).toHaveLength(2);
  });

  it('reports 401 if the endpoint allows no challenge', async () => {
    server.script = respondWithChallenge(join(root, 'a.key'));
    await expect(fetchFrom()).rejects.toThrow(/returned 401: no token/);
  });
});
