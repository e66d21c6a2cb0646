import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

/** Platforms probe the port that receives requests, without a key. */

const key = 'key-of-the-probe-test';
const hash = createHash('sha256').update(key).digest('hex');
const dir = mkdtempSync(join(tmpdir(), 'probes-'));
let keyed: TestGateway;
let open: TestGateway;

beforeAll(async () => {
  keyed = await startTestGateway(`
version: 1
server: {probe_listen: "unix:${dir}/probe.sock", state_dir: /proc/nowhere}
providers: {mock: {type: mock}}
api_keys: {one: {hash: "sha256:${hash}"}}
`);
  open = await startTestGateway('version: 1\nproviders: {mock: {type: mock}}\n');
});
afterAll(async () => {
  await Promise.all([keyed?.close(), open?.close()]);
  rmSync(dir, { recursive: true });
});

interface ProbeResponse {
  readonly status: number | undefined;
  readonly body: string;
  readonly allow: string | undefined;
}

function send(url: string, method: string, headers: Record<string, string> = {}, body?: string): Promise<ProbeResponse> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers, agent: false }, (response) => {
      void text(response).then((read) => resolve({ status: response.statusCode, body: read, allow: response.headers.allow }));
    })
      .on('error', reject)
      .end(body);
  });
}

describe('/healthz and /readyz on the data listener', () => {
  it.each([
    ['GET', '/healthz', 200, '{"status":"ok"}\n'],
    ['HEAD', '/healthz', 200, ''],
    ['GET', '/readyz', 200, '"config":{"state":"ok","revision":"'],
    ['GET', '/readyz?verbose=1', 200, '"config":{"state":"ok","revision":"'],
    ['HEAD', '/readyz', 200, ''],
    ['POST', '/healthz', 405, '{"status":"method not allowed"}\n'],
    ['DELETE', '/readyz', 405, '{"status":"method not allowed"}\n'],
  ])('respond to %s %s with %i, without a key and without a record', async (method, path, status, body) => {
    const before = keyed.records.length;
    const response = await send(keyed.url + path, method);
    expect(response).toEqual({ status, body: expect.stringContaining(body) as string, allow: status === 405 ? 'GET, HEAD' : undefined });
    expect(response.body === '').toBe(method === 'HEAD');
    expect(keyed.records.length).toBe(before);
  });

  it('show file names only on the probe listener and to local clients', async () => {
    const ownResponse = await new Promise<string>((resolve, reject) => {
      request({ socketPath: join(dir, 'probe.sock'), path: '/readyz?verbose' }, (response) => void text(response).then(resolve))
        .on('error', reject)
        .end();
    });
    expect(ownResponse).toContain('/proc/nowhere');
    expect((await send(`${keyed.url}/readyz`, 'GET')).body).toContain('/proc/nowhere');
    const proxies = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'cf-connecting-ip', 'origin', 'referer'];
    const headers = proxies.map((name) => ({ [name]: '203.0.113.9' }));
    const hosts = ['evil.example', 'localhost.evil.example:80', '127.0.0.1.nip.example', '[::2]'].map((host) => ({ host }));
    for (const header of [...headers, ...hosts]) {
      const forwarded = await send(`${keyed.url}/readyz`, 'GET', header);
      expect(forwarded.status).toBe(200);
      expect(forwarded.body).not.toContain('nowhere');
    }
  });

  it.each(['/healthz/', '/Healthz', '/readyz/x', '/v1/healthz', '/livez'])('do not include %s', async (path) => {
    const response = await send(keyed.url + path, 'GET');
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.body).toContain('"error"');
  });

  it('ignore a body', async () => {
    expect(await send(`${keyed.url}/healthz`, 'GET', { 'content-length': '5' }, '12345')).toMatchObject({ status: 200 });
  });

  it('report the shutdown while connections are still accepted', async () => {
    const stopping = await startTestGateway('version: 1\nserver: {drain: {delay: 90s}}\nproviders: {mock: {type: mock}}\n');
    void stopping.gateway.drain();
    expect(await send(`${stopping.url}/readyz`, 'GET')).toMatchObject({
      status: 503,
      body: expect.stringMatching(/^\{"status":"not ready","reasons":\["draining"\],"config":\{"state":"ok",.*\}\}\n$/),
    });
    expect(await send(`${stopping.url}/healthz`, 'GET')).toMatchObject({ status: 200 });
    await stopping.close();
  });

  it('reject other origins and hosts if the gateway has no keys', async () => {
    expect((await send(`${open.url}/readyz`, 'GET')).status).toBe(200);
    expect((await send(`${open.url}/readyz`, 'GET', { origin: 'https://evil.example' })).status).toBe(403);
    expect((await send(`${open.url}/readyz`, 'GET', { host: 'evil.example' })).status).toBe(403);
  });
});
