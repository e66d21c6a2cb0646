import { type Endpoint, endpoints, type EndpointTraits } from '../../src/core/endpoint.ts';
import { requestHeaders } from '../../src/core/http/headers.ts';
import type { JsonSchema } from '../../src/core/json/schema.ts';
import { schemas } from '../../src/openapi/objects.ts';
import { requestSchemas } from '../../src/openapi/requests.ts';
import { anyForm } from './forms.ts';
import { brokenJson, hostileName, hostileValue, mutated } from './json-text.ts';
import type { Random } from './random.ts';

/** A request as bytes, with a one-line description. */
export interface FuzzRequest {
  readonly what: string;
  readonly bytes: Buffer;
  readonly isSocket: boolean;
}

/** Target of a case: names of the providers and configs of its slot, and the gateway's keys. */
export interface FuzzTarget {
  readonly providers: readonly string[];
  readonly configs: readonly string[];
  readonly keys: readonly string[];
}

interface Row {
  readonly endpoint: Endpoint;
  readonly method: string;
  readonly path: string;
  readonly traits: EndpointTraits;
}

/** All routes of the table; new ones are included automatically. */
const modelled: readonly Row[] = (Object.entries(endpoints) as [Endpoint, EndpointTraits][]).flatMap(([endpoint, traits]) =>
  traits.routes.map(([method, path]) => ({ endpoint, method, path: `/v1/${path}`, traits })),
);

/** The endpoints with most of the conversions. */
const chats = modelled.filter(({ endpoint }) => ['chat/completions', 'messages', 'responses', 'embeddings'].includes(endpoint));

/** All of these, and paths that are not in the table. */
const routes: readonly Row[] = [
  ...modelled,
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'].flatMap((method) =>
    ['/v1/assistants', '/v1/messages/batches', '/v1/vector_stores/{id}/files', '/v1/{id}', '/{id}', '/openapi.json', '/', '*'].map(
      (path) => ({
        endpoint: 'relay' as const,
        method,
        path,
        traits: endpoints.relay,
      }),
    ),
  ),
];

/** Segments used as an id in a route: as sent, with one character per byte. */
const segments: readonly string[] = [
  'x',
  'welcome',
  'file-1',
  'batch_1',
  '%2e%2e',
  '..',
  '..%2f..',
  '%00',
  '%zz',
  '%ff',
  '%ed%a0%80',
  '__proto__',
  'constructor',
  '\xff\xfe',
  'a%0d%0ab',
  '@p-mock%2fecho',
  '%252e',
  ';a=b',
  '~',
  'x'.repeat(10_000),
  '',
];
const queryTexts: readonly string[] = [
  '',
  '',
  '',
  '',
  'stream=true',
  'model=m',
  'mod%65l=m',
  'limit=99999999999999999999',
  'limit=-1&after=%ff',
  'api-key=x',
  'api&&&&&&&',
  '%',
  '%zz=%zz',
  '__proto__=1',
  'a'.repeat(20_000),
  '?',
  '&'.repeat(5000),
  '\xff',
  'after=%00',
];

/** The odd parts of a request. If all parts were odd, the request would be rejected at the first, and the others would never be read. */
interface Odd {
  readonly route: boolean;
  readonly target: boolean;
  readonly headers: boolean;
  readonly body: boolean;
}

const oddities: readonly Odd[] = [
  // Valid requests are needed to reach the responses of providers, which are odd in any case.
  ...Array.from({ length: 4 }, () => ({ route: false, target: false, headers: false, body: false })),
  ...Array.from({ length: 3 }, () => ({ route: false, target: false, headers: false, body: true })),
  { route: false, target: false, headers: true, body: false },
  { route: true, target: false, headers: false, body: false },
  { route: false, target: true, headers: false, body: false },
  { route: true, target: true, headers: true, body: true },
];

