import { createHash } from 'node:crypto';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BatchUpstream, startBatchUpstream, upstreamKey } from '../anthropic/batch-upstream.ts';
import { formOf, contentType, startOrigin, type Origin, type PartText } from '../files/rig.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

/** Model lists for models that are not in the body's model field: in a header, in lines of a file, in a list in the body. */

const keyOf = (name: string): string => `a-key-for-${name}-0123`;
const hashOf = (key: string): string => `"sha256:${createHash('sha256').update(key).digest('hex')}"`;

let upstream: Origin;
let batches: BatchUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  [upstream, batches] = await Promise.all([startOrigin(), startBatchUpstream()]);
  const host = `custom_host: "${upstream.url}/v1"`;
  gateway = await startTestGateway(`
version: 1
providers:
  main: {type: openai, api_key: sk-0123456789, ${host}}
  narrow: {type: openai, api_key: sk-0123456789, ${host}, models: ["small*"]}
  azure:
    type: azure-openai
    api_key: k-0123456789
    custom_host: "${upstream.url}/openai"
    api_version: v1
    deployments: {small: {deployment_id: d-1}, big: {deployment_id: d-2}}
  claude: {type: anthropic, api_key: ${upstreamKey}, custom_host: "${batches.url}/v1"}
  few: {type: anthropic, api_key: ${upstreamKey}, custom_host: "${batches.url}/v1", models: [claude-m]}
virtual_keys:
  vk: {provider: main, models: [small]}
configs:
  chain: {strategy: {mode: fallback}, targets: [{provider: narrow}, {provider: main}]}
api_keys:
  free: {hash: ${hashOf(keyOf('free'))}}
  small: {hash: ${hashOf(keyOf('small'))}, allow: {models: ["small*", claude-m]}}
`);
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([upstream?.close(), batches?.close()]);
});
beforeEach(() => {
  upstream.received.length = 0;
});

const line = (model: string, n = 1): string =>
  JSON.stringify({ custom_id: `c-${n}`, method: 'POST', url: '/v1/chat/completions', body: { model, messages: [] } });

interface Sent {
  readonly key?: string;
  readonly to?: string;
  readonly purpose?: string | undefined;
  /** After the file. */
  readonly late?: string | undefined;
  readonly name?: string;
  /** Further parts before the file. */
  readonly before?: readonly PartText[];
  readonly headers?: Record<string, string>;
}

async function upload(
  content: string | Buffer,
  { key = 'free', to = 'main', purpose, late, name = 'rows.jsonl', before = [], headers }: Sent,
) {
  const form = formOf([
    ...(purpose === undefined ? [] : [{ name: 'purpose', value: purpose }]),
    ...before,
    { name: 'file', value: content, filename: name, type: 'application/octet-stream' },
    ...(late === undefined ? [] : [{ name: 'purpose', value: late }]),
  ]);
  const response = await fetch(`${gateway.url}/v1/files`, {
    method: 'POST',
    headers: { 'content-type': contentType, authorization: `Bearer ${keyOf(key)}`, 'x-gateway-virtual-key': to, ...headers },
    body: form,
  });
  const { error } = (await response.json()) as { error?: { code: string; message: string } };
  const wholeRequest = upstream.received.find(({ isWhole }) => isWhole);
  return { status: response.status, code: error?.code, message: error?.message, sent: wholeRequest?.body, form };
}

const batch = { purpose: 'batch' };
/** Who is limited to small models, and the rule that limits it. */
const limited: readonly (readonly [string, Sent, string])[] = [
  ['a key', { key: 'small' }, 'Key "small" may not use model "big", which line 3 of the file names.'],
  ['a provider', { to: 'narrow' }, 'Provider "narrow" may not be used with model "big", which line 3 of the file names.'],
  ['a virtual key', { to: 'vk' }, 'Virtual key "vk" may not be used with model "big", which line 3 of the file names.'],
  [
    'a key, to a service with deployments',
    { key: 'small', to: 'azure' },
    'Key "small" may not use model "big", which line 3 of the file names.',
  ],
];
const rows = [line('small'), line('small', 2), line('big', 3)].join('\n');

/** More than arrives with the head of a request: the fields after the file are unknown when the gateway forwards it. */
const long = `${rows}\n${`${line('small')}\n`.repeat(5000)}`;

