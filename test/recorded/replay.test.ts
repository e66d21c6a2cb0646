import { Buffer } from 'node:buffer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogRecord } from '../../src/core/records/record.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { deadPort } from '../support/upstream.ts';
import { callerKey, type Case, caseOf, catalog, catalogKeys, splits } from './cases.ts';
import { exceptions, findExchanges, type Recorded, type Replay, startReplay } from './exchanges.ts';
import { eventsOf, readingOf } from './reading.ts';
import { skipping } from '../support/skipping.ts';

const { exchanges, missing } = findExchanges();
const disguised = exchanges.filter(({ id }) => exceptions[id] !== undefined);
const errorStreams = exchanges.filter(({ features }) => features.includes('error_in_stream'));
const successful = exchanges.filter(
  (exchange) => exchange.response.status < 300 && !disguised.includes(exchange) && !errorStreams.includes(exchange),
);
const bad = exchanges.filter(({ response }) => response.status >= 300);
const groups = [...new Set(successful.map(groupOf))];

/** Number of concurrent requests. */
const clients = 12;

describe.skipIf(skipping(missing))(`gateway replaying recorded exchanges (${missing ?? 'replayed'})`, () => {
  let replay: Replay;
  let gateway: TestGateway;

  beforeAll(async () => {
    replay = await startReplay();
    gateway = await startTestGateway(catalog(exchanges, replay.url, await deadPort()));
  });
  afterAll(async () => {
    await gateway?.close();
    await replay?.close();
  });

  it('finds enough exchanges', () => {
    expect(successful.length).toBeGreaterThan(600);
    expect(bad.length).toBeGreaterThan(15);
    expect(groups.length).toBeGreaterThan(10);
    expect(disguised.length).toBe(Object.keys(exceptions).length);
  });

  describe.each(splits)('sent as "%s"', (split) => {
    it.each(groups)('returns the recorded responses: %s', async (group) => {
      const failures = await eachOf(
        successful.filter((one) => groupOf(one) === group),
        async (exchange) => {
          const sent = caseOf(exchange, split);
          const response = await send(gateway, sent);
          expectSameResponse(sent, response);
          expectSeen(sent, replay, response.id);
          expectRecord(sent, await gateway.record(response.id));
        },
      );
      expect(failures).toEqual([]);
    });

    it('keeps the status and message of errors', async () => {
      const failures = await eachOf([...bad, ...disguised], async (exchange) => {
        const sent = caseOf(exchange, split);
        const response = await send(gateway, sent);
        expectAllFailed(sent, response);
        expectSeen(sent, replay, response.id);
      });
      expect(failures).toEqual([]);
    });
  });

  it.each(errorStreams.map(({ id }) => id))('passes on an error within a stream and ends it: %s', async (id) => {
    const exchange = errorStreams.find((one) => one.id === id) as Recorded;
    const sent = caseOf(exchange, 'pieces');
    const response = await send(gateway, sent);
    const events = eventsOf(response.text);
    expect(events).toEqual(eventsOf(exchange.response.body ?? '').slice(0, events.length));
    expect(events.at(-1)?.data).toMatch(/"error":\{/);
    const { end, error } = await gateway.record(response.id);
    expect([end, error === null]).toEqual(['fault', false]);
  });

  it('passes on errors without a fallback unchanged, except for 401 and 403', async () => {
    const failures = await eachOf(bad, async (exchange) => {
      const { 'x-gateway-config': _config, ...headers } = caseOf(exchange, 'pieces').headers;
      const sent: Case = { ...caseOf(exchange, 'pieces') };
      const response = await send(gateway, { ...sent, headers: { ...headers, 'x-gateway-provider': `@${sent.slug}` } });
      expectOwnError(exchange, response);
    });
    expect(failures).toEqual([]);
  });

  it('logs no error', () => {
    expect(gateway.lines.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});

function groupOf({ provider, api, stream }: Recorded): string {
  return `${provider} ${api}${stream ? ' streams' : ''}`;
}

/** Runs a check for each exchange, some at a time; returns the ids that failed with the reason. */
async function eachOf(list: readonly Recorded[], check: (exchange: Recorded) => Promise<void>): Promise<readonly string[]> {
  const failures: string[] = [];
  const queue = [...list];
  const client = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      try {
        await check(next);
      } catch (error) {
        failures.push(`${next.id}: ${describeFailure(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return failures;
}

/** The message of an assertion truncates objects: list the differing members instead. */
function describeFailure(error: unknown): string {
  const { message, actual, expected } = error as { message: string; actual?: Record<string, unknown>; expected?: Record<string, unknown> };
  if (typeof actual !== 'object' || typeof expected !== 'object') return message.slice(0, 600);
  const lines = Object.keys({ ...expected, ...actual }).flatMap((key) => {
    const [actualJson, expectedJson] = [JSON.stringify(actual[key]), JSON.stringify(expected[key])];
    return actualJson === expectedJson ? [] : [`${key}: ${actualJson}, not ${expectedJson}`];
  });
  return lines.join('; ').slice(0, 600);
}

interface ReceivedResponse {
  readonly id: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function send(gateway: TestGateway, { exchange, path, headers, body }: Case): Promise<ReceivedResponse> {
  const response = await fetch(gateway.url + path, { method: exchange.request.method, headers, ...(body === undefined ? {} : { body }) });
  const text = Buffer.from(await response.arrayBuffer()).toString('utf8');
  return { id: response.headers.get('x-request-id') ?? '', status: response.status, headers: response.headers, text };
}

function expectSameResponse({ exchange, slug, split }: Case, response: ReceivedResponse): void {
  const recorded = exchange.response.body ?? '';
  expect(response.status).toBe(exchange.response.status);
  if (exchange.stream) expect(eventsOf(response.text)).toEqual(eventsOf(recorded));
  else expect(JSON.parse(response.text)).toEqual(JSON.parse(recorded));
  expect(response.text === recorded, 'the bytes are the same').toBe(true);
  expect(response.headers.get('content-type')).toBe(exchange.response.headers['content-type']);
  expect(response.headers.get('x-gateway-provider')).toBe(slug);
  expect(response.headers.get('x-gateway-last-used-option-index')).toBe('config.targets[1]');
  expect(response.headers.get('x-gateway-attempts')).toMatch(
    new RegExp(`^dead=unreachable;\\d+ms, ${slug.replaceAll('.', '\\.')}=200;\\d+ms$`),
  );
  expect(response.headers.get('x-portkey-provider')).toBe(split === 'fine' ? slug : null);
}

/** The request that the provider received: path, body, and only the credential of the catalog. */
function expectSeen({ exchange, expected, path, slug }: Case, replay: Replay, id: string): void {
  const requests = replay.seen(exchange.id).requests;
  const received = requests.at(-1);
  expect(received, `${path} ${slug} ${id}`).toBeDefined();
  if (received === undefined) return;
  replay.forget(exchange.id);
  expect(requests.length, 'requests that the provider saw').toBe(1);
  expect([received.method, received.path, received.query]).toEqual([exchange.request.method, expected.path, expected.query]);
  expect(Buffer.from(received.body_base64, 'base64').toString('utf8')).toBe(expected.body);
  const { authorization, 'api-key': apiKey } = received.headers;
  expect({ authorization, apiKey }).toEqual(
    exchange.provider !== 'azure-openai'
      ? { authorization: `Bearer ${catalogKeys.openai}`, apiKey: undefined }
      : { authorization: undefined, apiKey: catalogKeys['azure-openai'] },
  );
  const all = JSON.stringify(received.headers);
  expect([all.includes(callerKey), all.includes('sk-of-the-caller'), /x-(?:gateway|portkey)-/.test(all)]).toEqual([false, false, false]);
}

function expectRecord({ exchange, expected, slug, split }: Case, record: LogRecord): void {
  const reading = readingOf(exchange);
  expect({
    end: record.end,
    status: record.status,
    error: record.error,
    provider: record.provider,
    key: record.key,
    config: record.config,
    target: record.target,
    sent: record.model.sent,
    answered: record.model.answered,
    finish: record.finish,
    attempts: record.attempts.map(({ provider, outcome, status }) => [provider, outcome, status]),
    out: record.bytes.out,
  }).toEqual({
    end: 'whole',
    status: exchange.response.status,
    error: null,
    provider: slug,
    key: 'tests',
    config: split === 'coarse' ? 'inline' : slug,
    target: split === 'coarse' ? 'inline.targets[1]' : `configs.${slug}.targets[1]`,
    sent: expected.model,
    answered: reading.model,
    finish: reading.finish,
    attempts: [
      ['dead', 'unreachable', null],
      [slug, 'answered', exchange.response.status],
    ],
    out: Buffer.byteLength(exchange.response.body ?? ''),
  });
  if (reading.usage !== undefined) expect({ ...record.usage, details: undefined }).toEqual(reading.usage);
  else expect(record.usage.source).not.toBe('reported');
}

/** A rejected catalog credential and an error with status 200 are shown to the caller as 502. */
const shownStatus = (status: number): number => ([200, 401, 403].includes(status) ? 502 : status);

const messageOf = (exchange: Recorded): string => {
  const body = JSON.parse(exchange.response.body ?? '') as { error?: { message: string }; detail?: string };
  return body.error?.message ?? body.detail ?? '';
};

interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly code: string;
    readonly gateway: { readonly attempts: readonly { status: number | null; message: string }[] };
  };
}

function expectAllFailed({ exchange }: Case, response: ReceivedResponse): void {
  const { error } = JSON.parse(response.text) as ErrorBody;
  const message = JSON.stringify(messageOf(exchange)).slice(1, -1);
  const status = exceptions[exchange.id]?.status ?? shownStatus(exchange.response.status);
  expect([response.status, error.code]).toEqual([status, 'all_targets_failed']);
  expect(JSON.stringify(error.message).replaceAll('\\\\', '\\')).toContain(message);
  expect(error.gateway.attempts.map(({ status }) => status)).toEqual([
    null,
    exchange.response.status === 200 ? null : exchange.response.status,
  ]);
  expect(error.gateway.attempts[1]?.message).toContain(messageOf(exchange));
  expect([response.headers.get('x-should-retry'), response.headers.get('x-gateway-error-source')]).toEqual(['false', 'provider']);
}

function expectOwnError(exchange: Recorded, response: ReceivedResponse): void {
  const { status, body = '' } = exchange.response;
  expect(response.status).toBe(shownStatus(status));
  expect(response.headers.get('x-gateway-error-source')).toBe('provider');
  if (status !== 401 && status !== 403) {
    expect(response.text).toBe(body);
    return;
  }
  const { error } = JSON.parse(response.text) as ErrorBody;
  expect(error.code).toBe('provider_auth_failed');
  expect(error.message).toContain(messageOf(exchange));
}