export function anyRequest(random: Random, fuzzTarget: FuzzTarget): FuzzRequest {
  const odd = random.pick(oddities);
  if (random.chance(0.05)) return upgrade(random, fuzzTarget, odd);
  const route = random.pick(odd.route ? routes : random.chance(0.5) ? chats : modelled);
  const target = targetOf(route.path, random, odd.target);
  const { body, type } = bodyOf(route, random, odd.body);
  const headers = headersOf(random, fuzzTarget, odd.headers);
  if (body !== undefined && type !== undefined) headers.push('content-type', type);
  return { what: `${route.method} ${route.path}`, bytes: write(random, route.method, target, headers, body), isSocket: false };
}

function targetOf(path: string, random: Random, isOdd: boolean): string {
  if (!isOdd) return path.replaceAll('{id}', path.includes('prompts') ? 'welcome' : 'file-1');
  const filled = path.replaceAll('{id}', () => random.pick(segments));
  const query = random.pick(queryTexts);
  const url = query === '' ? filled : `${filled}?${query}`;
  if (random.chance(0.05)) return `http://127.0.0.1${url}`;
  return url === '' ? '/' : url;
}

/** Header values in latin1 that an HTTP parser accepts. */
const headerTexts: readonly string[] = [
  '',
  ' ',
  'x',
  '-',
  '0',
  '-1',
  '1e999',
  'true',
  'false',
  'null',
  '\xff\xfe',
  '\xed\xa0\x80',
  'a, b, c',
  '@',
  '@p-mock',
  '{',
  '{}',
  '[]',
  '"',
  '%00',
  'x'.repeat(8000),
  'http://127.0.0.1:1',
  'https://[::1',
  '__proto__',
  'gpt-4o',
];

function headersOf(random: Random, target: FuzzTarget, isOdd: boolean): string[] {
  const headers: string[] = [
    'host',
    isOdd && random.chance(0.1) ? random.pick(['', 'evil.example', '[::1]:80', 'localhost']) : '127.0.0.1',
  ];
  if (target.keys.length > 0)
    headers.push('x-gateway-api-key', isOdd && random.chance(0.1) ? random.pick(headerTexts) : random.pick(target.keys));
  const prefix = random.pick(['x-gateway-', 'x-portkey-']);
  const provider = random.pick(target.providers);
  if (provider.includes('vertex')) headers.push('authorization', 'Bearer ya29.a-token-of-the-caller');
  const dice = random.next();
  if (!isOdd || dice < 0.5) headers.push(`${prefix}provider`, `@${provider}`);
  else if (dice < 0.6) headers.push(`${prefix}config`, random.pick(target.configs));
  else headers.push(`${prefix}config`, inlineConfig(random, target));
  return isOdd ? [...headers, ...oddHeaders(random, prefix)] : headers;
}

function oddHeaders(random: Random, prefix: string): string[] {
  const headers: string[] = [];
  const tails = Object.values(requestHeaders).flat();
  for (let n = random.below(3); n > 0; n -= 1) {
    const name = random.chance(0.7) ? prefix + random.pick(tails) : random.pick(otherHeaders);
    headers.push(name, headerValue(random));
  }
  if (random.chance(0.1)) headers.push('content-encoding', random.pick(['gzip', 'br', 'identity', 'x']));
  return headers;
}

const otherHeaders: readonly string[] = [
  'authorization',
  'traceparent',
  'accept',
  'accept-encoding',
  'user-agent',
  'cookie',
  'idempotency-key',
  'expect',
  'range',
  'origin',
  'te',
  'if-none-match',
  'anthropic-version',
  'anthropic-beta',
  'openai-beta',
  'x-goog-api-key',
  '__proto__',
  'constructor',
  'x-stainless-retry-count',
];

/** JSON in a header: the UTF-8 bytes as latin1, as clients send them. */
const headerValue = (random: Random): string => {
  if (random.chance(0.6)) return random.pick(headerTexts);
  const text = random.chance(0.5) ? hostileValue(random) : `{"${hostileName(random)}":${hostileValue(random)}}`;
  return Buffer.from(text.slice(0, 20_000)).toString('latin1');
};

