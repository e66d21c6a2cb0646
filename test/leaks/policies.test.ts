import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Endpoint, type EndpointTraits, endpoints } from '../../src/core/endpoint.ts';
import { readSpool } from '../../src/store/fixtures/read-spool.ts';
import { startTestGateway, type TestGateway, until } from '../support/gateway.ts';
import { type ScriptedUpstream, startUpstream } from '../support/upstream.ts';
import { type ReceivedResponse, sendRequest } from './sinks.ts';

/**
 * What may be stored of a request: every policy, every route of the endpoint table, every outcome. Each part of the request
 * and of the response contains a distinct text; the spool shows which of them were stored.
 */

const parts = {
  requestBody: 'in-the-request-body',
  requestHeader: 'in-a-request-header',
  responseBody: 'in-the-response-body',
  responseHeader: 'in-a-response-header',
  query: 'in-the-query',
  patch: 'in-the-override',
  labels: 'in-the-labels',
  metadata: 'in-the-metadata',
} as const;
type Part = keyof typeof parts;

/** Parts that may be stored; whether they are depends on the route, which may have no body. */
const storable: Readonly<Record<string, readonly Part[]>> = {
  none: ['metadata'],
  metadata: ['metadata', 'labels', 'query', 'requestHeader', 'responseHeader'],
  full: ['metadata', 'labels', 'query', 'requestHeader', 'responseHeader', 'requestBody', 'responseBody', 'patch'],
};

/** What must be stored of a successful chat request: a policy that stored nothing would pass all other checks. */
const chat: Endpoint = 'chat/completions';

const cases: readonly (readonly [policy: 'none' | 'metadata' | 'full', debug: string | undefined, lowered: string])[] = [
  ['none', undefined, 'none'],
  ['none', 'false', 'none'],
  ['metadata', undefined, 'metadata'],
  ['metadata', 'false', 'metadata'],
  ['full', undefined, 'full'],
  ['full', 'true', 'full'],
  ...['false', 'False', 'FALSE', ' false ', '0', 'no', 'off'].map((spelling) => ['full', spelling, 'metadata'] as const),
];

const outcomes = ['whole', 'stream', 'error', 'unreachable', 'stranger'] as const;
type Outcome = (typeof outcomes)[number];

const key = 'gw_test_0123456789abcdefghijkl';
let upstream: ScriptedUpstream;
const gateways = new Map<string, TestGateway>();

beforeAll(async () => {
  upstream = await startUpstream((response, request) => {
    const failed = request.headers['x-outcome'] === 'error' || request.url.includes('fail');
    response.setHeader('x-answer', parts.responseHeader);
    response.setHeader('set-cookie', 'session=secret');
    if (request.body.includes('"stream":true')) {
      const chunk = {
        id: 'c',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta: { content: parts.responseBody }, finish_reason: null }],
      };
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
      return;
    }
    const good = {
      id: 'c',
      object: 'list',
      created: 1,
      model: 'm',
      data: [],
      note: parts.responseBody,
      choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
    };
    const bad = { error: { message: 'no', type: 'e', code: null, param: parts.responseBody } };
    response.writeHead(failed ? 400 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(failed ? bad : good));
  });
  for (const policy of ['none', 'metadata', 'full']) {
    gateways.set(
      policy,
      await startTestGateway(
        JSON.stringify({
          version: 1,
          logging: { requests: { bodies: policy } },
          providers: {
            openai: { type: 'openai', api_key: 'sk-0123456789', custom_host: `${upstream.url}/v1` },
            failing: { type: 'openai', api_key: 'sk-0123456789', custom_host: `${upstream.url}/fail/v1` },
            nowhere: { type: 'openai', api_key: 'sk-0123456789', custom_host: 'http://127.0.0.1:1/v1' },
          },
          configs: Object.fromEntries(
            ['openai', 'failing', 'nowhere'].map((provider) => [
              provider,
              { targets: [{ provider: `@${provider}`, override_params: { user: parts.patch } }] },
            ]),
          ),
          prompts: { 'obj-1': { versions: { 1: { model: '@openai/m', messages: [{ role: 'user', content: 'hi' }] } } } },
          api_keys: { caller: { hash: `sha256:${createHash('sha256').update(key).digest('hex')}` } },
        }),
      ),
    );
  }
});