describe('the lines of an uploaded batch file', () => {
  it.each(limited)('are checked against the model list of %s', async (_, who, message) => {
    expect(await upload(rows, { ...who, ...batch })).toMatchObject({ status: 403, code: 'not_allowed', message, sent: undefined });
    expect(await upload(`${line('small')}\n`, { ...who, ...batch })).toMatchObject({ status: 200 });
  });

  it.each<[string, Sent]>([
    ['follows the file', { late: 'batch' }],
    ['is missing', {}],
    ['is in capitals', { purpose: 'BATCH', name: 'rows.bin' }],
    ['has blanks', { purpose: ' batch', name: 'rows.bin' }],
  ])('are checked if the purpose %s', async (_, variant) => {
    for (const content of [rows, long])
      expect(await upload(content, { key: 'small', ...variant })).toMatchObject({ status: 403, code: 'not_allowed', sent: undefined });
  });

  it.each<[string, Sent, Record<string, unknown>]>([
    ['with another file name', { name: 'rows.bin', late: 'batch' }, { status: 403, code: 'not_allowed', message: 'comes after the file' }],
    ['with a second purpose', { purpose: 'assistants', late: 'batch' }, { status: 400, code: 'invalid_form', message: 'has two values' }],
    [
      'after another file',
      { ...batch, before: [{ name: 'extra', value: 'x', filename: 'x.txt' }] },
      { status: 400, code: 'invalid_form', message: 'more than one file' },
    ],
  ])('are rejected in a file %s', async (_, variant, { message, ...expected }) => {
    expect(await upload(long, { key: 'small', ...variant })).toMatchObject({
      ...expected,
      message: expect.stringContaining(String(message)) as string,
      sent: undefined,
    });
  });

  it.each<[string, string]>([
    ['escapes', line('small').replace('"model":"small"', '"mod\\u0065l":"b\\u0069g"')],
    ['a duplicate model', line('small').replace('"model":"small"', '"model":"small","model":"big"')],
    ['a duplicate body', line('small').replace('"body":', '"body":{"model":"big"},"body":')],
    ['a line that is not strict JSON', line('big').replace('"c-1"', 'NaN')],
    ['a slug', line('@main/big')],
    ['the slug of another provider', line('@claude/big')],
  ])('are rejected with a disallowed model in %s', async (_, hidden) => {
    expect(await upload(`${line('small')}\n${hidden}\n`, { key: 'small', ...batch })).toMatchObject({ status: 403, code: 'not_allowed' });
  });

  it('are not changed without a model list', async () => {
    const { status, sent, form } = await upload(rows, { ...batch });
    expect([status, sent?.equals(form)]).toEqual([200, true]);
  });

  it('of files for other purposes are not changed', async () => {
    const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0x0a, 0x00, 0x80, ...Buffer.from(rows)]);
    for (const variant of [{ purpose: 'assistants' }, { name: 'a.pdf', late: 'assistants' }]) {
      upstream.received.length = 0;
      const { status, sent, form } = await upload(bytes, { key: 'small', ...variant });
      expect([status, sent?.equals(form)]).toEqual([200, true]);
    }
  });

  it('lose the provider slug of a model, and nothing else', async () => {
    const content = `${line('@main/gpt')}\r\n${line('gpt', 2)} \n{"custom_id":"3","body":{"messages":["@x"]}}`;
    const { status, sent, form } = await upload(content, { ...batch });
    expect([status, sent?.toString()]).toEqual([200, form.toString().replace('@main/gpt', 'gpt')]);
    upstream.received.length = 0;
    const other = await upload(content, { purpose: 'fine-tune' });
    expect(other.sent?.equals(other.form)).toBe(true);
  });

  it('can be sent by a fallback to a target that allows their models', async () => {
    const { status, sent, form } = await upload(rows, { ...batch, headers: { 'x-gateway-virtual-key': '', 'x-gateway-config': 'chain' } });
    expect([status, sent?.equals(form)]).toEqual([200, true]);
  });
});

