import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { headOf, WireClient } from './wire-client.ts';

/** server.body_timeout limits the time of a body, however often a byte arrives. Relayed files have no such limit. */

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let client: WireClient;

beforeEach(async () => {
  upstream = await startUpstream((response) => json(response, 200, { id: 'file-1', object: 'file' }));
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { state_dir: 'memory', body_timeout: '1s' },
      providers: { a: { type: 'openai', api_key: 'sk-0123456789', custom_host: `${upstream.url}/v1` } },
    }),
  );
  client = new WireClient(gateway.url);
});
afterEach(async () => {
  client.close();
  await gateway.close();
  await upstream.close();
});

const form = { 'content-type': 'multipart/form-data; boundary=x' };
const field = (name: string): string => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`;
const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n';

/** Writes one byte every 20 ms until the gateway responds. */
function trickle(): () => void {
  const timer = setInterval(() => client.write('a'), 20);
  return () => clearInterval(timer);
}

it.each([
  ['a JSON body', '/v1/chat/completions', { 'content-type': 'application/json', 'content-length': 1_000_000 }, '{"model":"'],
  ['a form that the gateway buffers', '/v1/audio/transcriptions', { ...form, 'content-length': 1_000_000 }, file],
  ['the part of an upload before the file', '/v1/files', { ...form, 'content-length': 1_000_000 }, field('purpose')],
])('returns 408 if %s arrives too slowly', async (_name, path, headers, start) => {
  client.write(headOf(`POST ${path}`, { 'x-gateway-provider': '@a', ...headers }), start);
  const stop = trickle();
  await client.answers(1).finally(stop);
  expect(client.statuses).toEqual([408]);
  expect(client.text).toMatch(/"code":"timeout".*server\.body_timeout/s);
  expect(upstream.requests.length).toBe(0);
});

it('forwards a slow upload without a body timeout', async () => {
  const ending = '\r\n--x--\r\n';
  const length = file.length + 100 + ending.length;
  client.write(headOf('POST /v1/files', { 'x-gateway-provider': '@a', ...form, 'content-length': length }), file);
  for (let sent = 0; sent < 100; sent += 1) {
    client.write('a');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  client.write(ending);
  expect(await client.answers(1)).toEqual([200]);
  await until(() => upstream.requests[0]?.body.includes('a'.repeat(100)), 'the file');
});
