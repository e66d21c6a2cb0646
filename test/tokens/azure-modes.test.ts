import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { json } from '../support/upstream.ts';
import { application, audience, type AzureRig, entra, startAzureRig } from './azure-rig.ts';
import type { Expected } from './token-server.ts';

/** Every auth mode of Azure OpenAI through the whole gateway, against a token endpoint that checks its requests. */

let rig: AzureRig;
let folder: string;
let file: string;

beforeAll(async () => {
  rig = await startAzureRig();
  folder = await mkdtemp(join(tmpdir(), 'azure-modes-'));
  file = join(folder, 'azure-identity-token');
});

beforeEach(async () => {
  await rig.reset();
  // Files usually end with a line break.
  await writeFile(file, 'cluster-token-1\n');
});

afterAll(async () => {
  await rig?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Mode {
  readonly auth: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly expected: Expected;
  readonly life?: Readonly<Record<string, unknown>>;
}

const federated = (tenant: string, client: string, assertion = 'cluster-token-1'): Expected => ({
  method: 'POST',
  path: `/${tenant}/oauth2/v2.0/token`,
  parameters: {
    grant_type: 'client_credentials',
    client_id: client,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
    scope: `${audience}/.default`,
  },
});

/** The metadata endpoint returns numbers as strings. */
const metadata = {
  expires_in: '86399',
  expires_on: String(Math.floor(Date.now() / 1000) + 86_399),
  not_before: '0',
  resource: audience,
  client_id: 'x',
};
const closed = 'http://127.0.0.1:1';
const pod = (): Record<string, string> => ({
  // AKS sets the authority with a trailing slash.
  AZURE_AUTHORITY_HOST: `${rig.tokens.url}/`,
  AZURE_TENANT_ID: 't2',
  AZURE_CLIENT_ID: 'c2',
  AZURE_FEDERATED_TOKEN_FILE: file,
});

const modes: Readonly<Record<string, () => Mode>> = {
  entra: () => ({ auth: entra(rig.tokens), expected: application() }),
  'entra with a scope': () => ({
    auth: entra(rig.tokens, ', scope: "api://x/.default"'),
    expected: application({ scope: 'api://x/.default' }),
  }),
  'a workload identity of the environment': () => ({
    auth: 'auth: {mode: workload_identity}',
    env: pod(),
    expected: federated('t2', 'c2'),
  }),
  'a workload identity of the configuration': () => ({
    auth: `auth: {mode: workload, tenant_id: t3, client_id: c3, token_file: "${file}", authority: "${rig.tokens.url}"}`,
    env: { ...pod(), AZURE_AUTHORITY_HOST: closed },
    expected: federated('t3', 'c3'),
  }),
  'App Service': () => ({
    auth: 'auth: {mode: managed_identity}',
    env: { IDENTITY_ENDPOINT: `${rig.tokens.url}/msi/token`, IDENTITY_HEADER: 'h-1', IMDS_ENDPOINT: closed, MSI_ENDPOINT: closed },
    expected: {
      method: 'GET',
      path: '/msi/token',
      parameters: { 'api-version': '2019-08-01', resource: audience },
      headers: { 'x-identity-header': 'h-1' },
    },
    life: { expires_on: '12/31/2099 11:59:59 PM +00:00' },
  }),
  'App Service with several identities': () => ({
    auth: 'auth: {mode: managed, client_id: id-1}',
    env: { IDENTITY_ENDPOINT: `${rig.tokens.url}/msi/token?`, IDENTITY_HEADER: 'h-1' },
    expected: {
      method: 'GET',
      path: '/msi/token',
      parameters: { 'api-version': '2019-08-01', resource: audience, client_id: 'id-1' },
      headers: { 'x-identity-header': 'h-1' },
    },
  }),
  'machine-learning compute': () => ({
    auth: 'auth: {mode: managed_identity}',
    env: { MSI_ENDPOINT: `${rig.tokens.url}/ml`, MSI_SECRET: 's-1', DEFAULT_IDENTITY_CLIENT_ID: 'id-2' },
    expected: {
      method: 'GET',
      path: '/ml',
      parameters: { 'api-version': '2017-09-01', resource: audience, clientid: 'id-2' },
      headers: { secret: 's-1' },
    },
  }),
  'Cloud Shell': () => ({
    auth: 'auth: {mode: managed_identity}',
    env: { MSI_ENDPOINT: `${rig.tokens.url}/shell` },
    expected: { method: 'POST', path: '/shell', parameters: { resource: audience }, headers: { metadata: 'true' } },
  }),
  'a virtual machine': () => ({
    auth: 'auth: {mode: managed_identity, client_id: id-3}',
    env: { AZURE_POD_IDENTITY_AUTHORITY_HOST: rig.tokens.url },
    expected: {
      method: 'GET',
      path: '/metadata/identity/oauth2/token',
      parameters: { 'api-version': '2018-02-01', resource: audience, client_id: 'id-3' },
      headers: { metadata: 'true' },
    },
    life: metadata,
  }),
  'a virtual machine, with a scope': () => ({
    auth: 'auth: {mode: managed_identity, scope: "https://ai.azure.com/.default"}',
    env: { AZURE_POD_IDENTITY_AUTHORITY_HOST: rig.tokens.url },
    expected: {
      method: 'GET',
      path: '/metadata/identity/oauth2/token',
      parameters: { 'api-version': '2018-02-01', resource: 'https://ai.azure.com' },
      headers: { metadata: 'true' },
    },
    life: metadata,
  }),
};

describe('one token is fetched and signs all requests', () => {
  it.each(Object.keys(modes))('with %s', async (name) => {
    const { auth, env, expected, life } = (modes[name] as () => Mode)();
    Object.assign(rig.tokens, { expected }, life === undefined ? {} : { life });
    await rig.start(auth, env === undefined ? {} : { env });
    const responses = [await rig.send(), await rig.send()];
    expect(responses.map((response) => response.status)).toEqual([200, 200]);
    expect([rig.signed(), rig.tokens.requests.length]).toEqual([['Bearer token-1', 'Bearer token-1'], 1]);
  });
});

describe('the token file of a workload identity', () => {
  it('is read again after invalid_client, and the exchange is retried', async () => {
    await rig.start('auth: {mode: workload_identity}', { env: pod() });
    rig.tokens.expected = federated('t2', 'c2', 'cluster-token-2');
    rig.tokens.mismatch = {
      error: 'invalid_client',
      error_description: 'AADSTS700024: Client assertion is not within its valid time range.',
    };
    await writeFile(file, 'cluster-token-1');
    // The first request reads the file: it changes between the read and the response.
    rig.tokens.before = () => writeFile(file, 'cluster-token-2');
    expect((await rig.send()).status).toBe(200);
    expect([rig.signed(), rig.tokens.requests.length]).toEqual([['Bearer token-1'], 2]);
  });

  it('is not tried again if it did not change, and the error names the setting', async () => {
    await rig.start('auth: {mode: workload_identity}', { env: pod() });
    rig.tokens.expected = federated('t2', 'c2', 'other');
    rig.tokens.mismatch = {
      error: 'invalid_client',
      error_description: 'AADSTS700024: Client assertion is not within its valid time range.',
    };
    const response = await rig.send();
    const text = await response.text();
    expect([response.status, rig.tokens.requests.length]).toEqual([502, 1]);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'provider_auth_failed', param: 'auth.token_file' } });
    expect(text).not.toContain('cluster-token');
  });

  it.each([
    ['is missing', { AZURE_FEDERATED_TOKEN_FILE: '/nowhere/token' }, /auth\.token_file names a file that cannot be read \(ENOENT\)/],
    ['is not named', { AZURE_FEDERATED_TOKEN_FILE: '' }, /the variable AZURE_FEDERATED_TOKEN_FILE is not set/],
  ])('that %s causes a 502', async (_, env, message) => {
    await rig.start('auth: {mode: workload_identity}', { env: { ...pod(), ...env } });
    const response = await rig.send();
    const text = await response.text();
    expect([response.status, rig.tokens.requests.length, rig.upstream.requests.length]).toEqual([502, 0, 0]);
    expect(text).toMatch(message);
    expect(text).not.toContain('/nowhere');
  });
});

