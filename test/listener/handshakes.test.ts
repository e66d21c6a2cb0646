import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WireClient } from '../edge/wire-client.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** Handshakes of WebSockets that are not valid (RFC 6455 4.2). */

const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==';
const version = 'sec-websocket-version: 13';

let upstream: ScriptedUpstream;
beforeAll(async () => {
  upstream = await startUpstream((response) => {
    response.destroy();
  });
});
afterAll(() => upstream.close());

describe.each([true, false])('with fast_path: %s, a WebSocket handshake', (fastPath) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway(`
version: 1
server: {fast_path: ${fastPath}}
providers: {main: {type: openai, api_key: sk-0123456789, custom_host: "${upstream.url}/v1"}}
`);
  });
  afterAll(() => gateway.close());

  async function handshake(lines: readonly string[]): Promise<WireClient> {
    const client = new WireClient(gateway.url);
    const head = ['host: localhost', 'x-gateway-provider: @main', 'connection: upgrade', 'upgrade: websocket', ...lines];
    client.write(`GET /v1/realtime?model=m HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    await client.closed();
    return client;
  }

  it.each([
    ['without a key', [version]],
    ['with an empty key', [version, 'sec-websocket-key:']],
    ['with a key that is not base64', [version, 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZ!==']],
    ['with a key of 15 bytes', [version, 'sec-websocket-key: dGhlIHNhbXBsZSBub25j']],
    ['with a key of 17 bytes', [version, 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZXg=']],
    ['with two keys', [version, key, key]],
  ])('%s is rejected with 400', async (_, lines) => {
    const { statuses, text } = await handshake(lines);
    expect(statuses).toEqual([400]);
    expect(text).toContain('"code":"invalid_header","param":"sec-websocket-key"');
  });

  it.each([
    ['without a version', [key]],
    ['with version 8', [key, 'sec-websocket-version: 8']],
    ['with a list of versions', [key, 'sec-websocket-version: 13, 8']],
    ['with version 8 and no key', ['sec-websocket-version: 8']],
  ])('%s is rejected with 426 and the version that the gateway supports', async (_, lines) => {
    const { statuses, text } = await handshake(lines);
    expect(statuses).toEqual([426]);
    expect(text).toContain('"code":"invalid_header","param":"sec-websocket-version"');
    expect(text).toMatch(/\r\nsec-websocket-version: 13\r\nconnection: close, upgrade\r\nupgrade: websocket\r\n/);
  });

  it('that is valid reaches the provider', async () => {
    const before = upstream.requests.length;
    const { statuses } = await handshake([version, key]);
    expect(statuses).toEqual([502]);
    expect(upstream.requests.length).toBeGreaterThan(before);
  });
});

it('no invalid handshake reached the provider', () => {
  expect(upstream.requests.filter(({ headers }) => headers['sec-websocket-key'] !== 'dGhlIHNhbXBsZSBub25jZQ==')).toEqual([]);
});
