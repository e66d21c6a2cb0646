import { fileURLToPath } from 'node:url';
import { Portkey } from 'portkey-ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { json } from '../support/upstream.ts';
import { accept, application, type AzureRig, secret, startAzureRig } from './azure-rig.ts';
import { aadsts } from './token-server.ts';

/** Entra applications in request headers, the token scopes of Azure clouds, and forwarded tokens. */

let rig: AzureRig;
beforeAll(async () => {
  rig = await startAzureRig();
});
beforeEach(() => rig.reset());
afterAll(() => rig?.close());

const plugin = (): string => `provider_plugins: ["${fileURLToPath(new URL('./local-authority.ts', import.meta.url))}"]`;
const application1 = {
  'azure-auth-mode': 'entra',
  'azure-entra-tenant-id': 't1',
  'azure-entra-client-id': 'c1',
  'azure-entra-client-secret': secret,
};
const entryFields = (): Record<string, string> => ({
  provider: 'azure-local',
  'custom-host': `${rig.upstream.url}/openai`,
  'azure-api-version': '2024-10-21',
  'local-authority': rig.tokens.url,
});
const prefixed = (tails: Readonly<Record<string, string>>, prefix = 'x-gateway-'): Record<string, string> =>
  Object.fromEntries(Object.entries(tails).map(([tail, value]) => [prefix + tail, value]));
const neutral = (tails: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(tails).map(([tail, value]) => [tail.replace('azure-', 'cloud-'), value]));

describe('an Entra application in request headers', () => {
  it.each<[string, () => Record<string, string>]>([
    ['under the azure names', () => prefixed({ ...entryFields(), ...application1 })],
    ['under neutral names', () => prefixed({ ...entryFields(), ...neutral(application1) })],
    ['with the other header prefix', () => prefixed({ ...entryFields(), ...application1 }, 'x-portkey-')],
    ['without the mode', () => prefixed({ ...entryFields(), ...application1, 'azure-auth-mode': '' })],
  ])('gets its token once: %s', async (_, headers) => {
    await rig.start('api_key: k-of-entry', { more: plugin() });
    const responses = [await rig.send(headers(), 'm'), await rig.send(headers(), 'm')];
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect([rig.signed(), rig.tokens.requests.length]).toEqual([['Bearer token-1', 'Bearer token-1'], 1]);
  });

  it('uses the scope of its header', async () => {
    rig.tokens.expected = application({ scope: 'api://x/.default' });
    await rig.start('api_key: k-of-entry', { more: plugin() });
    const response = await rig.send(prefixed({ ...entryFields(), ...application1, 'azure-entra-scope': 'api://x/.default' }), 'm');
    expect([response.status, rig.signed()]).toEqual([200, ['Bearer token-1']]);
  });

  it('shares no token with another application', async () => {
    await rig.start('api_key: k-of-entry', { more: plugin() });
    await rig.send(prefixed({ ...entryFields(), ...application1 }), 'm');
    const other = await rig.send(prefixed({ ...entryFields(), ...application1, 'azure-entra-client-secret': 'guessed-secret' }), 'm');
    const text = await other.text();
    expect([other.status, rig.signed(), rig.tokens.requests.length]).toEqual([401, ['Bearer token-1'], 2]);
    expect(text).not.toMatch(/guessed-secret|entra\/secret/);
  });

  it('is rejected with the name of the wrong header', async () => {
    rig.tokens.errorResponse = aadsts(7000215, 'Invalid client secret provided.');
    await rig.start('api_key: k-of-entry', { more: plugin() });
    const response = await rig.send(prefixed({ ...entryFields(), ...application1 }), 'm');
    expect([response.status, await response.json()]).toMatchObject([
      401,
      { error: { code: 'missing_credential', param: 'azure-entra-client-secret' } },
    ]);
  });

  it('can be sent by npm portkey-ai', async () => {
    await rig.start('api_key: k-of-entry', { more: plugin() });
    const options = {
      provider: 'azure-local',
      customHost: `${rig.upstream.url}/openai`,
      azureApiVersion: '2024-10-21',
      azureAuthMode: 'entra',
      azureEntraTenantId: 't1',
      azureEntraClientId: 'c1',
      azureEntraClientSecret: secret,
      localAuthority: rig.tokens.url,
    };
    const client = new Portkey({ baseURL: `${rig.gateway.url}/v1`, apiKey: 'none', ...options });
    const completion = await client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
    expect([completion.object, rig.signed(), rig.tokens.requests.length]).toEqual(['chat.completion', ['Bearer token-1'], 1]);
    const sent = JSON.stringify(rig.upstream.requests.map(({ rawHeaders }) => rawHeaders));
    expect(sent).not.toMatch(/portkey|entra/i);
  });
});

