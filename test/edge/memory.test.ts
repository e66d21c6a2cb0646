import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../support/gateway.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { headOf, WireClient } from './wire-client.ts';

/** All requests together use less than `server.memory`, measured with a gateway in a separate process. */

const megabyte = 1024 * 1024;
/** The growth of any gateway with its first requests: compiled code and garbage that is not collected yet. */
const warmUp = 120 * megabyte;

let upstream: ScriptedUpstream;
/** Requests that the provider has received and not answered yet. */
let pendingResponses: ServerResponse[];
let digests: string[];
let child: ChildProcess;
let url: string;
let clients: WireClient[];

beforeEach(async () => {
  pendingResponses = [];
  digests = [];
  clients = [];
  upstream = await startUpstream((response, { body }) => {
    digests.push(createHash('sha256').update(body).digest('hex'));
    upstream.requests.length = 0;
    pendingResponses.push(response);
  });
});
afterEach(async () => {
  for (const client of clients) client.close();
  child.disconnect();
  await once(child, 'exit');
  await upstream.close();
});

async function start(more: object): Promise<void> {
  const config = {
    version: 1,
    providers: { a: { type: 'openai', api_key: 'sk-0123456789', custom_host: `${upstream.url}/v1` } },
    ...more,
  };
  child = fork(fileURLToPath(new URL('gateway-process.ts', import.meta.url)), [JSON.stringify(config)], { execArgv: [] });
  ({ url } = (await once(child, 'message'))[0] as { url: string });
}

/** The highest memory growth of the process since it was ready. */
async function memoryGrowth(): Promise<number> {
  child.send('grown');
  return ((await once(child, 'message'))[0] as { memoryGrowth: number }).memoryGrowth;
}

const block = Buffer.alloc(megabyte, 'x');

/** Sends a chat request of `size` megabytes, or only the fraction `part` of it. */
function send(size: number, part = 1): WireClient {
  const client = new WireClient(url);
  clients.push(client);
  const [open, close] = ['{"model":"m","messages":[{"role":"user","content":"', '"}]}'];
  const length = open.length + size * megabyte + close.length;
  client.write(
    headOf('POST /v1/chat/completions', { 'content-type': 'application/json', 'x-gateway-provider': '@a', 'content-length': length }),
    open,
    ...Array.from({ length: Math.floor(size * part) }, () => block),
  );
  if (part === 1) client.write(close);
  return client;
}

it('does not buffer bodies of clients without a key', async () => {
  await start({ server: { state_dir: 'memory' }, api_keys: { k: { hash: `sha256:${'ab'.repeat(32)}` } } });
  for (let n = 0; n < 20; n += 1) send(49, 0.999);
  for (const client of clients) await client.answers(1);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(clients.flatMap(({ statuses }) => statuses)).toEqual(Array.from({ length: 20 }, () => 401));
  // The bytes that clients send after the response are discarded; some of the 980 MB are not collected yet.
  expect(await memoryGrowth()).toBeLessThan(3 * warmUp);
});

it('serves or rejects 64 bodies of 10 MB within server.memory, and releases all of it', async () => {
  await start({ server: { state_dir: 'memory', memory: '200MB' } });
  for (let n = 0; n < 64; n += 1) send(10);
  await until(() => pendingResponses.length + clients.filter(({ statuses }) => statuses.length > 0).length === 64, 'all requests');
  const rejected = clients.filter(({ statuses }) => statuses[0] === 503);
  expect([pendingResponses.length > 0, pendingResponses.length <= 6, rejected.length]).toEqual([true, true, 64 - pendingResponses.length]);
  for (const { text } of rejected) expect(text).toMatch(/retry-after: 1\r\n.*"code":"overloaded".*server\.memory/s);
  expect(new Set(digests).size).toBe(1);
  expect(digests[0]).toBe(
    createHash('sha256')
      .update(`{"model":"m","messages":[{"role":"user","content":"${'x'.repeat(10 * megabyte)}"}]}`)
      .digest('hex'),
  );
  expect(await memoryGrowth()).toBeLessThan(200 * megabyte + warmUp);
  for (const response of pendingResponses.splice(0)) json(response, 200, completion('ok'));
  // The last byte is sent when the record is written, and large bodies are masked before that.
  await until(() => clients.every(({ text }) => text.trimEnd().endsWith('}')), 'the ends of all answers');
  // The whole budget is free again: the same number of requests is served.
  const furtherRequests = Array.from({ length: 6 }, () => send(10));
  await until(() => pendingResponses.length === 6, 'the next requests');
  for (const response of pendingResponses) json(response, 200, completion('ok'));
  for (const client of furtherRequests) expect(await client.answers(1)).toEqual([200]);
});

it('reserves no memory for a Content-Length without a body', async () => {
  await start({ server: { state_dir: 'memory', memory: '200MB' } });
  for (let n = 0; n < 200; n += 1) send(49, 0);
  send(10);
  await until(() => pendingResponses.length === 1, 'the request');
  expect(clients.flatMap(({ statuses }) => statuses)).toEqual([]);
});

it('returns 413 for a body larger than server.memory allows', async () => {
  await start({ server: { state_dir: 'memory', memory: '100MB' } });
  const client = send(40, 0);
  expect(await client.answers(1)).toEqual([413]);
  expect(client.text).toMatch(/"code":"body_too_large".*server\.memory/s);
});

it('counts buffered responses, and returns 503 for those that do not fit', async () => {
  await start({ server: { state_dir: 'memory', memory: '20MB' } });
  const pending = Array.from({ length: 16 }, () => send(0));
  await until(() => pendingResponses.length === 16, 'the requests');
  // Error responses are buffered before they are forwarded.
  for (const response of pendingResponses) {
    response.writeHead(500, { 'content-type': 'application/json' });
    for (let n = 0; n < 4; n += 1) response.write(block);
  }
  await until(() => pending.some(({ statuses }) => statuses[0] === 503), 'a refusal');
  const rejected = pending.filter(({ statuses }) => statuses.length > 0);
  for (const { text } of rejected) expect(text).toMatch(/"code":"overloaded".*server\.memory/s);
  for (const response of pendingResponses) response.end();
  for (const client of pending) await client.answers(1);
  expect(pending.every(({ statuses }) => statuses[0] === 503 || statuses[0] === 500)).toBe(true);
});
