import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** The header size limit of Node clients. */
const clientLimit = 16 * 1024;

describe('response headers with values from the request', () => {
  let upstream: ScriptedUpstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    upstream = await startUpstream((response) =>
      json(response, 200, { candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] }, finishReason: 'STOP' }] }),
    );
    gateway = await startTestGateway(
      JSON.stringify({
        version: 1,
        providers: { gem: { type: 'gemini', api_key: 'k-0123456789', custom_host: upstream.url } },
      }),
    );
  });
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });

  const nested = (levels: number): object => (levels === 0 ? { provider: 'gem' } : { targets: [nested(levels - 1)] });
  const send = (extra: object, headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'gemini-2.5-flash', messages: [{ role: 'user', content: 'hi' }], ...extra }),
    });

  it('are limited in size and count the omitted values', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${i}-${'ü'.repeat(300)}`, 1]));
    const response = await send(unknown, {
      'x-portkey-trace-id': 't'.repeat(8000),
      'x-portkey-config': JSON.stringify(nested(45)),
      'x-portkey-strict-open-ai-compliance': 'perhaps',
    });
    expect(response.status).toBe(200);
    const gatewayHeaders = [...response.headers].filter(([name]) => name.startsWith('x-gateway-') || name.startsWith('x-portkey-'));
    expect(gatewayHeaders.filter(([name]) => name.startsWith('x-portkey-')).length).toBeGreaterThan(5);
    expect(gatewayHeaders.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)).toBeLessThan(clientLimit / 2);
    const dropped = response.headers.get('x-gateway-dropped-params')?.split(', ') ?? [];
    expect(dropped.at(-1)).toBe(`... and ${500 - (dropped.length - 1)} more`);
    for (const name of dropped.slice(0, -1)) expect(name).toMatch(/^\d+-(?:%C3%BC)+\.\.\.$/);
  });

  it('list all values if they are few', async () => {
    const response = await send({ one: 1, two: 2 }, { 'x-gateway-provider': '@gem' });
    expect(response.headers.get('x-gateway-dropped-params')).toBe('one, two');
    expect(response.headers.get('x-gateway-warnings')).toBeNull();
  });
});

describe('prefixes of response headers', () => {
  it.each([
    ['x-gateway-', ['x-gateway-']],
    ['x-acme-', ['x-gateway-', 'x-acme-']],
    ['x-other-', []],
  ])('with %s in the request, the response has each of %j once', async (prefix, written) => {
    const gateway = await startTestGateway('version: 1\nserver: {header_prefixes: [x-acme-]}\nproviders: {mock: {type: mock}}\n');
    try {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', [`${prefix}provider`]: '@mock' },
        body: JSON.stringify({ model: 'echo', messages: [{ role: 'user', content: 'hi' }] }),
      });
      expect(['x-gateway-', 'x-acme-', 'x-other-'].filter((each) => response.headers.get(`${each}model`) === 'echo')).toEqual(written);
    } finally {
      await gateway.close();
    }
  });
});