describe('the token scope of a cloud', () => {
  /** These hosts do not respond here: only the request for the token is checked. */
  it.each([
    ['x.openai.azure.us/openai', 'https://cognitiveservices.azure.us/.default'],
    ['x.openai.azure.cn/openai', 'https://cognitiveservices.azure.cn/.default'],
    ['x.cognitiveservices.azure.us/openai', 'https://cognitiveservices.azure.us/.default'],
  ])('is that of the host %s', async (host, scope) => {
    rig.tokens.expected = application({ scope });
    const auth = `{mode: entra, tenant_id: t1, client_id: c1, client_secret: "\${env:SECRET}", authority: "${rig.tokens.url}"}`;
    const more = `
  cloud:
    type: azure-openai
    custom_host: "https://${host}"
    api_version: "2024-10-21"
    deployment_id: d1
    timeouts: {connect: 200ms}
    auth: ${auth}`;
    await rig.start('api_key: k-of-entry', { more });
    const response = await rig.send({}, '@cloud/m');
    expect([response.ok, rig.tokens.issuedCount, rig.upstream.requests.length]).toEqual([false, 1, 0]);
    expect(await response.text()).not.toContain('provider_auth_failed');
  });
});

describe('a forwarded token of the client', () => {
  const token = 'Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJl';
  const forwarded = { authorization: token, 'x-gateway-forward-headers': 'Authorization', 'x-gateway-provider': '@azure' };
  /** A key of the provider and one of the deployment: neither may be sent. */
  const entry = 'api_key: k-of-entry\n    deployments: {m: {deployment_id: d2, api_key: k-of-deployment, foundation_model: gpt-4o}}';
  const form = (fields: Record<string, string>): FormData => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('file', new Blob(['{}\n']), 'a.jsonl');
    return form;
  };

  const batch = { id: 'b-1', status: 'completed', output_file_id: 'file-1' };
  it.each<[string, string, string, string | FormData | undefined, number]>([
    ['chat', 'POST', 'chat/completions', '{"model":"m","messages":[]}', 1],
    ['a form', 'POST', 'audio/transcriptions', form({ model: 'm' }), 1],
    ['an upload', 'POST', 'files', form({ purpose: 'batch' }), 1],
    ['a download', 'GET', 'files/file-1/content', undefined, 1],
    ['a batch', 'POST', 'batches', '{"input_file_id":"f","endpoint":"/v1/chat/completions"}', 1],
    ['the output of a batch, in two steps', 'GET', 'batches/b-1/output', undefined, 2],
    ['a job', 'POST', 'fine_tuning/jobs', '{"model":"gpt-4o-mini","training_file":"f"}', 1],
    ['a relayed path', 'POST', 'vector_stores', '{"name":"n"}', 1],
    ['a relayed GET request', 'GET', 'vector_stores/vs-1', undefined, 1],
  ])('is the only credential for %s', async (_, method, path, body, requests) => {
    rig.upstream.script = (response, request, count) =>
      request.url.includes('chat') ? accept(response, request, count) : json(response, 200, batch);
    await rig.start(entry);
    const type: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    const response = await fetch(`${rig.gateway.url}/v1/${path}`, {
      method,
      headers: { ...forwarded, ...type },
      ...(body === undefined ? {} : { body }),
    });
    await response.arrayBuffer();
    expect([response.status, rig.signed()]).toEqual([200, Array.from({ length: requests }, () => token)]);
    for (const { rawHeaders } of rig.upstream.requests) expect(rawHeaders.join('\n')).not.toMatch(/k-of-|api-key/i);
  });
});
