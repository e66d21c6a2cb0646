import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** Depending on `x-do`: responds instead of the second target, or never returns from a moment. */
const plugin = `
const never = () => {
  process.emit('test:waits');
  return new Promise(() => {});
};
const waitsIn = (moment) => (ctx) => (ctx.headers.get('x-do') === moment ? never() : undefined);
export default {
  name: 'own',
  options: { type: 'object' },
  setup: () => ({
    screen: (ctx, target) => {
      if (ctx.headers.get('x-do') !== 'answer' || target.provider.slug !== 'two') return waitsIn('screen')(ctx);
      return { answer: { status: 200, headers: ['content-type', 'text/plain'], body: Buffer.from('mine') } };
    },
    prepare: waitsIn('prepare'),
    reply: waitsIn('reply'),
  }),
};
`;

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream((response, { url }) => {
    if (url.startsWith('/one')) json(response, 500, { error: { message: 'down' } }, { 'x-of-one': 'yes' });
    else json(response, 200, completion('hello'));
  });
  const provider = (name: string): string => `{type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/${name}/v1"}`;
  const yaml = `
version: 1
providers: {one: ${provider('one')}, two: ${provider('two')}}
configs: {pair: {strategy: {mode: fallback}, targets: [one/m, two/m]}}
plugins: [auth, routing, {use: ./own.ts}, transform, fallback-retry]
`;
  gateway = await startTestGateway(yaml, { files: { 'own.ts': plugin } });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const send = (what: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response> =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-do': what, ...headers },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
    ...(signal === undefined ? {} : { signal }),
  });

it('omits data of a failed provider from a response that a plugin makes afterwards', async () => {
  const response = await send('answer', { 'x-gateway-config': 'pair' });
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([200, 'text/plain', 'mine']);
  expect(response.headers.get('x-of-one')).toBeNull();
  expect(response.headers.get('x-gateway-provider')).toBeNull();
  expect(response.headers.get('x-gateway-attempts')).toMatch(/^one=500;\d+ms$/);
  const record = await gateway.record(response.headers.get('x-request-id'));
  expect(record).toMatchObject({ status: 200, provider: null, target: null, attempts: [{ provider: 'one', status: 500 }] });
  expect(record.response).toMatchObject({ headers: {}, body: { size: 4, kept: 4 } });
});

it.each(['screen', 'prepare', 'reply'])('ends a request when its client disconnects while a plugin waits in %s', async (moment) => {
  const client = new AbortController();
  const count = gateway.records.length;
  const waits = once(process, 'test:waits');
  const response = send(moment, { 'x-gateway-provider': '@two' }, client.signal).catch(() => undefined);
  await waits;
  client.abort();
  await response;
  const record = await until(() => gateway.records[count], 'the record');
  expect(record).toMatchObject({ end: 'client_gone', status: 499 });
});
