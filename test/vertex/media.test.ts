import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { json } from '../support/upstream.ts';
import type { ParsedRequest } from './parsed-request.ts';
import { callersToken } from './cloud.ts';
import { type Rig, startRig } from './rig.ts';

/** Files in object storage in a chat: which are allowed, and how they reach models that read no URLs. */

const picture = Buffer.from('a picture');
const usage = { input_tokens: 1, output_tokens: 1 };
const message = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'c',
  content: [{ type: 'text', text: 'seen' }],
  stop_reason: 'end_turn',
  usage,
};
const content = {
  candidates: [{ content: { parts: [{ text: 'seen' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
};

let rig: Rig;
/** Bodies that reached a model. */
let modelRequests: Record<string, unknown>[] = [];

beforeAll(async () => {
  rig = await startRig();
});
afterAll(async () => {
  await rig.close();
});
afterEach(() => {
  modelRequests = [];
  rig.cloud.takeRequests();
});

/** Serves the objects of all buckets; models respond that they have seen something. */
function serve({ method, path, request, body }: ParsedRequest, response: ServerResponse): boolean {
  if (method === 'GET' && path.startsWith('/gcs/storage/v1/b/')) {
    const type = path.endsWith('.pdf') ? 'application/pdf' : path.endsWith('.txt') ? 'text/plain' : 'image/png';
    if (path.endsWith('missing.png')) json(response, 404, { error: { code: 404, message: 'No such object' } });
    else if (path.endsWith('large.png')) response.writeHead(200, { 'content-type': type, 'content-length': 10_000_000_000 }).end();
    else response.writeHead(200, { 'content-type': type }).end(picture);
    return request.headers.authorization !== undefined;
  }
  if (!/:rawPredict$|:generateContent$|\/endpoints\/openapi\/chat\/completions$/.test(path)) return false;
  modelRequests.push(body());
  if (path.endsWith('/completions')) {
    json(response, 200, { id: 'x', object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content: 'seen' } }] });
    return true;
  }
  json(response, 200, path.endsWith(':rawPredict') ? message : content);
  return true;
}

const image = (url: string): object => ({ type: 'image_url', image_url: { url } });
const byId = (file_id: string): object => ({ type: 'file', file: { file_id, filename: 'a.png' } });

async function chat(model: string, part: object, headers: Readonly<Record<string, string>> = {}) {
  rig.cloud.interrupt = serve;
  const response = await rig.fetch('/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, max_tokens: 9, messages: [{ role: 'user', content: [part] }] }),
  });
  const text = await response.text();
  return { status: response.status, text, error: (JSON.parse(text) as { error?: { message: string; code: string } }).error };
}

const claude = 'anthropic.claude-sonnet-4-5';
const gemini = 'gemini-2.5-flash';
const ownHeaders = { 'x-gateway-virtual-key': 'own', authorization: `Bearer ${callersToken}`, 'x-gateway-api-key': 'any-key-of-a-caller' };
const parts = (): unknown => (modelRequests[0]?.['messages'] as { content: unknown }[] | undefined)?.[0]?.content;
const references = (): unknown => (modelRequests[0]?.['contents'] as { parts: unknown }[] | undefined)?.[0]?.parts;

describe('a chat with an Anthropic model', () => {
  const inlined = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture.toString('base64') } };

  it.each([
    ['a URL', image('gs://acme-data/a b/c.png')],
    ['a URL in capitals', image('GS://acme-data/a b/c.png')],
    ['the id of a file', image('gs%3A%2F%2Facme-data%2Fa%20b%2Fc.png')],
    ['the id of a file, encoded twice', image('gs%253A%252F%252Facme-data%252Fa%2520b%252Fc.png')],
    ['a file part with a URL', byId('gs://acme-data/a b/c.png')],
    ['a file part with an id', byId('gs%3A%2F%2Facme-data%2Fa%20b%2Fc.png')],
  ])('gets the file from the bucket: %s', async (_, part) => {
    expect((await chat(claude, part)).status).toBe(200);
    expect(parts()).toEqual([inlined]);
    expect(rig.cloud.takeRequests()[0]).toBe('GET /gcs/storage/v1/b/acme-data/o/a%20b%2Fc.png?alt=media');
  });

  it('reads further buckets that the provider allows', async () => {
    expect((await chat(claude, image('gs://acme-more/c.png'))).status).toBe(200);
    expect(parts()).toEqual([inlined]);
  });

  it.each(['vertex', 'bare'])('rejects a bucket that the provider does not allow: %s', async (entry) => {
    const response = await chat(claude, image('gs://foreign/c.png'), { 'x-gateway-virtual-key': entry });
    expect([response.status, response.error?.code]).toEqual([403, 'not_allowed']);
    expect(response.error?.message).toContain('"foreign"');
    expect(rig.cloud.takeRequests()).toEqual([]);
  });

  it('reads any bucket with the token of the client', async () => {
    expect((await chat(claude, image('gs://foreign/c.png'), ownHeaders)).status).toBe(200);
    expect(parts()).toEqual([inlined]);
    expect(rig.cloud.upstream.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${callersToken}`,
      `Bearer ${callersToken}`,
    ]);
  });

  it.each([
    ['missing.png', 400, /returned 404/],
    ['large.png', 400, /is larger than/],
  ])('reports a file that cannot be downloaded: %s', async (name, status, message) => {
    const response = await chat(claude, image(`gs://acme-data/${name}`));
    expect([response.status, response.error?.code]).toEqual([status, 'media_fetch_failed']);
    expect(response.error?.message).toMatch(message);
    expect(modelRequests).toEqual([]);
  });

  it.each(['gs://acme-data/../foreign/c.png', 'gs://acme-data', 'gs://acme_DATA/c.png', 'gs%3A%2F%2Facme-data%2F..%2F..%2Fb%2Fforeign'])(
    'rejects %s with 404',
    async (url) => {
      const response = await chat(claude, image(url));
      expect(response.status).toBe(404);
      expect(rig.cloud.takeRequests()).toEqual([]);
    },
  );
});