describe('batches that are relayed', () => {
  const uploads: readonly [string, string] = ['uploads', '{"purpose":"batch","filename":"a.jsonl","bytes":1,"mime_type":"text/jsonl"}'];
  const native: readonly [string, string] = [
    'messages/batches',
    '{"requests":[{"custom_id":"a","params":{"model":"claude-m","max_tokens":5,"messages":[{"role":"user","content":"hi"}]}}]}',
  ];
  const pass = async ([path, body]: readonly [string, string], key: string, to: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${keyOf(key)}`, 'x-gateway-virtual-key': to };
    return (await fetch(`${gateway.url}/v1/${path}`, { method: 'POST', headers, body })).status;
  };

  it('are rejected with 403 for limited models: uploads in parts', async () => {
    expect([await pass(uploads, 'small', 'main'), await pass(uploads, 'free', 'narrow'), await pass(uploads, 'free', 'main')]).toEqual([
      403, 403, 200,
    ]);
  });

  it('are rejected with an allowed model in the query', async () => {
    const nativeRoute = ['messages/batches?model=claude-m', native[1]] as const;
    expect([await pass(nativeRoute, 'small', 'claude'), await pass(nativeRoute, 'free', 'few')]).toEqual([403, 403]);
    const other = ['engines/gpt-large/completions?model=small', '{"model":"gpt-large"}'] as const;
    expect([await pass(other, 'small', 'main'), await pass(other, 'free', 'main')]).toEqual([403, 200]);
  });

  it.each(['/uploads', '%75ploads', 'Uploads', 'uploads/'])('are rejected with the path spelling %s', async (path) => {
    expect([await pass([path, uploads[1]], 'small', 'main'), await pass([path, uploads[1]], 'free', 'narrow')]).toEqual([403, 403]);
  });

  it('are rejected with 403 for limited models: message batches', async () => {
    expect([await pass(native, 'small', 'claude'), await pass(native, 'free', 'few'), await pass(native, 'free', 'claude')]).toEqual([
      403, 403, 200,
    ]);
  });
});

const create = async (path: string, body: object, { key = 'free', to, headers }: Sent) => {
  const response = await fetch(`${gateway.url}/v1/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${keyOf(key)}`,
      ...(to === undefined ? {} : { 'x-gateway-virtual-key': to }),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const { error } = (await response.json()) as { error?: { code: string; message: string } };
  return { status: response.status, message: error?.message };
};

describe('a model in the header x-gateway-provider-model', () => {
  const order = { input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' };
  const naming = (model: string) => ({ 'x-gateway-provider-model': model });

  it.each<[string, Sent, number]>([
    ['an allowed model of the key', { key: 'small', to: 'main', headers: naming('small-2') }, 200],
    ['a model that the key may not use', { key: 'small', to: 'main', headers: naming('big') }, 403],
    ['the header with another prefix', { key: 'small', to: 'main', headers: { 'x-portkey-provider-model': 'big' } }, 403],
    ['an allowed model of the provider', { to: 'narrow', headers: naming('small-2') }, 200],
    ['a model that the provider may not be used with', { to: 'narrow', headers: naming('big') }, 403],
    ['a model with the slug of a provider', { headers: naming('@main/any') }, 200],
    ['a model with the slug of an unknown provider', { headers: naming('@nobody/any') }, 404],
    ['no header, for a key without a model list', { to: 'main' }, 200],
    ['no header, for a key with a model list', { key: 'small', to: 'main' }, 403],
  ])('is checked like a model in the body: %s', async (_, variant, status) => {
    expect((await create('batches', order, variant)).status).toBe(status);
    const sent = upstream.received.map(({ body }) => JSON.parse(body.toString()) as unknown);
    expect(sent).toEqual(status === 200 ? [order] : []);
  });

  it('is ignored if the body has a model or the route has a model field', async () => {
    const { status } = await create('batches', { ...order, model: 'big' }, { key: 'small', to: 'main', headers: naming('small') });
    const chat = await create('chat/completions', { model: 'big', messages: [] }, { key: 'small', to: 'main', headers: naming('small') });
    expect([status, chat.status, upstream.received]).toEqual([403, 403, []]);
  });

  it('is suggested to a key that must name a model', async () => {
    const response = await fetch(`${gateway.url}/v1/batches`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${keyOf('small')}`, 'x-gateway-virtual-key': 'main' },
      body: JSON.stringify(order),
    });
    expect(await response.text()).toContain('x-gateway-provider-model');
  });
});

