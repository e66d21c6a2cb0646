import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { providers, stages } from '../../plugins/index.ts';
import type { ValidConfig } from '../../src/config/reload/load.ts';
import { locateWritten } from '../../src/config/report/origins.ts';
import type { Explanation } from '../../src/core/logs/explanation.ts';
import { openExplainer, type OpenExplainer } from '../../src/gateway/explain/open.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, type SeenRequest, startUpstream } from '../support/upstream.ts';
import { skipping } from '../support/skipping.ts';
import { type GeneratedRequest, requests } from './requests.ts';

const env = {
  OPENAI: 'sk-openai-secret-0001-abcdefgh',
  AZURE: 'azure-secret-0002-abcdefgh',
  CLAUDE: 'claude-secret-0003-abcdefgh',
  GEMINI: 'gemini-secret-0004-abcdefgh',
  VERTEX: 'vertex-secret-0005-abcdefgh',
  AWS: 'aws-secret-0006-abcdefgh',
};

const yaml = (url: string): string => `version: 1
server: {state_dir: memory}
providers:
  openai-main: {type: openai, api_key: "\${env:OPENAI}", custom_host: "${url}/openai-main/v1"}
  azure-eu:
    type: azure-openai
    api_key: \${env:AZURE}
    custom_host: ${url}/azure-eu/openai
    deployments:
      gpt-4o-mini: {deployment_id: chat-mini, api_version: "2024-10-21", foundation_model: gpt-4o-mini}
      gpt-4o: {deployment_id: chat, api_version: "2025-01-01-preview", foundation_model: gpt-4o}
  claude: {type: anthropic, api_key: "\${env:CLAUDE}", custom_host: "${url}/claude/v1"}
  gem: {type: gemini, api_key: "\${env:GEMINI}", custom_host: "${url}/gem/v1beta"}
  vertex: {type: vertex-ai, express: true, api_key: "\${env:VERTEX}", custom_host: "${url}/vertex"}
  aws: {type: bedrock, region: eu-central-1, access_key_id: AKIAEXAMPLE, secret_access_key: "\${env:AWS}", custom_host: "${url}/aws"}
prompts:
  welcome:
    model: gpt-4o-mini
    parameters: {temperature: 0.3}
    variables: {question: {required: true}}
    messages: [{role: system, content: You greet.}, {role: user, content: "{{question}}"}]
configs:
  all:
    strategy: {mode: fallback}
    labels: {team: support}
    targets:
      - {provider: openai-main, override_params: {temperature: 0.2, response_format: {type: text}}}
      - azure-eu/gpt-4o-mini
      - {provider: claude, override_params: {model: claude-sonnet-4-5, max_tokens: 900}}
      - {provider: gem, override_params: {model: gemini-2.5-pro}}
      - {provider: vertex, override_params: {model: gemini-2.5-flash}, strict_compliance: false}
      - {provider: aws, override_params: {model: "anthropic.claude-3-haiku-20240307-v1:0"}}
  spread:
    strategy: {mode: loadbalance}
    targets: [{provider: openai-main, weight: 2}, {config: converted, weight: 1}, {provider: azure-eu, weight: 1, override_params: {model: gpt-4o}}]
  converted:
    override_params: {top_p: 0.7}
    strategy: {mode: fallback, on_status_codes: ["5xx"]}
    targets: [{provider: aws, override_params: {model: amazon.nova-pro-v1:0}}, {provider: gem, override_params: {model: gemini-2.0-flash, top_p: 0.1}}]
  by-plan:
    strategy:
      mode: conditional
      conditions:
        - {query: {metadata.plan: {$eq: paid}}, then: big}
        - {query: {params.max_tokens: {$gt: 2000}}, then: spread}
      default: small
    targets:
      - {name: big, provider: claude, override_params: {model: claude-opus-4-5}}
      - {name: spread, config: spread}
      - {name: small, config: all}
`;