function inlineConfig(random: Random, target: FuzzTarget): string {
  const provider = `@${random.pick(target.providers)}`;
  const config = random.pick<object>([
    { provider, override_params: { model: 'm', temperature: 1 } },
    { provider, retry: { attempts: 1, on_status_codes: [500] }, request_timeout: 1000 },
    { strategy: { mode: 'fallback', on_status_codes: [429, 500] }, targets: [{ provider }, { provider: '@p-mock' }] },
    {
      strategy: { mode: 'loadbalance' },
      targets: [
        { provider, weight: 1 },
        { provider: '@p-mock', weight: 0.5 },
      ],
    },
    {
      strategy: { mode: 'conditional', conditions: [{ query: { 'metadata.a': { $eq: 'b' } }, then: 'one' }], default: 'one' },
      targets: [{ name: 'one', provider }],
    },
    { provider: 'openai', api_key: 'sk-0123456789', custom_host: 'http://127.0.0.1:1/v1' },
  ]);
  return Buffer.from(mutated(config, random, random.pick([0, 0.1, 0.3])).slice(0, 30_000)).toString('latin1');
}

function bodyOf(route: Row, random: Random, isOdd: boolean): { body: Buffer | undefined; type: string | undefined } {
  const schema = requestSchemas[route.endpoint];
  if (route.traits.body === 'form') return anyForm(schema, random, isOdd);
  if (schema === undefined && !(isOdd && random.chance(0.3))) return { body: undefined, type: undefined };
  const value = schema === undefined ? { model: 'm', input: 'x' } : sampleOf(schema, random);
  if (!isOdd) return { body: Buffer.from(JSON.stringify(value)), type: 'application/json' };
  const text = mutated(value, random, random.pick([0, 0.05, 0.2, 0.5]));
  const body = random.chance(0.1) ? brokenJson(text, random) : Buffer.from(withMore(text, random));
  return {
    body,
    type: random.chance(0.97)
      ? 'application/json'
      : random.pick(['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded', '', 'application/json; charset=utf-16']),
  };
}

/** Members that the gateway reads on every route, and some that it does not know. */
const members: readonly string[] = [
  'labels',
  'metadata',
  'model',
  'stream',
  'tools',
  'tool_choice',
  'functions',
  'response_format',
  'reasoning_effort',
  'models',
  'extra_body',
  'n',
  'stop',
  'user',
  'thinking',
  'safety_settings',
  'logit_bias',
  'modalities',
  'audio',
  'prediction',
];

function withMore(text: string, random: Random): string {
  if (!text.startsWith('{')) return text;
  const extraHeaders: string[] = [];
  for (let n = random.below(4); n > 0; n -= 1) {
    const name = random.chance(0.5) ? random.pick(members) : hostileName(random);
    extraHeaders.push(`"${name}":${hostileValue(random)}`);
  }
  if (extraHeaders.length === 0) return text;
  return `{${extraHeaders.join(',')}${text === '{}' ? '' : ','}${text.slice(1)}`;
}

const conversation = [
  { role: 'system', content: 'be brief' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'hi' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
    ],
  },
  { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }] },
  { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
  { role: 'user', content: 'and?' },
];

/** Generates a value that a schema allows: all required members, and some of the others. */
function sampleOf(schema: JsonSchema, random: Random): unknown {
  const { $ref, anyOf, type } = schema as { $ref?: string; anyOf?: JsonSchema[]; type?: string };
  if ($ref?.endsWith('/Message') === true) return random.pick(conversation);
  if ($ref !== undefined) return sampleOf(schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {}, random);
  if (anyOf !== undefined) return sampleOf(random.pick(anyOf), random);
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return random.pick(schema['enum'] as unknown[]);
  if (type === 'array') return [0, 1].slice(random.below(2)).map(() => sampleOf((schema['items'] as JsonSchema | undefined) ?? {}, random));
  if (type === 'object' || schema['properties'] !== undefined) return sampleObject(schema, random);
  if (type === 'boolean') return random.chance(0.5);
  if (type === 'number' || type === 'integer') return 1;
  if (type === 'null') return null;
  return random.pick(['m', 'echo', 'gpt-4o', 'gemini-2.5-pro', 'claude-sonnet-4']);
}