describe('a batch whose lines are in storage of the client', () => {
  const order = { model: 'small', endpoint: '/v1/chat/completions', completion_window: '24h' };
  const blob = 'https://contoso.blob.core.windows.net/in/rows.jsonl';
  const inline = { provider: '@azure', override_params: { input_blob: blob } };

  it.each<[string, object, Sent]>([
    ['a key', { ...order, input_blob: blob }, { key: 'small', to: 'azure' }],
    ['a provider', { ...order, input_blob: blob }, { to: 'narrow' }],
    ['a virtual key', { ...order, input_blob: blob }, { to: 'vk' }],
    ['a key, in another spelling', { ...order, InputBlob: blob }, { key: 'small', to: 'azure' }],
    ['a key, next to a file', { ...order, input_file_id: 'file-1', input_blob: blob }, { key: 'small', to: 'azure' }],
    ['a key, in an inline config', order, { key: 'small', headers: { 'x-gateway-config': JSON.stringify(inline) } }],
  ])('is rejected for limited models of %s', async (_, body, who) => {
    const { status, message } = await create('batches', body, who);
    expect([status, upstream.received]).toEqual([403, []]);
    expect(message).toMatch(/is limited to certain models, but the request reads its lines from "(?:input_blob|InputBlob)"\.$/);
  });

  it('is created without a model list, and with null instead of an address', async () => {
    expect((await create('batches', { ...order, input_blob: blob }, { to: 'azure' })).status).toBe(200);
    expect((await create('batches', { ...order, input_file_id: 'file-1', input_blob: null }, { key: 'small', to: 'azure' })).status).toBe(
      200,
    );
  });
});

describe('the base model of a fine-tuning job is checked', () => {
  it.each<[string, Sent, string, number]>([
    ['the key may use it', { key: 'small', to: 'main' }, 'small-1', 200],
    ['the key may not use it', { key: 'small', to: 'main' }, 'big', 403],
    ['the provider may be used with it', { to: 'narrow' }, 'small-1', 200],
    ['the provider may not be used with it', { to: 'narrow' }, 'big', 403],
    ['the key may not use it, at a provider with deployments', { key: 'small', to: 'azure' }, 'gpt-4o-mini', 403],
  ])('if %s', async (_, variant, model, status) => {
    expect((await create('fine_tuning/jobs', { model, training_file: 'file-1' }, variant)).status).toBe(status);
  });
});

describe('the requests in the body of a batch', () => {
  const requests = (...models: string[]) => ({
    endpoint: '/v1/chat/completions',
    requests: models.map((model, n) => ({
      custom_id: `c-${n}`,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 5 },
    })),
  });
  const claude = { 'x-gateway-provider-model': 'claude-m' };

  it.each<[string, Sent, object, number, string | undefined]>([
    ['a key without a model list', { to: 'claude' }, requests('claude-m', 'claude-bad'), 200, undefined],
    ['a key that may use them', { key: 'small', to: 'claude', headers: claude }, requests('claude-m'), 200, undefined],
    [
      'a key that may not use them',
      { key: 'small', to: 'claude', headers: claude },
      requests('claude-m', 'claude-bad'),
      403,
      'Key "small" may not use model "claude-bad", which the field "requests[1].body.model" names.',
    ],
    [
      'a provider with a model list',
      { to: 'few' },
      requests('claude-m', '@few/claude-bad'),
      403,
      'Provider "few" may not be used with model "claude-bad", which the field "requests[1].body.model" names.',
    ],
  ])('are checked against the model lists: %s', async (_, variant, body, status, message) => {
    expect(await create('batches', body, variant)).toEqual({ status, message });
  });
});

describe('the npm package openai', () => {
  it('shows which line of a batch file is rejected', async () => {
    const client = new OpenAI({
      apiKey: keyOf('small'),
      baseURL: `${gateway.url}/v1`,
      maxRetries: 0,
      defaultHeaders: { 'x-gateway-virtual-key': 'main' },
    });
    // The SDK writes the fields in the order of the object: the purpose follows the file.
    const file = await toFile(Buffer.from(rows), 'rows.jsonl');
    await expect(client.files.create({ file, purpose: 'batch' })).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('which line 3 of the file names') as string,
    });
  });
});