const routes: readonly Readonly<Record<string, string>>[] = [
  { 'x-gateway-config': 'all' },
  { 'x-gateway-config': 'spread' },
  { 'x-gateway-config': 'converted' },
  { 'x-gateway-config': 'by-plan' },
  { 'x-gateway-provider': '@openai-main' },
  { 'x-gateway-provider': '@azure-eu' },
  { 'x-gateway-provider': '@gem' },
  {
    'x-gateway-config':
      '{"strategy":{"mode":"fallback"},"targets":[{"provider":"@vertex","override_params":{"model":"gemini-2.5-pro","n":1}},{"provider":"@openai-main"}]}',
  },
];

/** Headers of the connection, and headers whose value is a credential or changes with each request. */
const connectionHeaders = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'x-amz-date', 'keep-alive']);
const credentials = new Set(['authorization', 'api-key', 'x-api-key', 'x-goog-api-key', 'x-amz-security-token']);

/** A request as the provider received it, or as explain predicted it. */
interface Wire {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly string[];
  readonly body: string;
}

const headerTexts = (pairs: Iterable<readonly [string, string]>): string[] =>
  [...pairs]
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !connectionHeaders.has(name))
    .map(([name, value]) => `${name}: ${credentials.has(name) ? '(credential)' : value}`)
    .toSorted();

const arrived = ({ method, url, rawHeaders, body }: SeenRequest): Wire => ({
  method,
  url,
  headers: headerTexts(rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []))),
  body: body.toString('utf8'),
});

const predicted = (base: string, { method, url, headers, body }: Explanation['targets'][number]): Wire => ({
  method: method ?? '',
  url: (url ?? '').slice(base.length),
  headers: headerTexts(headers),
  body: body ?? '',
});

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let open: OpenExplainer;

beforeAll(async () => {
  upstream = await startUpstream((response) => json(response, 500, { error: { message: 'not today', type: 'server_error' } }));
  gateway = await startTestGateway(yaml(upstream.url), { env });
  const { loaded } = gateway.gateway;
  if (loaded.tree === undefined) throw new Error('the configuration is not valid');
  open = await openExplainer({
    loaded: loaded as ValidConfig,
    written: locateWritten({
      source: { path: gateway.file },
      cwd: gateway.dir,
      env,
      providers,
      texts: loaded.texts,
      secrets: loaded.secrets,
    }),
    registry: { providers, stages },
    clock: { now: Date.now, monotonic: () => performance.now() },
  });
});
afterAll(async () => {
  await open?.close();
  await gateway?.close();
  await upstream?.close();
});

const slugs = ['openai-main', 'azure-eu', 'claude', 'gem', 'vertex', 'aws'];

/** Contains a number beyond the precision of JavaScript: unedited bytes must not change. */
const textOf = ({ body }: GeneratedRequest): string => `{"big": 9007199254740993,${JSON.stringify(body).slice(1)}`;

/** Sends a request that every provider rejects, and explains it: each target must receive the predicted request. */
async function compare(generated: GeneratedRequest): Promise<number> {
  upstream.requests.length = 0;
  const response = await fetch(gateway.url + generated.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...generated.headers },
    body: textOf(generated),
  });
  await response.arrayBuffer();
  const record = await gateway.record(response.headers.get('x-request-id') ?? response.headers.get('request-id'));
  const request = { path: generated.path, headers: generated.headers, body: textOf(generated), random: record.random };
  const explanation = await open.explainer.explain({ ...request, assume: Object.fromEntries(slugs.map((slug) => [slug, 500])) });
  const sent = upstream.requests.map(arrived);
  // The files do not exist here; a running gateway would download them.
  if (explanation.warnings.some((warning) => warning.includes('is not fetched'))) return 0;
  expect(explanation.targets.filter(({ url }) => url !== null).map((target) => predicted(upstream.url, target))).toEqual(sent);
  expect(explanation.answer?.status).toBe(response.status);
  // Without assumptions: the same targets, and the request goes to the first one.
  const plain = await open.explainer.explain(request);
  const possible = plain.targets.filter(({ url }) => url !== null);
  expect(possible.map((target) => predicted(upstream.url, target))).toEqual(sent);
  if (sent.length > 0) expect(possible[0]?.goes_here).toBe(true);
  for (const secret of Object.values(env)) expect(JSON.stringify([explanation, plain])).not.toContain(secret);
  return sent.length;
}

