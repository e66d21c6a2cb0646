import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json } from '../support/upstream.ts';
import { type Cloud, startCloud } from '../vertex/cloud.ts';

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

async function send(name: string, path: string, body: FormData | object): Promise<{ status: number; json: Record<string, unknown> }> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${gateway.url}/v1${path}`, {
    method: 'POST',
    headers: {
      'x-gateway-api-key': keyOf(name),
      'x-gateway-virtual-key': 'vertex',
      ...(isForm ? {} : { 'content-type': 'application/json' }),
    },
    body: isForm ? body : JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

async function upload(name: string): Promise<string> {
  const form = new FormData();
  form.set('purpose', 'user_data');
  form.set('file', new File(['a picture'], 'my picture.png', { type: 'image/png' }));
  return String((await send(name, '/files', form)).json['id']);
}

const message = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'c',
  content: [{ type: 'text', text: 'seen' }],
  stop_reason: 'end_turn',
  usage: {},
};

describe('a chat request with a file of another key', () => {
  it.each([
    ['gemini-2.5-flash', 'image_url'],
    ['gemini-2.5-flash', 'file'],
    ['anthropic.claude-sonnet-4-5', 'image_url'],
    ['anthropic.claude-sonnet-4-5', 'file'],
  ])('returns 404 without a request to the provider: %s, %s', async (model, type) => {
    const id = await upload('anna');
    cloud.interrupt = ({ path }, response) => {
      if (!/:(?:rawPredict|generateContent)$/.test(path)) return false;
      json(
        response,
        200,
        path.endsWith(':rawPredict') ? message : { candidates: [{ content: { parts: [{ text: 'seen' }] }, finishReason: 'STOP' }] },
      );
      return true;
    };
    for (const url of [id, decodeURIComponent(id), encodeURIComponent(id)]) {
      const part = type === 'file' ? { type, file: { file_id: url } } : { type, image_url: { url } };
      const chat = { model, max_tokens: 9, messages: [{ role: 'user', content: [part] }] };
      cloud.takeRequests();
      const response = await send('ben', '/chat/completions', chat);
      expect([response.status, (response.json['error'] as { code: string }).code, cloud.takeRequests()]).toEqual([
        404,
        'object_not_found',
        [],
      ]);
      expect((await send('anna', '/chat/completions', chat)).status).toBe(200);
    }
  });
});

describe('an image edit with a file of another key', () => {
  it.each([
    ['image', true],
    ['image[]', false],
    ['mask', true],
  ])('returns 404 without a request to the provider: file ID in the field "%s"', async (field, isLast) => {
    const id = await upload('anna');
    cloud.interrupt = ({ path }, response) => {
      if (!/:(?:predict|generateContent)$/.test(path)) return false;
      const painted = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
      json(response, 200, { candidates: [{ content: { parts: [painted] }, finishReason: 'STOP' }] });
      return true;
    };
    for (const url of [decodeURIComponent(id), id]) {
      const form = new FormData();
      if (!isLast) form.append(field, url);
      form.set('model', 'gemini-2.5-flash-image');
      form.set('prompt', 'in blue');
      form.append('image', new File(['\x89PNG\r\n'], 'own.png', { type: 'image/png' }));
      if (isLast) form.append(field, url);
      cloud.takeRequests();
      const response = await send('ben', '/images/edits', form);
      expect([response.status, (response.json['error'] as { code: string } | undefined)?.code, cloud.takeRequests()]).toEqual([
        404,
        'object_not_found',
        [],
      ]);
      if (field !== 'mask') expect((await send('anna', '/images/edits', form)).status).toBe(200);
    }
  });
});