afterAll(async () => {
  for (const gateway of gateways.values()) await gateway.close();
  await upstream.close();
});

const boundary = 'b';
const form = [
  `--${boundary}\r\ncontent-disposition: form-data; name="model"\r\n\r\nm\r\n`,
  `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="f.txt"\r\n\r\n${parts.requestBody}\r\n`,
  `--${boundary}--\r\n`,
].join('');

/** One request for a route with this outcome. */
function requestFor(url: string, endpoint: Endpoint, outcome: Outcome, debug: string | undefined): Promise<ReceivedResponse> {
  const traits: EndpointTraits = endpoints[endpoint];
  const [method, template] = traits.routes[0] ?? ['POST', 'things'];
  const path = `/v1/${template.replaceAll('{id}', 'obj-1')}?note=${parts.query}`;
  const provider = outcome === 'error' ? 'failing' : outcome === 'unreachable' ? 'nowhere' : 'openai';
  // A config names one provider and edits the body; the routes that belong to an account need no more.
  const headers: Record<string, string> = {
    'x-gateway-config': provider,
    'x-note': parts.requestHeader,
    'x-gateway-metadata': JSON.stringify({ note: parts.metadata }),
    ...(outcome === 'stranger' ? {} : { 'x-gateway-api-key': key }),
    ...(debug === undefined ? {} : { 'x-gateway-debug': debug }),
  };
  const json = {
    model: 'm',
    messages: [{ role: 'user', content: parts.requestBody }],
    input: parts.requestBody,
    labels: { note: parts.labels },
  };
  if (traits.body === 'form')
    return sendRequest(url, {
      method,
      path,
      headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: form,
    });
  return sendRequest(url, {
    method,
    path,
    headers,
    ...(method === 'POST' ? { body: outcome === 'stream' ? { ...json, stream: true } : json } : {}),
  });
}

/** The content of a gateway's spool: by request, all bytes that belong to it. */
async function spooled(gateway: TestGateway): Promise<Map<string, string>> {
  const spooledTexts = new Map<string, string>();
  for (const entry of readSpool(join(gateway.dir, '.gateway/spool'))) {
    if (entry.kind !== 'record') continue;
    const bodies = Object.values(entry.bodies).map((bytes) => bytes.toString('latin1'));
    spooledTexts.set(entry.record.id, [JSON.stringify(entry.record), ...bodies].join('\n'));
  }
  return spooledTexts;
}

const partsIn = (text: string): Part[] => (Object.keys(parts) as Part[]).filter((part) => text.includes(parts[part])).toSorted();

describe.each(cases)('bodies: %s, x-gateway-debug: %s', (policy, debug, lowered) => {
  it.each(outcomes)('stores only what is allowed of a request with the outcome %s', async (outcome) => {
    const gateway = gateways.get(policy) as TestGateway;
    const sent: [Endpoint, ReceivedResponse][] = [];
    for (const endpoint of Object.keys(endpoints) as Endpoint[])
      sent.push([endpoint, await requestFor(gateway.url, endpoint, outcome, debug)]);
    await until(() => sent.every(([, { id }]) => gateway.records.some((record) => record.id === id)), 'all records');
    const disk = await spooled(gateway);
    const allowed = outcome === 'stranger' ? [] : (storable[lowered] ?? []);
    for (const [endpoint, response] of sent) {
      const text = disk.get(response.id ?? '');
      expect(text, endpoint).toBeDefined();
      expect(
        partsIn(text ?? '').filter((part) => !allowed.includes(part)),
        `${endpoint} (${response.status})`,
      ).toEqual([]);
      expect(text).not.toContain('session=secret');
    }
    const ofChat = partsIn(disk.get(sent.find(([endpoint]) => endpoint === chat)?.[1].id ?? '') ?? '');
    const hasResponse = outcome === 'whole' || outcome === 'stream' || outcome === 'error';
    const expected = hasResponse ? allowed : allowed.filter((part) => part !== 'responseHeader' && part !== 'responseBody');
    // An upstream body that differs in one member is stored as a patch.
    expect(ofChat).toEqual([...expected].toSorted());
  });
});