describe('the upstream request that explain predicts', () => {
  it.each(routes.map((route) => [Object.values(route)[0] ?? '', route] as const))(
    'equals the request that the provider receives, for random requests to %s',
    async (_name, route) => {
      let sent = 0;
      await fc.assert(
        fc.asyncProperty(requests, async (generated) => {
          sent += await compare({ ...generated, headers: { ...generated.headers, ...route } });
        }),
        { numRuns: 40, seed: 4711, endOnFailure: true },
      );
      expect(sent).toBeGreaterThan(10);
    },
  );

  it.each<[method: string, path: string, body: object | undefined]>([
    ['POST', '/v1/completions', { model: 'gpt-4o-mini', prompt: 'x' }],
    ['POST', '/v1/embeddings', { model: 'gpt-4o-mini', input: ['a', 'b'] }],
    ['POST', '/v1/responses', { model: 'gpt-4o-mini', input: 'x' }],
    ['POST', '/v1/images/generations', { model: 'gpt-4o-mini', prompt: 'x' }],
    ['POST', '/v1/audio/speech', { model: 'gpt-4o-mini', input: 'x', voice: 'a' }],
    ['POST', '/v1/messages/count_tokens', { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }],
    ['POST', '/v1/batches', { model: 'gpt-4o-mini', input_file_id: 'f', endpoint: '/v1/chat/completions', completion_window: '24h' }],
    ['POST', '/v1/batches/b/cancel', undefined],
    ['GET', '/v1/files?limit=2', undefined],
    ['DELETE', '/v1/files/f', undefined],
    ['GET', '/v1/models/gpt-4o-mini', undefined],
    ['POST', '/v1/a/route/of/the/provider?x=1', { a: [1, 'ü'] }],
    ['GET', '/v1/a/route/of/the/provider?x=1', undefined],
  ])('equals the request that the provider receives, for %s %s', async (method, path, body) => {
    for (const slug of slugs) {
      upstream.requests.length = 0;
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const headers = {
        ...type,
        'x-gateway-provider': `@${slug}`,
        'x-own': 'v',
        accept: 'text/plain',
        'accept-language': 'en',
        'sec-fetch-mode': 'cors',
      };
      const response = await fetch(gateway.url + path, { method, headers: { ...headers, 'user-agent': 'agent' }, ...text });
      await response.arrayBuffer();
      const agent = { 'user-agent': 'agent', 'accept-encoding': 'gzip, deflate' };
      const explanation = await open.explainer.explain({ method, path, headers: { ...headers, ...agent }, ...text });
      const sent = upstream.requests.map(arrived);
      expect(
        explanation.targets.filter(({ url }) => url !== null).map((target) => predicted(upstream.url, target)),
        slug,
      ).toEqual(sent);
      expect(explanation.targets.some(({ local }) => local)).toBe(
        sent.length === 0 && response.status === 200 && explanation.answer === null,
      );
    }
  });

  const recorded = ['openai', 'anthropic'].map((name) => join(import.meta.dirname, `../../../shared/data/recorded/${name}.jsonl`));
  const missing = recorded.every((path) => existsSync(path)) ? undefined : 'recorded traffic is not beside the checkout';

  it.skipIf(skipping(missing))('equals the request that the provider receives, for recorded requests', async () => {
    let sent = 0;
    for (const path of recorded) {
      const isMessages = path.includes('anthropic');
      const bodies = readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { api: string; request: { body?: Record<string, unknown> } })
        .filter(
          ({ api, request }) =>
            Array.isArray(request.body?.['messages']) && (isMessages ? api.startsWith('messages') : api.startsWith('chat')),
        );
      const step = Math.max(1, Math.floor(bodies.length / 40));
      for (const [at, { request }] of bodies.entries()) {
        if (at % step !== 0 || request.body === undefined) continue;
        const route = routes[at % 4] ?? {};
        sent += await compare({ path: isMessages ? '/v1/messages' : '/v1/chat/completions', headers: route, body: request.body });
      }
    }
    expect(sent).toBeGreaterThan(60);
  });
});
