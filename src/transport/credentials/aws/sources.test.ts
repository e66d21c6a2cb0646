import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { json, type Script, type ScriptedUpstream, startUpstream } from '../../../../test/support/upstream.ts';
import { createUpstream, type Upstream } from '../../outbound/upstream.ts';
import type { GrantDeps } from '../grants/token-request.ts';
import type { Token, TokenFetcher } from '../token-source.ts';
import { awsContainer } from './container.ts';
import { awsInstance } from './instance.ts';
import { awsWebIdentity } from './web-identity.ts';
import { TimerWheel } from '../../wire/timer-wheel.ts';

/** Every source of AWS keys, against fake endpoints on loopback. */

const now = Date.UTC(2026, 10, 22);
const ends = '2026-11-22T01:00:00Z';
const keys = { AccessKeyId: 'ASIA1', SecretAccessKey: 's/1', Token: 'T1', Expiration: ends };
const expected: Token = { value: '{"accessKeyId":"ASIA1","secretAccessKey":"s/1","sessionToken":"T1"}', expiresAt: Date.parse(ends) };
const xml = `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><SessionToken>T1</SessionToken><SecretAccessKey>s/1</SecretAccessKey><Expiration>${ends}</Expiration><AccessKeyId>ASIA1</AccessKeyId></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;

let server: ScriptedUpstream;
let upstream: Upstream;
let folder: string;
let file: string;

beforeAll(async () => {
  server = await startUpstream((response) => json(response, 500, {}));
  upstream = createUpstream({ wheel: new TimerWheel(), lookup: () => undefined });
  folder = await mkdtemp(join(tmpdir(), 'aws-sources-'));
  file = join(folder, 'token');
});
beforeEach(async () => {
  server.requests.length = 0;
  await writeFile(file, 'web-token-1\n');
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const deps = (env: Record<string, string>): GrantDeps => ({
  upstream,
  checkEgress: () => undefined,
  now: () => now,
  monotonic: () => now,
  wait: () => Promise.resolve(),
  env,
});

const requestLines = (): string[] => server.requests.map(({ method, url }) => `${method} ${url}`);
const text =
  (status: number, body: string): Script =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/plain' });
    response.end(body);
  };

describe('awsWebIdentity()', () => {
  const source = (): TokenFetcher =>
    awsWebIdentity(
      {
        kind: 'aws-web-identity',
        endpoint: server.url,
        role: { env: 'AWS_ROLE_ARN', field: 'auth.role_arn' },
        sessionName: 'gw',
        file,
        fileField: 'auth.token_file',
        roleField: 'auth.role_arn',
      },
      deps({ AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/r' }),
    );

  it.each([
    ['XML', text(200, xml)],
    ['JSON', (response) => json(response, 200, { R: { Credentials: { ...keys, Expiration: Date.parse(ends) / 1000 } } })],
  ] as [string, Script][])('exchanges the token for keys, with the response in %s', async (_, script) => {
    server.script = script;
    expect(await source().fetch()).toEqual(expected);
    const [request] = server.requests;
    expect(Object.fromEntries(new URLSearchParams(request?.body.toString()))).toEqual({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: 'arn:aws:iam::123456789012:role/r',
      RoleSessionName: 'gw',
      WebIdentityToken: 'web-token-1',
    });
    await writeFile(file, 'web-token-2');
    await source().fetch();
    expect(server.requests[1]?.body.toString()).toContain('WebIdentityToken=web-token-2');
  });

  it('reports the field and the reason if the role is rejected', async () => {
    server.script = text(
      403,
      '<ErrorResponse><Error><Code>AccessDenied</Code><Message>Not authorized &amp; so on</Message></Error></ErrorResponse>',
    );
    await expect(source().fetch()).rejects.toThrow(
      /^auth\.role_arn cannot be used \(127.*returned 403: AccessDenied: Not authorized & so on\)$/,
    );
  });

  it.each([
    ['a page', '<html>Sign in</html>'],
    ['half of the keys', '<Credentials><AccessKeyId>a</AccessKeyId>'],
    ['keys with a line break', JSON.stringify({ ...keys, AccessKeyId: 'a\nb' })],
  ])('blames no field if the response is %s', async (_, body) => {
    server.script = text(200, body);
    await expect(source().fetch()).rejects.toMatchObject({ field: undefined, reason: undefined });
  });

  it.each([
    [503, 'ServiceUnavailable'],
    [400, 'Throttling'],
    [400, 'IDPCommunicationError'],
  ])('reports no field for the temporary error %i %s', async (status, code) => {
    server.script = text(status, `<Error><Code>${code}</Code><Message>Later</Message></Error>`);
    await expect(source().fetch()).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`^127.*returned ${status}: ${code}: Later$`)) as string,
      field: undefined,
      reason: undefined,
    });
  });

  it('reports the token file as the cause if its token has expired', async () => {
    server.script = text(400, '<Error><Code>ExpiredTokenException</Code><Message>Token expired.</Message></Error>');
    await expect(source().fetch()).rejects.toMatchObject({
      message: expect.stringMatching(/^auth\.token_file cannot be used \(127.*ExpiredTokenException: Token expired\)$/) as string,
      field: 'auth.token_file',
    });
  });

  it('masks a token that the error message repeats', async () => {
    server.script = text(400, '<Error><Code>InvalidIdentityToken</Code><Message>web-token-1 is no token</Message></Error>');
    await expect(source().fetch()).rejects.toThrow(/InvalidIdentityToken: \*\*\* is no token\)$/);
  });

  it('reports a missing token file without its path', async () => {
    await rm(file);
    await expect(source().fetch()).rejects.toThrow(/^auth\.token_file names a file that cannot be read \(ENOENT\)$/);
  });
});

describe('awsContainer()', () => {
  const sendKeys: Script = (response) => json(response, 200, keys);

  it('fetches keys from the URL in its environment and sends the authorization token', async () => {
    server.script = sendKeys;
    const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${server.url}/v1/credentials?id=1`, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file };
    expect(await awsContainer(deps(env)).fetch()).toEqual(expected);
    expect(requestLines()).toEqual(['GET /v1/credentials?id=1']);
    expect(server.requests[0]?.headers.authorization).toBe('web-token-1');
    await awsContainer(deps({ AWS_CONTAINER_CREDENTIALS_FULL_URI: server.url, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'plain' })).fetch();
    expect(server.requests[1]?.headers.authorization).toBe('plain');
  });

  it.each([
    [{}, /neither .* is set, so this is no container/],
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://keys.example/' }, /neither local nor reached by https/],
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.1.evil.example/' }, /neither local nor reached by https/],
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'file:///etc/passwd' }, /not an http or https URL/],
  ])('rejects the environment %j', async (env, message) => {
    await expect(awsContainer(deps(env)).fetch()).rejects.toThrow(message);
  });
});

