import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type Cloud, startCloud } from '../vertex/cloud.ts';

/** A provider that stores uploads and reads their lines when a batch or tuning job is created from them. */

const keyOf = (name: string): string => `a-key-for-${name}-0123456789`;
const keyRow = (name: string): string => `{hash: "sha256:${createHash('sha256').update(keyOf(name)).digest('hex')}"}`;

let cloud: Cloud;
let gateway: TestGateway;

beforeAll(async () => {
  cloud = await startCloud();
  const hosts = `custom_host: "${cloud.upstream.url}/ai", storage_host: "${cloud.upstream.url}/gcs"`;
  gateway = await startTestGateway(
    `version: 1
providers:
  vertex: {type: vertex-ai, region: europe-west1, ${hosts}, service_account: "\${file:account.json}", storage_bucket: acme-data, isolate: true}
api_keys:
  anna: ${keyRow('anna')}
  ben: ${keyRow('ben')}
`,
    { files: { 'account.json': cloud.account } },
  );
});
afterAll(async () => {
  await gateway.close();
  await cloud.upstream.close();
});

async function send(name: string, path: string, body: FormData | object, more: Readonly<Record<string, string>> = {}) {
  const isForm = body instanceof FormData;
  const response = await fetch(`${gateway.url}/v1${path}`, {
    method: 'POST',
    headers: {
      'x-gateway-api-key': keyOf(name),
      'x-gateway-virtual-key': 'vertex',
      ...(isForm ? {} : { 'content-type': 'application/json' }),
      ...more,
    },
    body: isForm ? body : JSON.stringify(body),
  });
  const json = (await response.json()) as { id?: string; error?: { code: string; message: string } };
  return { status: response.status, id: json.id ?? '', error: json.error };
}

/** @param fields the form fields in order: `file` is the file */
function upload(
  name: string,
  content: string,
  filename: string,
  fields: readonly string[],
  headers: Readonly<Record<string, string>> = {},
) {
  const form = new FormData();
  for (const field of fields) form.set(field === 'file' ? 'file' : 'purpose', field === 'file' ? new File([content], filename) : field);
  return send(name, '/files', form, headers);
}

const part = (uri: string) => ({ fileData: { mimeType: 'image/png', fileUri: uri } });
const googleRow = (uri: string): string =>
  JSON.stringify({ request: { contents: [{ role: 'user', parts: [part(uri)] }] }, requestId: 'a' });
const openaiLine = (uri: string): string =>
  JSON.stringify({
    custom_id: 'a',
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'gemini-2.5-flash', messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: uri } }] }] },
  });
const example = (uri: string): string =>
  JSON.stringify({
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: uri } }] },
      { role: 'assistant', content: 'A cat.' },
    ],
  });

const annasFile = async (): Promise<string> =>
  decodeURIComponent((await upload('anna', 'a picture', 'my-picture.png', ['user_data', 'file'])).id);

describe('an upload with lines that refer to a file of another key', () => {
  it.each<[string, (uri: string) => string, string, readonly string[], Readonly<Record<string, string>>]>([
    ['a batch', openaiLine, 'x.jsonl', ['batch', 'file'], {}],
    ["a batch in Google's format", googleRow, 'x.txt', ['batch', 'file'], {}],
    ['a batch by the header', openaiLine, 'x.txt', ['file'], { 'x-gateway-file-purpose': 'batch' }],
    ['examples', example, 'x.jsonl', ['fine-tune', 'file'], {}],
    ["examples in Google's format", googleRow, 'x.txt', ['fine-tune', 'file'], {}],
  ])('is rejected: %s', async (_, lineOf, filename, fields, headers) => {
    const uri = await annasFile();
    const response = await upload('ben', `${lineOf(uri)}\n`, filename, fields, headers);
    expect([response.status, response.error?.code]).toEqual([404, 'object_not_found']);
    expect((await upload('anna', `${lineOf(uri)}\n`, filename, fields, headers)).status).toBe(200);
  });

  it.each<[string, readonly string[]]>([
    ['another purpose', ['user_data', 'file']],
    ['a purpose after the file', ['file', 'batch']],
    ['no purpose', ['file']],
  ])('cannot be used as input if it has %s', async (_, fields) => {
    // So long that the fields after the file are unknown when the gateway begins to forward it.
    const rows = `${googleRow(await annasFile())}\n${'{"request": {}}\n'.repeat(100_000)}`;
    const { id, status } = await upload('ben', rows, 'my rows', fields);
    expect(status).toBe(200);
    const orders: readonly (readonly [string, object])[] = [
      ['/batches', { model: 'gemini-2.5-flash', endpoint: '/v1/chat/completions', completion_window: '24h', input_file_id: id }],
      ['/fine_tuning/jobs', { model: 'gemini-2.5-flash', training_file: id }],
    ];
    for (const [path, order] of orders) {
      for (const idSpelling of [id, decodeURIComponent(id), encodeURIComponent(id)]) {
        const response = await send('ben', path, JSON.parse(JSON.stringify(order).replace(id, idSpelling)) as object);
        expect([response.status, response.error?.code]).toEqual([403, 'not_allowed']);
        expect(response.error?.message).toContain('were not read');
      }
    }
    expect([cloud.jobs.batchPredictionJobs, cloud.jobs.tuningJobs]).toEqual([[], []]);
  });
});

it('an upload whose lines were checked can be used as input', async () => {
  const { id } = await upload('ben', `${openaiLine('https://h.example/a.png')}\n`, 'x.jsonl', ['file', 'batch']);
  const created = await send('ben', '/batches', { endpoint: '/v1/chat/completions', completion_window: '24h', input_file_id: id });
  expect(created.status).toBe(200);
});
