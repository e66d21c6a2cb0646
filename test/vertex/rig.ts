import OpenAI, { toFile } from 'openai';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type Cloud, startCloud } from './cloud.ts';

/** What differs from a plain GET. */
export interface RequestOptions {
  readonly method?: string;
  readonly body?: string | FormData;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A gateway in front of a cloud. */
export interface Rig {
  readonly cloud: Cloud;
  readonly gateway: TestGateway;
  /** A client that says with which entry it works. */
  client(headers?: Record<string, string>): OpenAI;
  fetch(path: string, init?: RequestOptions): Promise<Response>;
  close(): Promise<void>;
}

export async function startRig(): Promise<Rig> {
  const cloud = await startCloud();
  const hosts = `custom_host: "${cloud.upstream.url}/ai", storage_host: "${cloud.upstream.url}/gcs"`;
  const entry = (more: string): string => `{type: vertex-ai, region: europe-west1, ${hosts}, ${more}}`;
  const account = 'service_account: "${file:account.json}"';
  const gateway = await startTestGateway(
    `version: 1
server: {egress: {allow: ["127.0.0.1"]}}
providers:
  vertex: ${entry(`${account}, storage_bucket: acme-data, media: {buckets: [acme-more]}`)}
  narrow: ${entry(`${account}, storage_bucket: acme-data, models: [gemini-2.5-flash*]`)}
  bare: ${entry(account)}
  reading: ${entry(`${account}, media: {buckets: [acme-more]}`)}
  own: ${entry('project: acme-ml, auth: {mode: caller}')}
  tuned: ${entry(`${account}, storage_bucket: acme-data, endpoint_format: generateContent`)}
  other: {type: openai, custom_host: "${cloud.upstream.url}/other/v1", api_key: sk-other}
configs:
  both: {strategy: {mode: fallback}, targets: [{provider: "@vertex"}, {provider: "@other"}]}
`,
    { files: { 'account.json': cloud.account } },
  );
  const baseURL = `${gateway.url}/v1`;
  return {
    cloud,
    gateway,
    client: (headers = { 'x-gateway-virtual-key': 'vertex' }) =>
      new OpenAI({ apiKey: 'unused', baseURL, defaultHeaders: headers, maxRetries: 0 }),
    fetch: (path, init = {}) => fetch(`${baseURL}${path}`, { ...init, headers: { 'x-gateway-virtual-key': 'vertex', ...init.headers } }),
    async close() {
      await gateway.close();
      await cloud.upstream.close();
    },
  };
}

/** A line of a batch. */
export const line = (id: string, content: string, model = 'gemini-2.5-flash', more: object = {}): string =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model, messages: [{ role: 'user', content }], ...more },
  });

export const jsonl = (lines: readonly string[], name = 'batch.jsonl') =>
  toFile(Buffer.from(lines.map((one) => `${one}\n`).join('')), name, { type: 'application/jsonl' });

/** JSON lines as objects. */
export const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => JSON.parse(one) as Record<string, unknown>);