function sampleObject(schema: JsonSchema, random: Random): Record<string, unknown> {
  const required = (schema['required'] as readonly string[] | undefined) ?? [];
  const out: Record<string, unknown> = {};
  for (const [name, member] of Object.entries((schema['properties'] as Record<string, JsonSchema> | undefined) ?? {})) {
    if (required.includes(name) || random.chance(0.3))
      out[name] = name === 'messages' && random.chance(0.5) ? conversation : sampleOf(member, random);
  }
  return out;
}

function upgrade(random: Random, target: FuzzTarget, odd: Odd): FuzzRequest {
  if (!odd.headers) return handshake(headersOf(random, target, false), '/v1/realtime?model=m', random);
  const headers = [
    ...headersOf(random, target, true),
    'connection',
    random.pick(['Upgrade', 'keep-alive, Upgrade', 'upgrade']),
    'upgrade',
    random.pick(['websocket', 'websocket', 'websocket', 'WebSocket', 'h2c', 'x']),
  ];
  if (random.chance(0.95))
    headers.push(
      'sec-websocket-key',
      random.pick(['dGhlIHNhbXBsZSBub25jZQ==', 'x', '']),
      'sec-websocket-version',
      random.pick(['13', '8', 'x']),
    );
  if (random.chance(0.3))
    headers.push('sec-websocket-protocol', random.pick(['realtime', 'realtime, openai-insecure-api-key.x', ',,,', '\xff']));
  const path = random.chance(0.9) ? '/v1/realtime' : random.pick(['/v1/chat/completions', '/v1/assistants', '/']);
  const query = random.pick(['model=m', 'model=m', 'model=%ff', 'mod%65l=m', 'api-key=x', '', 'model='.repeat(1000)]);
  const lines = [...headers];
  let text = `GET ${path}?${query} HTTP/1.1\r\n`;
  for (let i = 0; i + 1 < lines.length; i += 2) text += `${lines[i]}: ${lines[i + 1]}\r\n`;
  return socket(text, path, random);
}

function handshake(headers: readonly string[], target: string, random: Random): FuzzRequest {
  let text = `GET ${target} HTTP/1.1\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n`;
  for (let i = 0; i + 1 < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return socket(text, target, random);
}

/** An upgrade request, with frames that are sent before its response. */
function socket(text: string, path: string, random: Random): FuzzRequest {
  const early = random.chance(0.5) ? random.bytes(random.below(2000)) : Buffer.from([0x88, 0x80, 0, 0, 0, 0]);
  return { what: `upgrade ${path}`, bytes: Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), early]), isSocket: true };
}

/** Serializes the request: its body with a length, or in chunks. */
function write(random: Random, method: string, target: string, headers: readonly string[], body: Buffer | undefined): Buffer {
  const isChunked = body !== undefined && random.chance(0.15);
  const framing = body === undefined ? [] : isChunked ? ['transfer-encoding', 'chunked'] : ['content-length', `${body.length}`];
  const pairs = [...headers, ...framing, 'connection', 'close'];
  let text = `${method} ${target} HTTP/1.1\r\n`;
  for (let i = 0; i + 1 < pairs.length; i += 2) text += `${pairs[i]}: ${pairs[i + 1]}\r\n`;
  const head = Buffer.from(`${text}\r\n`, 'latin1');
  if (body === undefined) return head;
  if (!isChunked) return Buffer.concat([head, body]);
  const chunk =
    body.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]);
  return Buffer.concat([head, chunk, Buffer.from('0\r\n\r\n')]);
}