describe('a request of the Messages API', () => {
  const url = 'gs://acme-data/c.png';
  const source = { type: 'base64', media_type: 'image/png', data: picture.toString('base64') };
  const send = async (path: string, url: string) => {
    rig.cloud.interrupt = serve;
    const block = { type: 'image', source: { type: 'url', url: url }, cache_control: { type: 'ephemeral' } };
    const content = [{ type: 'tool_result', tool_use_id: 't', content: [block] }, block, { type: 'text', text: '"url"' }];
    const before = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] };
    const messages = [{ role: 'user', content: 'Hi' }, before, { role: 'user', content }];
    return rig.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: claude, max_tokens: 9, messages }),
    });
  };

  it.each(['/messages', '/messages/count_tokens'])('gets its files from the bucket: %s', async (path) => {
    expect((await send(path, url)).status).toBe(200);
    const block = { type: 'image', source, cache_control: { type: 'ephemeral' } };
    const sent = modelRequests[0]?.['messages'] as { content: unknown }[] | undefined;
    expect(sent?.[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 't', content: [block] },
      block,
      { type: 'text', text: '"url"' },
    ]);
  });

  it('rejects a bucket that the provider does not allow', async () => {
    const response = await send('/messages', 'gs://foreign/c.png');
    expect([response.status, modelRequests]).toEqual([403, []]);
  });
});

