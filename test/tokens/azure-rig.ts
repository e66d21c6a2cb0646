import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { completion, json, type Script, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { type Expected, startTokenServer, type TokenServer } from './token-server.ts';

export const audience = 'https://cognitiveservices.azure.com';
/** With characters that a form has to encode. */
export const secret = 'entra/secret+value=';

export const accept: Script = (response) => json(response, 200, completion('yes'));

/** A token endpoint, a provider behind an entry called `azure`, and a gateway between them. */
export interface AzureRig {
  readonly tokens: TokenServer;
  readonly upstream: ScriptedUpstream;
  gateway: TestGateway;
  /** What signed the requests that the provider got: never both. */
  signed(): (string | undefined)[];
  /** Starts a gateway. `auth`: the part of the entry that says how to sign. */
  start(auth: string, options?: { env?: Readonly<Record<string, string>>; more?: string }): Promise<void>;
  send(headers?: Record<string, string>, model?: string): Promise<Response>;
  reset(): Promise<void>;
  close(): Promise<void>;
}

export async function startAzureRig(): Promise<AzureRig> {
  const tokens = await startTokenServer();
  const upstream = await startUpstream(accept);
  let gateway: TestGateway | undefined;
  const rig: AzureRig = {
    tokens,
    upstream,
    get gateway() {
      if (gateway === undefined) throw new Error('no gateway was started');
      return gateway;
    },
    signed: () =>
      upstream.requests.map(({ headers }) => {
        const key = headers['api-key'];
        return headers.authorization === undefined
          ? key && `api-key ${String(key)}`
          : headers.authorization + (key === undefined ? '' : ' and a key');
      }),
    async start(auth, { env = {}, more = '' } = {}) {
      gateway = await startTestGateway(yaml(upstream, auth, more), { env: { SECRET: secret, ...env } });
    },
    send: (headers = {}, model = '@azure/m') =>
      fetch(`${rig.gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
      }),
    async reset() {
      await gateway?.close();
      gateway = undefined;
      tokens.requests.length = 0;
      upstream.requests.length = 0;
      upstream.script = accept;
      Object.assign(tokens, {
        expected: application(),
        life: { expires_in: 3599 },
        errorResponse: undefined,
        mismatch: undefined,
        issuedCount: 0,
      });
    },
    close: async () => {
      await gateway?.close();
      await Promise.all([tokens.close(), upstream.close()]);
    },
  };
  return rig;
}

function yaml(upstream: ScriptedUpstream, auth: string, more: string): string {
  return `
version: 1
server: {egress: {allow: [127.0.0.1]}}
providers:
  azure:
    type: azure-openai
    custom_host: "${upstream.url}/openai"
    api_version: "2024-10-21"
    deployment_id: d1
    ${auth}
${more}`;
}

/** `auth:` of an application whose tokens this server gives. */
export const entra = ({ url }: TokenServer, overrides = ''): string =>
  `auth: {mode: entra, tenant_id: t1, client_id: c1, client_secret: "\${env:SECRET}", authority: "${url}"${overrides}}`;

/** The request for a token of that application. */
export const application = (overrides: Readonly<Record<string, string>> = {}): Expected => ({
  method: 'POST',
  path: '/t1/oauth2/v2.0/token',
  parameters: { grant_type: 'client_credentials', client_id: 'c1', client_secret: secret, scope: `${audience}/.default`, ...overrides },
});
