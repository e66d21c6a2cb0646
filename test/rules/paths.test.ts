import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints, type EndpointTraits } from '../../src/core/endpoint.ts';
import type { TestGateway } from '../support/gateway.ts';
import { keyLines, keyOf, type Recorder, send, startRecorder, startWith } from './rig.ts';

/** No request path leaves the base path of a provider, on any route with an id or a relayed path. */

let upstream: Recorder;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startRecorder(({ url }) =>
    url.includes('cancel') ? {} : { id: '../../secret', object: 'x', data: [], output_file_id: '../../secret' },
  );
  const host = `custom_host: "${upstream.url}/team/v1"`;
  gateway = await startWith(`
version: 1
providers:
  openai: {type: openai, api_key: sk-0123456789, ${host}}
  claude: {type: anthropic, api_key: sk-0123456789, ${host}}
  azure: {type: azure-openai, api_key: sk-0123456789, api_version: v1, custom_host: "${upstream.url}/team/openai"}
  foundry: {type: azure-ai, api_key: sk-0123456789, format: openai, custom_host: "${upstream.url}/team"}
api_keys:
${keyLines({ free: '' })}`);
});
afterAll(async () => {
  await gateway?.close();
  await upstream?.close();
});

const steps = [
  '../',
  '..%2f',
  '..%5c',
  '..\\',
  '..;/',
  '%2e%2e/',
  '%2e%2e%2f',
  '.%2e%2f',
  '%252e%252e%252f',
  '%25252e%25252e%25252f',
  '%c0%ae%c0%ae%c0%af',
  '%ef%bc%8e%ef%bc%8e%2f',
  '%e2%80%a5%2f',
  '.%09.%2f',
  '.%0a.%2f',
  '..%00%2f',
  '%2f..%2f',
  '//..%2f',
] as const;

const templates = (Object.entries(endpoints) as [string, EndpointTraits][]).flatMap(([, { routes }]) =>
  routes.filter(([, path]) => path.includes('{id}')).map(([method, path]) => [method, `/v1/${path}`] as const),
);
const relayed = ['GET', 'POST', 'PUT', 'DELETE'].flatMap((method) =>
  ['/v1/{id}', '/v1/threads/{id}', '/v1/threads/{id}/runs', '/v1/models/a/{id}', '/v1/batches/a/{id}'].map(
    (path) => [method, path] as const,
  ),
);
const targets = ['openai', 'claude', 'azure', 'foundry'] as const;

describe.each(targets)('requests to %s', (to) => {
  it.each([...templates, ...relayed])('stay below the base path: %s %s', async (method, template) => {
    upstream.received.length = 0;
    for (const step of steps) {
      for (const id of [`${step}secret`, `a%2f${step}${step}${step}secret`, `${step}${step}${step}secret`, `x${step}secret`]) {
        const { status } = await send(gateway.url, {
          method,
          path: template.replace('{id}', id),
          headers: { 'x-gateway-api-key': keyOf('free'), 'x-gateway-virtual-key': to, 'content-type': 'application/json' },
          body: method === 'POST' ? '{}' : undefined,
        });
        expect(status).toBeLessThan(503);
      }
    }
    // `x../secret` is a valid name; everything else stays below the base.
    expect(upstream.received.map(({ url }) => placeOf(url)).filter((path) => !path.startsWith('/team/'))).toEqual([]);
    expect(upstream.received.map(({ url }) => url).filter((url) => url.includes('..%2f..') || url.includes('..%5c'))).toEqual([]);
  });

  it('stay below the base path with an id that the provider returned', async () => {
    upstream.received.length = 0;
    await send(gateway.url, {
      method: 'GET',
      path: '/v1/batches/batch_1/output',
      headers: { 'x-gateway-api-key': keyOf('free'), 'x-gateway-virtual-key': to },
    });
    expect(
      upstream.received.map(({ url }) => placeOf(url)).filter((path) => !path.startsWith('/team/') || path.includes('secret')),
    ).toEqual([]);
  });
});

/** The path that the most lenient service would use: fully decoded and normalized, then dot segments resolved. */
function placeOf(url: string): string {
  let path = url.split('?')[0] ?? '';
  for (let round = 0; round < 8; round += 1)
    path = path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const plain = Buffer.from(path, 'latin1')
    .toString('utf8')
    .normalize('NFKC')
    .replaceAll('\\', '/')
    .replaceAll(/[\0\t\r\n]/g, '')
    .replaceAll(/;[^/]*/g, '');
  const out: string[] = [];
  for (const segment of plain.split('/')) {
    if (segment === '..') out.pop();
    else if (segment !== '.' && segment !== '') out.push(segment);
  }
  return `/${out.join('/')}`;
}
