import { describe, expect, it } from 'vitest';
import type { CredentialSpec, OAuthGrant } from '#core/provider.ts';
import { azureCredential, type SignedAddress } from './credential.ts';
import type { AzureAuthSettings } from './request-auth.ts';

const place: SignedAddress = { origin: 'https://r1.openai.azure.com', path: '/openai' };
const of = (settings: AzureAuthSettings, key?: string, at: SignedAddress = place): CredentialSpec =>
  azureCredential(settings, key, at, (secret) => ({ scheme: 'header', name: 'api-key', secret }));

function grantOf(settings: AzureAuthSettings, at: SignedAddress = place): OAuthGrant {
  const spec = of(settings, undefined, at);
  if (spec.scheme !== 'oauth2') throw new Error(`signed by ${spec.scheme}`);
  return spec.grant;
}

const entra = { mode: 'entra', tenant_id: 't1', client_id: 'c1', client_secret: 's1' } as const;
const brought = { entra_tenant_id: 't2', entra_client_id: 'c2', entra_client_secret: 's2' } as const;
const jwt = 'eyJhbGciOiJub25lIn0.eyJhIjoxfQ.c2ln';

describe('the order', () => {
  it.each<[string, AzureAuthSettings, string | undefined, object]>([
    ['a token before everything', { ad_token: 'Bearer t-1', auth: entra }, 'k', { scheme: 'bearer', secret: 't-1' }],
    ['an application before the key', { auth: entra }, 'k', { scheme: 'oauth2', grant: { clientId: 'c1' } }],
    ['the entry before what a request brings', { auth: entra, ...brought }, 'k', { scheme: 'oauth2', grant: { clientId: 'c1' } }],
    ['an application of the request', { auth_mode: 'entra', ...brought }, 'k', { scheme: 'oauth2', grant: { clientId: 'c2' } }],
    ['the same without the word', brought, undefined, { scheme: 'oauth2', grant: { clientId: 'c2' } }],
    ['the key where the word says so', { auth_mode: 'api_key', ...brought }, 'k', { scheme: 'header', name: 'api-key', secret: 'k' }],
    ["other gateways' word for the key", { auth_mode: 'default' }, 'k', { scheme: 'header', name: 'api-key', secret: 'k' }],
    ['the key last', {}, 'k', { scheme: 'header', name: 'api-key', secret: 'k' }],
    [
      'a key by its own header before one in authorization',
      { cloud_api_key: 'h' },
      'k',
      { scheme: 'header', name: 'api-key', secret: 'h' },
    ],
    ['a key that is a token as bearer', {}, jwt, { scheme: 'bearer', secret: jwt }],
    ['a key with dots that is none', {}, 'eyJ.not.a token', { scheme: 'header', secret: 'eyJ.not.a token' }],
    ['nothing', {}, undefined, { scheme: 'none' }],
  ])('%s', (_, settings, key, spec) => {
    expect(of(settings, key)).toMatchObject(spec);
  });
});

describe('authority and scope', () => {
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
  ])('of %s%s', (origin, path, base, scope) => {
    expect(grantOf({ auth: entra }, { origin, path })).toMatchObject({
      endpoint: { base, path: ['t1', 'oauth2', 'v2.0', 'token'] },
      scope,
    });
    expect(grantOf(brought, { origin, path })).toMatchObject({ endpoint: { base }, scope });
    expect(grantOf({ auth: { mode: 'managed_identity' } }, { origin, path })).toMatchObject({ resource: scope.replace('/.default', '') });
  });

  it('of an entry are as written', () => {
    const auth = { ...entra, scope: 'api://x/.default', authority: 'http://login.internal:8080' };
    expect(grantOf({ auth })).toMatchObject({ scope: 'api://x/.default', endpoint: { base: 'http://login.internal:8080' } });
    expect(grantOf({ auth: { mode: 'managed_identity', scope: 'api://x/.default' } })).toMatchObject({ resource: 'api://x' });
    expect(grantOf({ auth: { mode: 'managed_identity', scope: 'api://x' } })).toMatchObject({ resource: 'api://x' });
  });

  it('of a request: the scope only', () => {
    const found = grantOf({ ...brought, entra_scope: 'api://x/.default' });
    expect(found).toMatchObject({ scope: 'api://x/.default', endpoint: { base: 'https://login.microsoftonline.com' } });
  });
});

describe('the identity of a pod', () => {
  it('comes from the variables that the cluster sets', () => {
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

  it('comes from what is written', () => {
    const auth = { mode: 'workload_identity', tenant_id: 't', client_id: 'c', token_file: '/f', authority: 'https://a.example' };
    expect(grantOf({ auth })).toMatchObject({
      endpoint: { base: 'https://a.example', path: ['t', 'oauth2', 'v2.0', 'token'] },
      clientId: 'c',
      file: '/f',
    });
  });
});

describe('what a request brings', () => {
  it.each<[string, AzureAuthSettings, string, string]>([
    [
      'no tenant',
      { ...brought, entra_tenant_id: undefined } as unknown as AzureAuthSettings,
      'missing_credential',
      'azure-entra-tenant-id',
    ],
    ['no id', { auth_mode: 'entra', entra_tenant_id: 't' }, 'missing_credential', 'azure-entra-client-id'],
    ['no secret', { auth_mode: 'entra', entra_tenant_id: 't', entra_client_id: 'c' }, 'missing_credential', 'azure-entra-client-secret'],
    ['a tenant that is a path', { ...brought, entra_tenant_id: '../x' }, 'invalid_header', 'azure-entra-tenant-id'],
    ['a mode that is none', { auth_mode: 'entar', ...brought }, 'invalid_header', 'azure-auth-mode'],
    ['the identity of the machine', { auth_mode: 'managed' }, 'not_allowed', 'azure-auth-mode'],
    ['the identity of the pod', { auth_mode: 'workload_identity' }, 'not_allowed', 'azure-auth-mode'],
  ])('is refused with %s', (_, settings, code, param) => {
    expect(() => of(settings, 'k')).toThrow(expect.objectContaining({ code, param }) as Error);
  });
});
