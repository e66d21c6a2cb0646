import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { holdTime } from '../support/time.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

let upstream: ScriptedUpstream;
let gateway: TestGateway;
/** The response of which the first half is sent. */
let open: ServerResponse;

beforeAll(async () => {
  upstream = await startUpstream((response, { url }) => {
    const type = url.endsWith('/content') ? 'application/octet-stream' : 'text/event-stream';
    response.writeHead(200, { 'content-type': type, 'content-length': 20 });
    response.write('data: 1\n\n ');
    open = response;
  });
  gateway = await startTestGateway(`
version: 1
providers: {one: {type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/v1"}}
`);
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

it.each(['/v1/files/file-1/content', '/v1/unknown'])('records an attempt that ends together with its response: GET %s', async (path) => {
  const time = holdTime();
  const response = await fetch(gateway.url + path, { headers: { 'x-gateway-provider': '@one' } });
  time.pass(100);
  open.end('data: 2\n\n ');
  expect(await response.text()).toHaveLength(20);
  const record = await gateway.record(response.headers.get('x-request-id'));
  const [attempt] = record.attempts;
  expect([record.ms.total, (attempt?.at ?? 0) + (attempt?.total_ms ?? 0)]).toEqual([100, 100]);
});
