import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { message } from './sdk-upstream.ts';

let provider: ScriptedUpstream;
let files: ScriptedUpstream;
let gateway: TestGateway;

const png = Buffer.from('89504e470d0a1a0a', 'hex');

beforeAll(async () => {
  provider = await startUpstream((response) => json(response, 200, message('m', true)));
  files = await startUpstream((response, { url }) => {
    if (url.startsWith('/a.png')) response.writeHead(200, { 'content-type': 'image/png' }).end(png);
    else if (url.startsWith('/notes.txt')) response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('höh');
    else if (url.startsWith('/odd')) response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('x');
    else response.writeHead(404).end();
  });
  const entry = { type: 'anthropic', api_key: 'sk-ant-api03-0123456789', custom_host: `${provider.url}/v1` };
  gateway = await startTestGateway(
    JSON.stringify({ version: 1, server: { egress: { allow: ['127.0.0.1'] } }, providers: { claude: entry } }),
  );
});
afterAll(async () => {
  await gateway?.close();
  await provider?.close();
  await files?.close();
});

const sendImages = (...urls: readonly string[]): Promise<Response> =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: '@claude/claude-sonnet-4-5',
      messages: [{ role: 'user', content: urls.map((url) => ({ type: 'image_url', image_url: { url } })) }],
    }),
  });

it('downloads files that Anthropic cannot fetch by URL and leaves other URLs unchanged', async () => {
  const response = await sendImages(`${files.url}/a.png?x=1`, `${files.url}/notes.txt`, 'https://h.example/b.png');
  expect(response.status).toBe(200);
  const { messages } = JSON.parse(provider.requests.at(-1)?.body.toString() ?? '') as { messages: { content: unknown }[] };
  expect(messages[0]?.content).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'höh' } },
    { type: 'image', source: { type: 'url', url: 'https://h.example/b.png' } },
  ]);
  expect(files.requests.every(({ headers }) => headers['x-api-key'] === undefined)).toBe(true);
});

it.each([
  ['/gone.png', 'media_fetch_failed'],
  ['/odd', 'missing_file_extension'],
])('returns 400 without calling the provider if a file is unusable: %s', async (path, code) => {
  const before = provider.requests.length;
  const response = await sendImages(files.url + path);
  expect(response.status).toBe(400);
  expect(((await response.json()) as { error: { code: string } }).error.code).toBe(code);
  expect(provider.requests.length).toBe(before);
});