describe('a chat with Gemini', () => {
  const reference = (fileUri: string) => [{ fileData: { mimeType: 'image/png', fileUri } }, { text: ' ' }];

  it.each([
    ['a URL', image('gs://acme-data/c.png'), 'gs://acme-data/c.png'],
    ['a URL in capitals', image('GS://acme-data/c.png'), 'gs://acme-data/c.png'],
    ['the id of a file', image('gs%3A%2F%2Facme-more%2Fc.png'), 'gs://acme-more/c.png'],
    ['a file part with an id', byId('gs%3A%2F%2Facme-data%2Fa%20b%2Fc.png'), 'gs://acme-data/a b/c.png'],
  ])('passes the reference to the file: %s', async (_, part, uri) => {
    expect((await chat(gemini, part)).status).toBe(200);
    expect(references()).toEqual(reference(uri));
  });

  it.each(['gs://foreign/c.png', 'gS://foreign/c.png', 'gs%3A%2F%2Fforeign%2Fc.png'])(
    'rejects a bucket that the provider does not allow: %s',
    async (url) => {
      const response = await chat(gemini, image(url));
      expect([response.status, response.error?.code]).toEqual([403, 'not_allowed']);
      expect(modelRequests).toEqual([]);
    },
  );

  it('accepts any bucket with the token of the client, or if the provider lists none', async () => {
    expect((await chat(gemini, image('gs://foreign/c.png'), ownHeaders)).status).toBe(200);
    expect((await chat(gemini, image('gs://foreign/c.png'), { 'x-gateway-virtual-key': 'bare' })).status).toBe(200);
  });

  it('has the same rule as image embeddings and batch lines', async () => {
    const input = [{ image: { url: 'gs://foreign/c.png' } }];
    const vectors = await rig.fetch('/embeddings', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'multimodalembedding@001', input }),
    });
    expect(vectors.status).toBe(403);
    const form = new FormData();
    form.set('purpose', 'batch');
    const body = { model: gemini, messages: [{ role: 'user', content: [image('gs://foreign/c.png')] }] };
    form.set('file', new File([`${JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body })}\n`], 'a.jsonl'));
    expect((await rig.fetch('/files', { method: 'POST', body: form })).status).toBe(403);
  });
});

describe('a chat with an open model', () => {
  const open = 'meta.llama-4-maverick-17b-128e-instruct-maas';

  it('passes the URLs of allowed buckets unchanged', async () => {
    for (const url of ['gs://acme-data/c.png', 'gs://acme-more/c.png', 'https://h.example/gs://foreign/c.png']) {
      modelRequests = [];
      expect((await chat(open, image(url))).status).toBe(200);
      expect(parts()).toEqual([image(url)]);
    }
    expect((await chat(open, { type: 'text', text: 'gs://foreign/c.png' })).status).toBe(200);
  });

  it.each([
    ['gs://foreign/c.png', 403],
    [' gs://foreign/c.png', 403],
    ['GS://foreign/c.png', 404],
  ])('rejects a bucket that the provider does not allow: %j', async (url, status) => {
    expect((await chat(open, image(url))).status).toBe(status);
    expect((await chat(open, { type: 'file', file: { file_id: url } })).status).toBe(status);
    expect(modelRequests).toEqual([]);
  });

  it('rejects a bucket in another JSON spelling', async () => {
    rig.cloud.interrupt = serve;
    for (const url of [
      String.raw`\u0067s:\/\/foreign/c.png`,
      String.raw`gs:\/\/foreign\/c.png`,
      String.raw`gs:/\/foreign/c.png`,
      String.raw`g\ns://foreign/c.png`,
      String.raw`gs:\t//foreign/c.png`,
      String.raw`\u0001gs://foreign/c.png`,
    ]) {
      const body = `{"model": "${open}", "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "${url}"}}]}]}`;
      const response = await rig.fetch('/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      expect(response.status).toBe(403);
    }
    expect(modelRequests).toEqual([]);
  });

  it('accepts any bucket with the token of the client, or if the provider lists none', async () => {
    expect((await chat(open, image('gs://foreign/c.png'), ownHeaders)).status).toBe(200);
    expect((await chat(open, image('gs://foreign/c.png'), { 'x-gateway-virtual-key': 'bare' })).status).toBe(200);
  });
});
