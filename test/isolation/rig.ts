import { createHash } from 'node:crypto';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { type Account, startAccount } from './account.ts';

const keyOf = (name: string): string => `a-key-for-${name}-0123456789`;
const hashOf = (name: string): string => `"sha256:${createHash('sha256').update(keyOf(name)).digest('hex')}"`;

/** Two tenants, and an operator's key that sees the complete account. */
export const names = ['anna', 'ben', 'operator'] as const;
export type Name = (typeof names)[number];

export const yamlFor = (account: Account): string => `
version: 1
providers:
  main: {type: openai, api_key: sk-0123456789, custom_host: "${account.upstream.url}/v1", isolate: true}
  shared: {type: openai, api_key: sk-0123456789, custom_host: "${account.upstream.url}/v1"}
virtual_keys:
  team: {provider: main}
configs:
  both: {strategy: {mode: fallback}, targets: [{provider: main}, {provider: shared}]}
api_keys:
  anna: {hash: ${hashOf('anna')}}
  ben: {hash: ${hashOf('ben')}}
  operator: {hash: ${hashOf('operator')}, isolate: false}
`;

export interface Rig {
  readonly account: Account;
  readonly gateway: TestGateway;
  send(name: Name, method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ReadResponse>;
  close(): Promise<void>;
}

export interface ReadResponse {
  readonly status: number;
  readonly text: string;
  readonly json: Record<string, never>;
  readonly headers: Headers;
}

export async function startRig(options?: TestGatewayOptions): Promise<Rig> {
  const account = await startAccount();
  const gateway = await startTestGateway(yamlFor(account), options);
  return {
    account,
    gateway,
    send: (name, method, path, body, headers) => sendAs(gateway.url, name, method, path, body, headers),
    async close() {
      await gateway.close();
      await account.close();
    },
  };
}

export async function sendAs(
  url: string,
  name: Name,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<ReadResponse> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      'x-gateway-api-key': keyOf(name),
      'x-gateway-provider': '@main',
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isForm ? body : typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  let json = {} as ReadResponse['json'];
  try {
    json = JSON.parse(text) as ReadResponse['json'];
  } catch {
    // Streams and bytes are returned as text.
  }
  return { status: response.status, text, json, headers: response.headers };
}

export { keyOf };

export function upload(content: string, filename = 'input.jsonl', purpose = 'batch'): FormData {
  const form = new FormData();
  form.set('purpose', purpose);
  form.set('file', new Blob([content]), filename);
  return form;
}
