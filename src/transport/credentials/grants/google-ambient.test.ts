import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { json, type ScriptedUpstream, startUpstream } from '../../../../test/support/upstream.ts';
import { googleAmbient } from './google-ambient.ts';

/** The real library against a token exchange and a metadata server on loopback. */

let server: ScriptedUpstream;
let folder: string;
const now = Date.now();
const deps = { now: () => now, timeoutMs: 60_000, env: process.env };
const grant = (credentialsFile?: string) =>
  ({ kind: 'google-ambient', scopes: ['https://scope.example/all'], credentialsFile, fileField: 'credentials_file' }) as const;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ambient-'));
  server = await startUpstream(() => undefined);
});

beforeEach(() => {
  server.requests.length = 0;
  // Hide the credentials of the machine that runs the tests.
  vi.stubEnv('HOME', folder);
  vi.stubEnv('CLOUDSDK_CONFIG', folder);
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined);
});

afterEach(() => vi.unstubAllEnvs());

afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** A workload identity federation file; its subject token is in a file beside it. */
async function writeFederationFile(): Promise<string> {
  const subject = join(folder, 'subject');
  await writeFile(subject, 'subject-token');
  const file = join(folder, 'federation.json');
  const content = {
    type: 'external_account',
    audience: '//iam.example/pools/p/providers/q',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${server.url}/exchange`,
    credential_source: { file: subject },
  };
  await writeFile(file, JSON.stringify(content));
  return file;
}

const scriptExchange = (): void => {
  server.script = (response, _request, count) =>
    json(response, 200, {
      access_token: `token-${count}`,
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 3600,
    });
};

describe('googleAmbient()', () => {
  it('exchanges the subject token of a federation file and returns the token with its lifetime', async () => {
    scriptExchange();
    const token = await googleAmbient(grant(await writeFederationFile()), deps).fetch();
    expect(token.value).toBe('token-1');
    expect(token.expiresAt - Date.now()).toBeGreaterThan(3_500_000);
    expect(server.requests.map((request) => request.url)).toEqual(['/exchange']);
    expect(server.requests[0]?.body.toString()).toContain('subject_token=subject-token');
  });

  it('fetches a token from the metadata server if there is no credentials file', async () => {
    vi.stubEnv('GCE_METADATA_HOST', server.host);
    // The library gives its probe of the server little time, which a busy machine exceeds.
    vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present');
    server.script = (response, request) =>
      request.url.includes('/token')
        ? json(response, 200, { access_token: 'token-of-machine', expires_in: 1800, token_type: 'Bearer' }, { 'metadata-flavor': 'Google' })
        : void response.writeHead(200, { 'metadata-flavor': 'Google' }).end('x');
    expect((await googleAmbient(grant(), deps).fetch()).value).toBe('token-of-machine');
    expect(server.requests.some((request) => request.headers['metadata-flavor'] === 'Google')).toBe(true);
  });

  it('prints no warnings of the library', async () => {
    scriptExchange();
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    await googleAmbient(grant(await writeFederationFile()), deps).fetch();
    expect(warn.mock.calls).toEqual([]);
    warn.mockRestore();
  });

  it('fetches a new token after clearCache()', async () => {
    scriptExchange();
    const fetcher = googleAmbient(grant(await writeFederationFile()), deps);
    expect((await fetcher.fetch()).value).toBe('token-1');
    expect((await fetcher.fetch()).value).toBe('token-1');
    fetcher.clearCache?.();
    expect((await fetcher.fetch()).value).toBe('token-2');
  });
});

describe('googleAmbient() without a usable identity', () => {
  it('finds a metadata server that starts after the first attempt', async () => {
    server.script = (response, request) =>
      request.url.includes('/token')
        ? json(response, 200, { access_token: 'late-token', expires_in: 1800, token_type: 'Bearer' }, { 'metadata-flavor': 'Google' })
        : void response.writeHead(200, { 'metadata-flavor': 'Google' }).end('x');
    const fetcher = googleAmbient(grant(), deps);
    // Port 1: the connection is refused.
    vi.stubEnv('GCE_METADATA_HOST', '127.0.0.1:1');
    await expect(fetcher.fetch()).rejects.toThrow(/Could not load the default credentials/);
    vi.stubEnv('GCE_METADATA_HOST', server.host);
    expect((await fetcher.fetch()).value).toBe('late-token');
  });

  it('reports the error and description of the token exchange', async () => {
    server.script = (response) => json(response, 400, { error: 'invalid_target', error_description: 'The pool is gone' });
    await expect(googleAmbient(grant(await writeFederationFile()), deps).fetch()).rejects.toThrow(/invalid_target.*The pool is gone/);
  });

  it.each([
    ['in the configuration', () => join(folder, 'none.json'), undefined, /^credentials_file names a file that cannot be read \(ENOENT\)$/],
    [
      'in the environment',
      () => undefined,
      () => join(folder, 'none.json'),
      /^GOOGLE_APPLICATION_CREDENTIALS names a file that cannot be read \(ENOENT\)$/,
    ],
    [
      'for the subject token',
      () => join(folder, 'no-subject.json'),
      undefined,
      /^credentials_file names a file that cannot be used: the file does not exist, or is not a file$/,
    ],
  ])('reports a missing file %s without its path', async (_, credentialsFile, inEnv, message) => {
    const federationConfig = JSON.parse(await readFile(await writeFederationFile(), 'utf8')) as Record<string, unknown>;
    const noSubject = { ...federationConfig, credential_source: { file: join(folder, 'none') } };
    await writeFile(join(folder, 'no-subject.json'), JSON.stringify(noSubject));
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', inEnv?.());
    await expect(googleAmbient(grant(credentialsFile()), deps).fetch()).rejects.toThrow(message);
  });

  it('masks a subject token that the exchange repeats in its error', async () => {
    const subject = `eyJhbGciOiJSUzI1NiJ9.${'c'.repeat(400)}.sig-1_x`;
    const file = await writeFederationFile();
    await writeFile(join(folder, 'subject'), subject);
    server.script = (response) => json(response, 400, { error: 'invalid_grant', error_description: `No issuer for ${subject}.` });
    const error: unknown = await googleAmbient(grant(file), deps)
      .fetch()
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ message: expect.stringMatching(/invalid_grant: No issuer for \*\*\*$/) as string });
    expect(inspect(error, { depth: null })).not.toContain(subject);
  });

  it('masks opaque tokens that an endpoint repeats', async () => {
    const file = await writeFederationFile();
    server.script = (response, request) =>
      json(response, 400, { error: 'invalid_grant', error_description: `Got Bearer federated-token and ${request.body.toString()}` });
    const error: unknown = await googleAmbient(grant(file), deps)
      .fetch()
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ message: expect.stringContaining('invalid_grant: Got Bearer *** and ') as string });
    expect(String(error)).not.toMatch(/federated-token|subject-token/);
  });

  it.each([
    [400, '400'],
    [403, '403'],
    [503, undefined],
  ])('reports whether a later request may succeed after status %i', async (status, reason) => {
    const file = await writeFederationFile();
    server.script = (response) => json(response, status, { error: 'invalid_grant', error_description: 'Token has been revoked.' });
    await expect(googleAmbient(grant(file), deps).fetch()).rejects.toMatchObject({ reason });
  });

  it.each([
    ['of an unknown type', { type: 'gdch_user' }],
    ['without a type', {}],
    ['of a service account without a key', { type: 'service_account', client_email: 'a@b.example' }],
    ['of a service account whose key is not PEM', { type: 'service_account', client_email: 'a@b.example', private_key: 'none' }],
    ['of a federation without a token', { type: 'external_account' }],
  ])('names the setting of a file that a later request cannot use either: %s', async (_, content) => {
    const file = join(folder, 'unusable.json');
    await writeFile(file, JSON.stringify(content));
    await expect(googleAmbient(grant(file), deps).fetch()).rejects.toMatchObject({ field: 'credentials_file' });
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);
    await expect(googleAmbient(grant(), deps).fetch()).rejects.toMatchObject({
      field: 'credentials_file',
      message: expect.stringMatching(/^GOOGLE_APPLICATION_CREDENTIALS names a file that cannot be used: /) as string,
    });
  });

  it.each([
    ['a pipe', 'ENOTREG', 'pipe'],
    ['a directory', 'EISDIR', '.'],
    ['a file of 2 MB', 'EFBIG', 'large'],
  ])('does not read %s', async (_, code, name) => {
    const path = join(folder, name);
    if (name === 'pipe') execFileSync('mkfifo', [path]);
    if (name === 'large') await writeFile(path, Buffer.alloc(2 * 1024 * 1024));
    await expect(googleAmbient(grant(path), deps).fetch()).rejects.toThrow(`credentials_file names a file that cannot be read (${code})`);
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', path);
    await expect(googleAmbient(grant(), deps).fetch()).rejects.toThrow(`GOOGLE_APPLICATION_CREDENTIALS names a file that cannot be read`);
  });

  it('leaves a token exchange that cannot be reached to a later request', async () => {
    const file = await writeFederationFile();
    server.script = (response) => void response.destroy();
    const error: unknown = await googleAmbient(grant(file), deps)
      .fetch()
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ field: undefined, reason: undefined });
  });

  it.each([
    ['a page', 'text/html', '<html>Sign in SECRET</html>'],
    ['text', 'application/json', '"SECRET"'],
    ['null', 'application/json', 'null'],
  ])('neither blames the file nor quotes the response if the token endpoint returns %s', async (_, type, body) => {
    const file = await writeFederationFile();
    server.script = (response) => void response.writeHead(200, { 'content-type': type }).end(body);
    const error: unknown = await googleAmbient(grant(file), deps)
      .fetch()
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ message: 'the token endpoint returned no JSON object', field: undefined, reason: undefined });
    expect(inspect(error, { depth: null })).not.toContain('SECRET');
  });

  it.each([
    ['an object', '{"error": {"code": 403, "message": "The API is disabled", "status": "PERMISSION_DENIED"}}', ': The API is disabled'],
    ['a page', '<html>Forbidden</html>', ''],
  ])('reports the status of an error response that is not in the format of OAuth: %s', async (_, body, told) => {
    const file = await writeFederationFile();
    server.script = (response) =>
      void response.writeHead(403, { 'content-type': told === '' ? 'text/html' : 'application/json' }).end(body);
    const fault = { message: `the token endpoint returned 403${told}`, field: undefined, reason: '403' };
    await expect(googleAmbient(grant(file), deps).fetch()).rejects.toMatchObject(fault);
  });

  it.each([
    ['only a key', 'SECRET-KEY-ALONE'],
    ['an unquoted key', '{"type": "service_account", "private_key": SECRET-KEY}'],
    ['a key on several lines', '{"type": "service_account",\n"private_key":\nSECRET\nKEY}'],
  ])('reports no content of a file that is not JSON: %s', async (_, text) => {
    const file = join(folder, 'broken.json');
    await writeFile(file, text);
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);
    for (const configuredFile of [file, undefined]) {
      const error: unknown = await googleAmbient(grant(configuredFile), deps)
        .fetch()
        .catch((caught: unknown) => caught);
      const inspected = inspect(error, { depth: null });
      expect(inspected).toContain('it is not valid JSON');
      expect(inspected).not.toMatch(/SECRET|KEY|private_/);
    }
  });

  it('explains how to install google-auth-library if it is missing', async () => {
    const missing = googleAmbient(grant(), deps, () => Promise.reject(new Error('Cannot find package')));
    await expect(missing.fetch()).rejects.toThrow(/add it with npm install google-auth-library/);
  });

  it('reads the file through the public interface of a version without the private one', async () => {
    const opened: unknown[] = [];
    const library = {
      GoogleAuth: class {
        constructor(options: object) {
          opened.push(options);
        }
        getClient = () =>
          Promise.resolve({ getAccessToken: () => Promise.resolve({ token: 'token' }), credentials: { expiry_date: now + 60_000 } });
      },
    };
    const file = await writeFederationFile();
    expect((await googleAmbient(grant(file), deps, () => Promise.resolve(library)).fetch()).value).toBe('token');
    expect(opened.at(-1)).toEqual({ scopes: ['https://scope.example/all'], keyFilename: file });
  });

  it('rejects an empty token', async () => {
    const library = {
      GoogleAuth: class {
        getClient = () => Promise.resolve({ getAccessToken: () => Promise.resolve({ token: '' }), credentials: {} });
      },
    };
    await expect(googleAmbient(grant(), deps, () => Promise.resolve(library)).fetch()).rejects.toThrow(/provides no token/);
  });
});