describe('awsInstance()', () => {
  /** The metadata service: rejects requests without a session. */
  const metadata: Script = (response, request, n) => {
    const session = request.headers['x-aws-ec2-metadata-token'];
    if (request.method === 'PUT')
      return text(request.headers['x-aws-ec2-metadata-token-ttl-seconds'] === '60' ? 200 : 400, 'session-1')(response, request, n);
    if (session !== 'session-1') return text(401, '')(response, request, n);
    return request.url.endsWith('/security-credentials/')
      ? text(200, 'my-role')(response, request, n)
      : json(response, 200, { Code: 'Success', ...keys });
  };
  const source = (role?: string, env: Record<string, string> = {}): TokenFetcher =>
    awsInstance({ kind: 'aws-instance', role }, deps({ AWS_EC2_METADATA_SERVICE_ENDPOINT: `${server.url}/`, ...env }));
  const metadataPath = 'GET /latest/meta-data/iam/security-credentials/';

  it('fetches the keys of its role in a metadata session', async () => {
    server.script = metadata;
    expect(await source().fetch()).toEqual(expected);
    expect(requestLines()).toEqual(['PUT /latest/api/token', metadataPath, `${metadataPath}my-role`]);
    await source('other').fetch();
    expect(requestLines().slice(3)).toEqual(['PUT /latest/api/token', `${metadataPath}other`]);
  });

  it('reports that the instance has no role', async () => {
    server.script = (response, request, n) =>
      request.method === 'PUT' ? metadata(response, request, n) : text(404, '')(response, request, n);
    await expect(source().fetch()).rejects.toThrow('this instance has no role');
  });

  it('reports the code of the metadata service if it returns no keys', async () => {
    server.script = (response, request, n) =>
      request.method === 'PUT' ? metadata(response, request, n) : json(response, 200, { Code: 'AssumeRoleUnauthorizedAccess' });
    await expect(source('r').fetch()).rejects.toThrow(/returned 200: AssumeRoleUnauthorizedAccess/);
  });

  it('masks a session token that the error message repeats', async () => {
    server.script = (response, request, n) =>
      request.method === 'PUT'
        ? metadata(response, request, n)
        : json(response, 400, { Code: 'Bad', Message: `no ${String(request.headers['x-aws-ec2-metadata-token'])}` });
    await expect(source('r').fetch()).rejects.toThrow(/returned 400: Bad: no \*\*\*$/);
  });

  it.each([{ AccessKeyId: 'A\r\nx: y' }, { Token: '\u0001' }])('rejects keys that no HTTP header can contain: %j', async (invalidKeys) => {
    server.script = (response, request, n) =>
      request.method === 'PUT' ? metadata(response, request, n) : json(response, 200, { ...keys, ...invalidKeys });
    await expect(source('r').fetch()).rejects.toThrow('keys that no header could carry');
  });

  it('sends no request if AWS_EC2_METADATA_DISABLED is set', async () => {
    await expect(source('r', { AWS_EC2_METADATA_DISABLED: 'TRUE' }).fetch()).rejects.toThrow(/switches the instance metadata service off/);
    expect(server.requests).toEqual([]);
  });
});
