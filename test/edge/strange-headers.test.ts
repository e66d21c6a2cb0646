import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Portkey } from 'portkey-ai';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { headOf, WireClient } from './wire-client.ts';

/** A mistyped gateway header causes a warning, or 400 if it resembles a header that controls routing. */

const body = '{"model":"@m/echo","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}';
const json = { 'content-type': 'application/json', 'content-length': body.length };
const socket = {
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': 13,
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
const form = '--x\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--x--\r\n';

let gateway: TestGateway;
let client: WireClient;

beforeAll(async () => {
  gateway = await startTestGateway(
    JSON.stringify({
      version: 1,
      server: { state_dir: 'memory' },
      providers: { m: { type: 'mock' }, o: { type: 'openai', api_key: 'k'.repeat(20), custom_host: 'http://127.0.0.1:1/v1' } },
      configs: { c: { provider: 'm' }, chain: { strategy: { mode: 'fallback' }, targets: [{ provider: 'm' }, { provider: 'o' }] } },
    }),
  );
});
afterEach(() => client?.close());
afterAll(() => gateway.close());

/** All kinds of routes: parsed, streamed and relayed bodies, a WebSocket, a list, and an unknown route. */
const ways: readonly (readonly [string, string, Readonly<Record<string, string | number>>, string, status: number])[] = [
  ['a chat', 'POST /v1/chat/completions', json, body, 200],
  ['messages', 'POST /v1/messages', json, body, 200],
  ['the list of models', 'GET /v1/models', {}, '', 200],
  [
    'an upload',
    'POST /v1/files',
    { 'x-gateway-provider': '@o', 'content-type': 'multipart/form-data; boundary=x', 'content-length': form.length },
    form,
    502,
  ],
  [
    'a relayed route',
    'POST /v1/vector_stores',
    { 'x-gateway-provider': '@o', 'content-type': 'application/json', 'content-length': 2 },
    '{}',
    502,
  ],
  ['a WebSocket', 'GET /v1/realtime?model=@o/gpt-realtime', socket, '', 502],
];

async function send(line: string, headers: Readonly<Record<string, string | number>>, text: string): Promise<string> {
  client?.close();
  client = new WireClient(gateway.url);
  client.write(headOf(line, headers) + text);
  await client.answers(1);
  return client.text;
}
const headerIn = (text: string, name: string): string | undefined => new RegExp(`^${name}: (.*)\r$`, 'im').exec(text)?.[1];

describe('a gateway header with an invalid value', () => {
  it.each([
    ['x-gateway-request-timeout', 'soon', { 'x-gateway-config': 'c' }],
    ['x-gateway-request-timeout', '0', { 'x-gateway-config': 'chain' }],
    ['x-gateway-forward-headers', 'content-length', { 'x-gateway-config': 'chain' }],
  ])('is rejected before any attempt: %s: %s', async (name, value, headers) => {
    const response = await send('POST /v1/chat/completions', { ...json, ...headers, [name]: value }, body);
    expect(client.statuses).toEqual([400]);
    expect(response).toContain(`"param":"${name}"`);
    expect(headerIn(response, 'x-gateway-error-source')).toBe('gateway');
    for (const header of ['attempts', 'provider', 'retry-attempt-count']) expect(headerIn(response, `x-gateway-${header}`)).toBeUndefined();
    expect(await gateway.record(headerIn(response, 'x-request-id') ?? null)).toMatchObject({
      status: 400,
      error: { code: 'invalid_header', source: 'gateway' },
      attempts: [],
      provider: null,
      target: null,
    });
  });
});

describe('a mistyped gateway header', () => {
  it.each(ways)('causes a warning in the response and in the record: %s', async (_name, line, headers, text, status) => {
    const response = await send(line, { ...headers, 'X-Gateway-Trce-Id': 'abc', 'x-gateway-strict-complience': 'false' }, text);
    const warnings =
      '"x-gateway-trce-id" is not a gateway header and has no effect. Did you mean "x-gateway-trace-id"?; ' +
      '"x-gateway-strict-complience" is not a gateway header and has no effect. Did you mean "x-gateway-strict-compliance"?';
    expect(client.statuses).toEqual([status]);
    expect(headerIn(response, 'x-gateway-warnings')).toBe(warnings);
    expect((await gateway.record(headerIn(response, 'x-request-id') ?? null)).warnings.join('; ')).toBe(warnings);
  });

  it.each(ways)('is rejected with 400 if it resembles a routing header: %s', async (_name, line, headers, text) => {
    const response = await send(line, { ...headers, 'x-portkey-confg': 'c' }, text);
    expect(client.statuses).toEqual([400]);
    expect(response).toContain('\\"x-portkey-confg\\" is not a gateway header. Did you mean \\"x-portkey-config\\"?');
    expect(await gateway.record(headerIn(response, 'x-request-id') ?? null)).toMatchObject({
      error: { code: 'invalid_header' },
      attempts: [],
    });
  });

  it.each([
    ['x-gateway-log', 'nothing', 'metadata or none'],
    ['x-portkey-debug', 'flase', 'true or false'],
  ])('%s: %s is rejected instead of logging as if the header were missing', async (name, value, suggestion) => {
    const response = await send('POST /v1/chat/completions', { ...json, [name]: value }, body);
    expect(client.statuses).toEqual([400]);
    expect(response).toContain(`${name} is \\"${value}\\", not ${suggestion}.`);
  });

  it.each([
    ['x-gateway-confg', 'x-gateway-config'],
    ['x-gateway-configs', 'x-gateway-config'],
    ['X-Gateway-Provder', 'x-gateway-provider'],
    ['x-gateway-virtualkey', 'x-gateway-virtual-key'],
    ['x-gateway-virtual_key', 'x-gateway-virtual-key'],
    ['x-portkey-apikey', 'x-portkey-api-key'],
  ])('%s is rejected with the suggestion %s', async (misspelled, suggestion) => {
    const response = await send('POST /v1/chat/completions', { ...json, [misspelled]: 'c' }, body);
    expect(client.statuses).toEqual([400]);
    expect(response).toContain(`"param":"${misspelled.toLowerCase()}"`);
    expect(response).toContain(`Did you mean \\"${suggestion}\\"?`);
  });

  it.each([
    [
      'a name without a similar header',
      { 'x-gateway-request-origin': 'a' },
      '"x-gateway-request-origin" is not a gateway header and has no effect.',
    ],
    [
      'a misspelled provider setting',
      { 'x-portkey-azure-api-verion': '1' },
      '"x-portkey-azure-api-verion" is not a gateway header and has no effect. Did you mean "x-portkey-azure-api-version"?',
    ],
    [
      'a header that is sent twice',
      { 'x-gateway-foo': '1', 'X-GATEWAY-FOO': '2' },
      '"x-gateway-foo" is not a gateway header and has no effect.',
    ],
  ])('causes the right warning for %s', async (_name, headers, warning) => {
    expect(headerIn(await send('POST /v1/chat/completions', { ...json, ...headers }, body), 'x-gateway-warnings')).toBe(warning);
  });

  it('is not reported for other prefixes, provider settings and headers of libraries', async () => {
    const knownHeaders = { 'x-gatewayconfg': '1', 'x-stainless-arch': 'x', 'x-custom-confg': '1', 'x-portkey-runtime': 'node' };
    const settings = { 'x-portkey-vertex-region': 'us', 'x-gateway-cloud-deployment-name': 'd', 'x-gateway-openai-beta': 'b' };
    const response = await send('POST /v1/chat/completions', { ...json, ...knownHeaders, ...settings }, body);
    expect(client.statuses).toEqual([200]);
    expect(headerIn(response, 'x-gateway-warnings')).toBeUndefined();
  });

  it('is not sent by the Portkey client library', async () => {
    const portkey = new Portkey({ baseURL: `${gateway.url}/v1`, apiKey: 'x', provider: '@m', dangerouslyAllowBrowser: true });
    const completion = portkey.chat.completions.create({ model: 'echo', messages: [{ role: 'user', content: 'hi' }] });
    expect((await completion).choices?.[0]?.message?.content).toContain('hi');
    expect(gateway.records.at(-1)?.warnings).toEqual([]);
  });

  it('is reported at most a few times in a short warning, however many there are', async () => {
    const many = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`x-gateway-${'y'.repeat(90)}-${i}`, '1']));
    const response = await send('POST /v1/chat/completions', { ...json, ...many }, body);
    const warnings = headerIn(response, 'x-gateway-warnings') ?? '';
    expect(client.statuses).toEqual([200]);
    expect(warnings.split('; ')).toHaveLength(5);
    expect(warnings).toMatch(/396 more headers of the request are not gateway headers\.$/);
    expect(warnings.length).toBeLessThan(800);
  });

  it('is rejected also after 400 other unknown headers', async () => {
    const many = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`x-gateway-zzz-${i}`, '1']));
    const response = await send('POST /v1/chat/completions', { ...json, ...many, 'x-gateway-confg': 'c' }, body);
    expect(client.statuses).toEqual([400]);
    expect(response).toContain('Did you mean \\"x-gateway-config\\"?');
  });
});
