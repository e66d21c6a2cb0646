import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callerKey, catalog, caseOf } from '../recorded/cases.ts';
import { exceptions, findExchanges, type Recorded, type Replay, startReplay } from '../recorded/exchanges.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { deadPort } from '../support/upstream.ts';
import { python, runScript } from './python.ts';
import { skipping } from '../support/skipping.ts';

/** Client libraries return the same result through the gateway as directly, also after a failed target. */

const apis = ['chat.completions', 'completions', 'embeddings', 'images', 'responses'] as const;
const { exchanges, missing } = findExchanges();
const replayable = exchanges.filter(
  ({ id, provider, api, response }) =>
    provider === 'openai' && apis.some((each) => each === api) && response.status === 200 && exceptions[id] === undefined,
);

/** The direct URL and the gateway URL of the same recorded response. */
interface Ways {
  readonly direct: string;
  readonly gateway: string;
  readonly config: string;
}

const noPython = 'missing' in python ? python.missing : undefined;

describe.skipIf(skipping(missing))(`recorded responses read by client libraries (${missing ?? 'replayed'})`, () => {
  let replay: Replay;
  let gateway: TestGateway;

  beforeAll(async () => {
    replay = await startReplay();
    gateway = await startTestGateway(catalog(replayable, replay.url, await deadPort()));
  });
  afterAll(async () => {
    await gateway?.close();
    await replay?.close();
  });

  const waysOf = (exchange: Recorded): Ways => ({
    direct: `${replay.url}/x/${exchange.id}/v1`,
    gateway: `${gateway.url}/v1`,
    config: caseOf(exchange, 'pieces').slug,
  });

  it('include enough recordings', () => {
    expect(replayable.length).toBeGreaterThan(500);
    expect(new Set(replayable.map(({ api, stream }) => `${api} ${stream}`)).size).toBeGreaterThan(6);
  });

  it('are the same through the gateway as directly, npm openai', async () => {
    const different: string[] = [];
    const errors: string[] = [];
    for (const exchange of replayable) {
      const ways = waysOf(exchange);
      const direct = await read(new OpenAI({ baseURL: ways.direct, apiKey: 'sk-direct', maxRetries: 0 }), exchange);
      const through = await read(
        new OpenAI({ baseURL: ways.gateway, apiKey: callerKey, maxRetries: 0, defaultHeaders: { 'x-gateway-config': ways.config } }),
        exchange,
      );
      if (direct.includes('thrown: ')) errors.push(direct);
      if (through !== direct) different.push(`${exchange.id}: ${through.slice(0, 200)}, not ${direct.slice(0, 200)}`);
    }
    expect(different).toEqual([]);
    expect(errors).toEqual([]);
  });

  it.skipIf(skipping(noPython))(`are the same through the gateway as directly, PyPI openai (${noPython ?? 'run'})`, async () => {
    if ('missing' in python) return;
    const jobs = replayable.map((exchange) => ({ id: exchange.id, api: exchange.api, body: exchange.request.body, ...waysOf(exchange) }));
    const text = await runScript(python.python, ['./recorded-client.py', callerKey], JSON.stringify(jobs));
    expect(JSON.parse(text)).toEqual({ read: replayable.length, different: [], thrown: [] });
  });
});

/** The complete result of the library as text. */
async function read(client: OpenAI, exchange: Recorded): Promise<string> {
  const actual: unknown = await send(client, exchange).catch((error: unknown) => `thrown: ${String(error)}`);
  if (!isIterable(actual)) return JSON.stringify(actual);
  const items: unknown[] = [];
  try {
    for await (const item of actual) items.push(item);
  } catch (error) {
    items.push(`thrown: ${String(error)}`);
  }
  return JSON.stringify(items);
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

async function send(client: OpenAI, { api, request }: Recorded): Promise<unknown> {
  const body: unknown = request.body;
  switch (api) {
    case 'chat.completions':
      return client.chat.completions.create(body as OpenAI.ChatCompletionCreateParams);
    case 'completions':
      return client.completions.create(body as OpenAI.CompletionCreateParams);
    case 'embeddings':
      return client.embeddings.create(body as OpenAI.EmbeddingCreateParams);
    case 'images':
      return client.images.generate(body as OpenAI.ImageGenerateParams);
    default:
      return client.responses.create(body as OpenAI.Responses.ResponseCreateParams);
  }
}
