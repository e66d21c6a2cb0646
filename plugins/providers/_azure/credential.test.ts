import { describe, expect, it } from 'vitest';
import type { CredentialSpec, OAuthGrant } from '#core/provider.ts';
import { azureCredential, type SignedAddress } from './credential.ts';
import type { AzureAuthSettings } from './request-auth.ts';

const baseAddress: SignedAddress = { origin: 'https://r1.openai.azure.com', path: '/openai' };
const credentialOf = (settings: AzureAuthSettings, key?: string, address: SignedAddress = baseAddress): CredentialSpec =>
  azureCredential(settings, key, address, (secret) => ({ scheme: 'header', name: 'api-key', secret }));

function grantOf(settings: AzureAuthSettings, address: SignedAddress = baseAddress): OAuthGrant {
  const spec = credentialOf(settings, undefined, address);
  if (spec.scheme !== 'oauth2') throw new Error(`signed by ${spec.scheme}`);
  return spec.grant;
}

const entra = { mode: 'entra', tenant_id: 't1', client_id: 'c1', client_secret: 's1' } as const;
const callerSettings = { entra_tenant_id: 't2', entra_client_id: 'c2', entra_client_secret: 's2' } as const;
const jwt = 'eyJhbGciOiJub25lIn0.eyJhIjoxfQ.c2ln';

describe('azureCredential', () => {
  it.each<[string, AzureAuthSettings, string | undefined, object]>([
    ['an AD token before any other credential', { ad_token: 'Bearer t-1', auth: entra }, 'k', { scheme: 'bearer', secret: 't-1' }],
    ['a configured Entra application before the API key', { auth: entra }, 'k', { scheme: 'oauth2', grant: { clientId: 'c1' } }],
    [
      'the configured application before one that a request sends',
      { auth: entra, ...callerSettings },
      'k',
      { scheme: 'oauth2', grant: { clientId: 'c1' } },
    ],
    [
      'the application that a request with auth_mode entra sends',
      { auth_mode: 'entra', ...callerSettings },
      'k',
      { scheme: 'oauth2', grant: { clientId: 'c2' } },
    ],
    ['the application that a request without auth_mode sends', callerSettings, undefined, { scheme: 'oauth2', grant: { clientId: 'c2' } }],
    [
      'the API key if auth_mode is api_key',
      { auth_mode: 'api_key', ...callerSettings },
      'k',
      { scheme: 'header', name: 'api-key', secret: 'k' },
    ],
    ['the API key if auth_mode is default', { auth_mode: 'default' }, 'k', { scheme: 'header', name: 'api-key', secret: 'k' }],
    ['the API key if there is nothing else', {}, 'k', { scheme: 'header', name: 'api-key', secret: 'k' }],
    [
      'a key in its own header before one in authorization',
      { cloud_api_key: 'h' },
      'k',
      { scheme: 'header', name: 'api-key', secret: 'h' },
    ],
    ['a key that is a JWT as bearer token', {}, jwt, { scheme: 'bearer', secret: jwt }],
    ['a key with dots that is not a JWT in the api-key header', {}, 'eyJ.not.a token', { scheme: 'header', secret: 'eyJ.not.a token' }],
    ['no credential if none is set', {}, undefined, { scheme: 'none' }],
  ])('signs with %s', (_, settings, key, spec) => {
    expect(credentialOf(settings, key)).toMatchObject(spec);
  });
});

