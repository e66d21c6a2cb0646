import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { json } from '../support/upstream.ts';
import type { ParsedRequest } from './parsed-request.ts';
import { callersToken } from './cloud.ts';
import { type Rig, startRig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.close());
afterEach(() => {
  rig.cloud.interrupt = undefined;
});

const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 10, totalTokenCount: 13 };
const painted = (data: string): object => ({
  candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data } }] }, finishReason: 'STOP' }],
  usageMetadata,
});

/** Responds to each image request in turn; a number is a status. */
function paints(...scripted: readonly (string | number)[]): ParsedRequest[] {
  const generations: ParsedRequest[] = [];
  rig.cloud.interrupt = (parsed, response) => {
    if (!parsed.path.endsWith(':generateContent')) return false;
    const next = scripted[generations.push(parsed) - 1] ?? 500;
    if (typeof next === 'string') json(response, 200, painted(next));
    else json(response, next, { error: { code: next, message: 'no', status: 'INTERNAL' } });
    return true;
  };
  return generations;
}

const generate = (n: number) =>
  rig.fetch('/images/generations', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gemini-2.5-flash-image', prompt: 'a lighthouse', size: '1024x1024', n }),
  });

it('images/generations calls a single-image model once per image', async () => {
  const generations = paints('AA==', 'BB==', 'CC==');
  const response = await generate(3);
  expect([response.status, response.headers.get('x-gateway-dropped-params'), generations.length]).toEqual([200, null, 3]);
  expect(await response.json()).toMatchObject({
    data: [{ b64_json: 'AA==' }, { b64_json: 'BB==' }, { b64_json: 'CC==' }],
    usage: { input_tokens: 9, input_tokens_details: { image_tokens: 0, text_tokens: 9 }, output_tokens: 30, total_tokens: 39 },
  });
  expect(new Set(generations.map((one) => one.request.body.toString())).size).toBe(1);
  const record = await rig.gateway.record(response.headers.get('x-request-id'));
  expect(record.usage).toMatchObject({ prompt: 9, completion: 30 });
});

it('images/generations returns the images so far with a warning if a later one fails', async () => {
  paints('AA==', 503);
  const response = await generate(2);
  expect([response.status, response.headers.get('x-gateway-warnings')]).toEqual([200, expect.stringContaining('status 503')]);
  expect(await response.json()).toMatchObject({ data: [{ b64_json: 'AA==' }] });
});

it('images/generations returns the error of the first image', async () => {
  const generations = paints(500);
  expect([(await generate(2)).status, generations.length]).toEqual([500, 1]);
});

it('images/generations creates at most four images and reports n as dropped', async () => {
  const generations = paints('AA==', 'BB==', 'CC==', 'DD==', 'EE==');
  const response = await generate(6);
  expect([response.headers.get('x-gateway-dropped-params'), generations.length]).toEqual(['n', 4]);
});

const stored = 'gs://acme-data/gateway/images/a/';
const callersKey = { 'x-gateway-virtual-key': 'own', authorization: `Bearer ${callersToken}`, 'x-gateway-api-key': 'any-key-of-a-caller' };

/** Sends a request of Imagen, and returns the status, the error code and the address at which the service stores the images. */
async function store(settings: object, headers: Readonly<Record<string, string>> = {}): Promise<unknown[]> {
  const requests: unknown[] = [];
  rig.cloud.interrupt = ({ path, body }, response) => {
    if (!path.endsWith(':predict')) return false;
    requests.push((body()['parameters'] as Record<string, unknown>)['storageUri']);
    json(response, 200, { predictions: [{ gcsUri: `${stored}1.png`, mimeType: 'image/png' }] });
    return true;
  };
  const response = await rig.fetch('/images/generations', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'imagen-4.0-generate-001', prompt: 'a lighthouse', ...settings }),
  });
  const { error } = (await response.json()) as { error?: { code: string } };
  return [response.status, error?.code, ...requests];
}

it.each([
  [{ storage_uri: stored }],
  [{ storageUri: encodeURIComponent(stored) }],
  [{ image_config: { storage_uri: 'GS://acme-data/gateway/images/a/' } }],
])('images/generations stores images in the bucket of the provider: %j', async (settings) => {
  expect(await store(settings)).toEqual([200, undefined, stored]);
});

it.each([
  [{ storage_uri: 'gs://foreign/gateway/images/' }],
  [{ storageUri: 'gs://foreign/x/' }],
  [{ image_config: { storage_uri: 'gs://foreign/x/' } }],
  [{ image_config: { storageUri: 'gs%3A%2F%2Fforeign%2Fx' } }],
  [{ storage_uri: ' gs://foreign/gateway/images/' }],
  [{ storage_uri: 'gs://acme-more/gateway/images/' }],
  [{ storage_uri: 'gs://acme-data/other/' }],
  [{ storage_uri: 'gs://acme-data/gateway/files/' }],
  [{ storage_uri: 'gs://acme-data/gateway/images/../files/' }],
])('images/generations rejects other addresses with the credential of the provider: %j', async (settings) => {
  expect(await store(settings)).toEqual([403, 'not_allowed']);
});

it('images/generations stores nothing with the credential of a provider without a bucket', async () => {
  expect(await store({ storage_uri: stored }, { 'x-gateway-virtual-key': 'bare' })).toEqual([400, 'missing_required_parameter']);
});

it('images/generations stores images in any bucket with the token of the client', async () => {
  expect(await store({ storage_uri: 'gs://theirs/x/' }, callersKey)).toEqual([200, undefined, 'gs://theirs/x/']);
});
