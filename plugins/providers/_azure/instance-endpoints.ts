import type { GrantRepeat, InstanceEndpoint } from '#core/secrets/grant.ts';

/** Delays before repeats, as in the service's own libraries. 410 means that the endpoint is being updated. */
const repeats: readonly GrantRepeat[] = [
  { statuses: [404, 429, 500, 502, 503, 504], waitsMs: [0, 1600, 3200, 6400, 12_800] },
  { statuses: [410], waitsMs: [10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000] },
];

const commonOptions = { method: 'GET', connectMs: 1000, repeats } as const;

/** The local endpoints of a managed identity, in the order of detection. */
export const instanceEndpoints: readonly InstanceEndpoint[] = [
  {
    ...commonOptions,
    name: 'Service Fabric',
    when: ['IDENTITY_ENDPOINT', 'IDENTITY_HEADER', 'IDENTITY_SERVER_THUMBPRINT'],
    // Its certificate is identified only by a thumbprint, which the HTTP client here cannot verify.
    unsupported: 'is not supported: use workload_identity, or entra with a client secret',
    url: { env: 'IDENTITY_ENDPOINT' },
    parameters: { 'api-version': '2019-07-01-preview' },
    headers: { secret: { env: 'IDENTITY_HEADER' } },
  },
  {
    ...commonOptions,
    name: 'App Service',
    when: ['IDENTITY_ENDPOINT', 'IDENTITY_HEADER'],
    url: { env: 'IDENTITY_ENDPOINT' },
    parameters: { 'api-version': '2019-08-01' },
    headers: { 'x-identity-header': { env: 'IDENTITY_HEADER' } },
    identity: 'client_id',
  },
  {
    ...commonOptions,
    name: 'Azure Arc',
    when: ['IDENTITY_ENDPOINT', 'IMDS_ENDPOINT'],
    url: { env: 'IDENTITY_ENDPOINT' },
    parameters: { 'api-version': '2020-06-01' },
    headers: { metadata: 'true' },
    challenge: {
      folders: [['/var/opt/azcmagent/tokens'], [{ env: 'ProgramData' }, 'AzureConnectedMachineAgent', 'Tokens']],
      suffix: '.key',
      maxBytes: 4096,
    },
  },
  {
    ...commonOptions,
    name: 'Machine Learning',
    when: ['MSI_ENDPOINT', 'MSI_SECRET'],
    url: { env: 'MSI_ENDPOINT' },
    parameters: { 'api-version': '2017-09-01' },
    headers: { secret: { env: 'MSI_SECRET' } },
    identity: 'clientid',
    defaultIdentity: { env: 'DEFAULT_IDENTITY_CLIENT_ID', otherwise: '' },
  },
  {
    ...commonOptions,
    name: 'Cloud Shell',
    when: ['MSI_ENDPOINT'],
    url: { env: 'MSI_ENDPOINT' },
    method: 'POST',
    parameters: {},
    headers: { metadata: 'true' },
  },
  {
    ...commonOptions,
    name: 'the instance metadata endpoint',
    when: [],
    url: { env: 'AZURE_POD_IDENTITY_AUTHORITY_HOST', otherwise: 'http://169.254.169.254' },
    path: '/metadata/identity/oauth2/token',
    parameters: { 'api-version': '2018-02-01' },
    headers: { metadata: 'true' },
    identity: 'client_id',
  },
];
