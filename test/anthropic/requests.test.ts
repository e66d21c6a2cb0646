import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JsonBody } from '../../src/core/json/body.ts';
import { endpoints } from '../../src/core/endpoint.ts';
import { GatewayError } from '../../src/core/error.ts';
import type { HeaderPairs } from '../../src/core/http/headers.ts';
import type { Media } from '../../src/core/provider.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import anthropic from '../../plugins/providers/anthropic/index.ts';
import { callOf } from '../contract/call.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { json, type ScriptedUpstream, startUpstream } from '../support/upstream.ts';

/** A client's request, and the exact request that Anthropic must receive. */
interface Case {
  readonly name: string;
  readonly endpoint?: 'messages' | 'messages/count_tokens';
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly media?: Readonly<Record<string, Media>>;
  /** The body as text, for cases that check its bytes. */
  readonly request: Readonly<Record<string, unknown>> | string;
  readonly expect: {
    readonly url?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly text?: string;
    readonly dropped?: readonly string[];
    readonly error?: { readonly code: string; readonly param: string };
  };
}

const folder = join(import.meta.dirname, 'requests');
const files = readdirSync(folder).map(
  (name) => [name.replace('.json', ''), JSON.parse(readFileSync(join(folder, name), 'utf8')) as Case[]] as const,
);

const textOf = ({ request }: Case): string => (typeof request === 'string' ? request : JSON.stringify(request));
const modelOf = (one: Case): string => String((JSON.parse(textOf(one)) as { model?: unknown }).model).replace('@claude/', '');
const wantedHeaders = (one: Case): Record<string, string> => ({
  accept: 'application/json',
  'content-type': 'application/json',
  'anthropic-version': '2023-06-01',
  ...one.expect.headers,
});

/** Converts a request with the provider alone, without a gateway. */
function convert(one: Case): {
  url: string;
  headers: Record<string, string>;
  text: string;
  dropped: string[];
  mediaUrls: readonly string[];
} {
  const endpoint = one.endpoint ?? 'chat/completions';
  const operation = anthropic.operations[endpoint];
  if (operation === undefined) throw new Error(`no operation ${endpoint}`);
  const body = JsonBody.from(Buffer.from(textOf(one)));
  const call = callOf({
    endpoint,
    settings: one.settings ?? {},
    model: modelOf(one),
    stream: body.peek('stream') === true,
    query: one.query ?? '',
    showsReasoning: one.headers?.['x-gateway-reasoning-content'] === 'true',
    media: new Map(Object.entries(one.media ?? {})),
    header: (name) => one.headers?.[name] ?? one.headers?.[`x-gateway-${name}`],
  });
  const mediaUrls = operation.media?.(body, call).map(({ url }) => url) ?? [];
  const sent = operation.begin(body, call).request;
  if (sent.body.kind !== 'json') throw new Error('no body was sent');
  return {
    url: sent.origin + sent.path,
    headers: pairs(sent.headers),
    text: sent.body.bytes().toString(),
    dropped: sent.dropped.map(({ param }) => param),
    mediaUrls,
  };
}

function pairs(list: HeaderPairs): Record<string, string> {
  const out: Record<string, string> = {};
  for (let i = 0; i < list.length; i += 2) out[list[i] ?? ''] = list[i + 1] ?? '';
  return out;
}

describe.each(files)('converts requests: %s', (_file, cases) => {
  it.each(cases.map((one) => [one.name, one] as const))('%s', (_name, one) => {
    const { expect: expected } = one;
    if (expected.error !== undefined) {
      const error = caught(() => convert(one));
      expect(error).toMatchObject({ ...expected.error, status: 400 });
      expect(error.message).toMatch(/\.$/);
      return;
    }
    const sent = convert(one);
    expect(sent.url).toBe(expected.url ?? 'https://api.anthropic.com/v1/messages');
    expect(sent.headers).toEqual(wantedHeaders(one));
    if (expected.text === undefined) expect(JSON.parse(sent.text)).toEqual(expected.body);
    else expect(sent.text).toBe(expected.text);
    expect(sent.dropped.toSorted()).toEqual([...(expected.dropped ?? [])].toSorted());
    expect(sent.mediaUrls).toEqual(Object.keys(one.media ?? {}));
  });
});

function caught(work: () => unknown): GatewayError {
  try {
    work();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('the same requests through the gateway', () => {
  let upstream: ScriptedUpstream;
  let gateway: TestGateway;
  const all = files.flatMap(([, cases]) => cases).filter((one) => one.media === undefined);
  const slugs = new Map(all.map((one, at) => [one, `claude-${at}`]));

  beforeAll(async () => {
    upstream = await startUpstream((response) => json(response, 418, { type: 'error', error: { type: 'teapot', message: 'seen' } }));
    const providers = all.map((one) => [
      slugs.get(one) ?? '',
      { type: 'anthropic', api_key: key, custom_host: `${upstream.url}/v1`, ...one.settings },
    ]);
    gateway = await startTestGateway(JSON.stringify({ version: 1, providers: Object.fromEntries(providers) }));
  });
  afterAll(async () => {
    await gateway.close();
    await upstream.close();
  });

  it.each(all.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const path = one.endpoint ?? 'chat/completions';
    const before = upstream.requests.length;
    const response = await fetch(`${gateway.url}/v1/${path}${one.query === undefined ? '' : `?${one.query}`}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gateway-provider': `@${slugs.get(one)}`, ...one.headers },
      body: textOf(one).replace('@claude/', `@${slugs.get(one)}/`),
    });
    const body = (await response.json()) as { error: { code?: string; param?: string; message: string } };
    if (one.expect.error !== undefined) {
      expect(response.status).toBe(400);
      expect(body.error).toMatchObject(one.expect.error);
      expect(upstream.requests.length).toBe(before);
      return;
    }
    expect(response.status).toBe(418);
    const received = upstream.requests[before];
    expect(received?.url).toBe((one.expect.url ?? 'https://api.anthropic.com/v1/messages').replace('https://api.anthropic.com', ''));
    expect(received?.headers).toMatchObject({ ...wantedHeaders(one), 'x-api-key': key });
    expect(received?.headers['authorization']).toBeUndefined();
    const text = received?.body.toString() ?? '';
    if (one.expect.text === undefined) expect(JSON.parse(text)).toEqual(one.expect.body);
    else expect(text).toBe(one.expect.text);
    const dropped = response.headers.get('x-gateway-dropped-params')?.split(', ') ?? [];
    expect(dropped.map(decodeURIComponent).toSorted()).toEqual([...(one.expect.dropped ?? [])].toSorted());
  });
});

const key = 'sk-ant-api03-0123456789';

it('has a model of every operation of the provider', () => {
  expect(Object.keys(anthropic.operations).every((name) => name in endpoints)).toBe(true);
});