describe('the managed identity of a machine', () => {
  it('causes an error that names the setting if it is not assigned', async () => {
    await rig.start('auth: {mode: managed_identity, client_id: id-9}', { env: { AZURE_POD_IDENTITY_AUTHORITY_HOST: rig.tokens.url } });
    const response = await rig.send();
    expect([response.status, rig.tokens.requests.length]).toEqual([502, 1]);
    expect(await response.json()).toMatchObject({
      error: {
        code: 'provider_auth_failed',
        param: 'auth.client_id',
        message: expect.stringMatching(/auth\.client_id names no identity that is assigned to this machine/) as string,
      },
    });
  });

  it('causes an error if the metadata endpoint does not respond', async () => {
    await rig.start('auth: {mode: managed_identity}', { env: { AZURE_POD_IDENTITY_AUTHORITY_HOST: closed } });
    const response = await rig.send();
    expect([response.status, await response.text()]).toEqual([
      502,
      expect.stringMatching(/does not respond, so the machine has no identity/),
    ]);
  });

  it('is requested again after a 429', async () => {
    rig.tokens.expected = {
      method: 'GET',
      path: '/metadata/identity/oauth2/token',
      parameters: { 'api-version': '2018-02-01', resource: audience },
    };
    rig.tokens.first = (response) => json(response, 429, {});
    await rig.start('auth: {mode: managed_identity}', { env: { AZURE_POD_IDENTITY_AUTHORITY_HOST: rig.tokens.url } });
    expect((await rig.send()).status).toBe(200);
    expect(rig.tokens.requests).toHaveLength(2);
  });

  it('is not supported in Service Fabric', async () => {
    const env = { IDENTITY_ENDPOINT: rig.tokens.url, IDENTITY_HEADER: 'h', IDENTITY_SERVER_THUMBPRINT: 't' };
    await rig.start('auth: {mode: managed_identity}', { env });
    const response = await rig.send();
    expect([response.status, rig.tokens.requests.length]).toEqual([502, 0]);
    expect(await response.text()).toMatch(/Service Fabric is not supported: use workload_identity/);
  });

  it('cannot be selected with client_id if there is only one', async () => {
    await rig.start('auth: {mode: managed_identity, client_id: id-1}', { env: { MSI_ENDPOINT: `${rig.tokens.url}/shell` } });
    const response = await rig.send();
    expect([response.status, rig.tokens.requests.length]).toEqual([502, 0]);
    expect(await response.text()).toMatch(/auth\.client_id cannot be used: Cloud Shell has only/);
  });
});