describe('token endpoint and scope', () => {
  it.each([
    ['https://r1.openai.azure.com', '/openai', 'https://login.microsoftonline.com', 'https://cognitiveservices.azure.com/.default'],
    ['https://r1.openai.azure.us', '/openai', 'https://login.microsoftonline.us', 'https://cognitiveservices.azure.us/.default'],
    ['https://R1.OpenAI.Azure.US', '/openai', 'https://login.microsoftonline.us', 'https://cognitiveservices.azure.us/.default'],
    ['https://r1.openai.azure.cn', '/openai', 'https://login.chinacloudapi.cn', 'https://cognitiveservices.azure.cn/.default'],
    ['https://team.azure-api.us', '/openai', 'https://login.microsoftonline.us', 'https://cognitiveservices.azure.us/.default'],
    ['https://apim.example', '/openai', 'https://login.microsoftonline.com', 'https://cognitiveservices.azure.com/.default'],
    ['https://azure.us.example', '/openai', 'https://login.microsoftonline.com', 'https://cognitiveservices.azure.com/.default'],
    ['https://r1.services.ai.azure.com', '/api/projects/p/openai', 'https://login.microsoftonline.com', 'https://ai.azure.com/.default'],
    ['https://r1.services.ai.azure.us', '/api/projects/p/openai', 'https://login.microsoftonline.us', 'https://ai.azure.us/.default'],
    ['https://m.eastus.models.ai.azure.com', '', 'https://login.microsoftonline.com', 'https://ml.azure.com/.default'],
  ])('are derived from the address %s%s', (origin, path, base, scope) => {
    expect(grantOf({ auth: entra }, { origin, path })).toMatchObject({
      endpoint: { base, path: ['t1', 'oauth2', 'v2.0', 'token'] },
      scope,
    });
    expect(grantOf(callerSettings, { origin, path })).toMatchObject({ endpoint: { base }, scope });
    expect(grantOf({ auth: { mode: 'managed_identity' } }, { origin, path })).toMatchObject({ resource: scope.replace('/.default', '') });
  });

  it('are taken unchanged from the configuration', () => {
    const auth = { ...entra, scope: 'api://x/.default', authority: 'http://login.internal:8080' };
    expect(grantOf({ auth })).toMatchObject({ scope: 'api://x/.default', endpoint: { base: 'http://login.internal:8080' } });
    expect(grantOf({ auth: { mode: 'managed_identity', scope: 'api://x/.default' } })).toMatchObject({ resource: 'api://x' });
    expect(grantOf({ auth: { mode: 'managed_identity', scope: 'api://x' } })).toMatchObject({ resource: 'api://x' });
  });

  it('use only the scope of a request', () => {
    const grant = grantOf({ ...callerSettings, entra_scope: 'api://x/.default' });
    expect(grant).toMatchObject({ scope: 'api://x/.default', endpoint: { base: 'https://login.microsoftonline.com' } });
  });
});

describe('workload identity', () => {
  it('is read from the environment variables that the cluster sets', () => {
    expect(grantOf({ auth: { mode: 'workload_identity' } })).toMatchObject({
      kind: 'federated-assertion',
      endpoint: {
        base: { env: 'AZURE_AUTHORITY_HOST', otherwise: 'https://login.microsoftonline.com' },
        path: [{ env: 'AZURE_TENANT_ID' }, 'oauth2', 'v2.0', 'token'],
      },
      clientId: { env: 'AZURE_CLIENT_ID' },
      file: { env: 'AZURE_FEDERATED_TOKEN_FILE' },
    });
  });

  it('is read from the configuration', () => {
    const auth = { mode: 'workload_identity', tenant_id: 't', client_id: 'c', token_file: '/f', authority: 'https://a.example' };
    expect(grantOf({ auth })).toMatchObject({
      endpoint: { base: 'https://a.example', path: ['t', 'oauth2', 'v2.0', 'token'] },
      clientId: 'c',
      file: '/f',
    });
  });
});

describe('credential settings of a request', () => {
  it.each<[string, AzureAuthSettings, string, string]>([
    [
      'no tenant',
      { ...callerSettings, entra_tenant_id: undefined } as unknown as AzureAuthSettings,
      'missing_credential',
      'azure-entra-tenant-id',
    ],
    ['no client id', { auth_mode: 'entra', entra_tenant_id: 't' }, 'missing_credential', 'azure-entra-client-id'],
    ['no secret', { auth_mode: 'entra', entra_tenant_id: 't', entra_client_id: 'c' }, 'missing_credential', 'azure-entra-client-secret'],
    ['a tenant that is a path', { ...callerSettings, entra_tenant_id: '../x' }, 'invalid_header', 'azure-entra-tenant-id'],
    ['an unknown auth_mode', { auth_mode: 'entar', ...callerSettings }, 'invalid_header', 'azure-auth-mode'],
    ['the managed identity of the machine', { auth_mode: 'managed' }, 'not_allowed', 'azure-auth-mode'],
    ['the workload identity of the pod', { auth_mode: 'workload_identity' }, 'not_allowed', 'azure-auth-mode'],
  ])('are rejected with %s', (_, settings, code, param) => {
    expect(() => credentialOf(settings, 'k')).toThrow(expect.objectContaining({ code, param }) as Error);
  });
});
