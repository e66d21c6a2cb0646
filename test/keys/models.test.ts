import { createHash } from 'node:crypto';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BatchUpstream, startBatchUpstream, upstreamKey } from '../anthropic/batch-upstream.ts';
import { formOf, contentType, startOrigin, type Origin, type PartText } from '../files/rig.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

/** Lists of models, where the model comes by other ways than the body: a header, lines of a file, a list in the body. */

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
  upstream.taken.length = 0;
});

const line = (model: string, n = 1): string =>
  JSON.stringify({ custom_id: `c-${n}`, method: 'POST', url: '/v1/chat/completions', body: { model, messages: [] } });

interface Sent {
  readonly key?: string;
  readonly to?: string;
  readonly purpose?: string | undefined;
  /** Behind the file. */
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
  const whole = upstream.taken.find(({ isWhole }) => isWhole);
  return { status: response.status, code: error?.code, message: error?.message, sent: whole?.body, form };
}

const batch = { purpose: 'batch' };
/** Who may ask for small models only, and whose rule it is. */
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

/** More than comes with the head of a request: what is behind the file is not known when it goes out. */
const long = `${rows}\n${`${line('small')}\n`.repeat(5000)}`;

describe('the lines of a batch that is uploaded', () => {
  it.each(limited)('are held to the list of %s', async (_, who, message) => {
    expect(await upload(rows, { ...who, ...batch })).toMatchObject({ status: 403, code: 'not_allowed', message, sent: undefined });
    expect(await upload(`${line('small')}\n`, { ...who, ...batch })).toMatchObject({ status: 200 });
  });

  it.each<[string, Sent]>([
    ['and comes behind the file', { late: 'batch' }],
    ['and is never said', {}],
  ])('are, where the purpose is not known yet %s', async (_, how) => {
    for (const content of [rows, long])
      expect(await upload(content, { key: 'small', ...how })).toMatchObject({ status: 403, code: 'not_allowed', sent: undefined });
  });

  it.each<[string, Sent, Record<string, unknown>]>([
    ['of another name', { name: 'rows.bin', late: 'batch' }, { status: 403, code: 'not_allowed', message: 'comes after the file' }],
    [
      'that was for something else before',
      { purpose: 'assistants', late: 'batch' },
      { status: 400, code: 'invalid_form', message: 'has two values' },
    ],
    [
      'behind another one',
      { ...batch, before: [{ name: 'extra', value: 'x', filename: 'x.txt' }] },
      { status: 400, code: 'invalid_form', message: 'more than one file' },
    ],
  ])('cannot hide in a file %s', async (_, how, { message, ...told }) => {
    expect(await upload(long, { key: 'small', ...how })).toMatchObject({
      ...told,
      message: expect.stringContaining(String(message)) as string,
      sent: undefined,
    });
  });

  it.each<[string, string]>([
    ['escapes', line('small').replace('"model":"small"', '"mod\\u0065l":"b\\u0069g"')],
    ['a second model', line('small').replace('"model":"small"', '"model":"small","model":"big"')],
    ['a second body', line('small').replace('"body":', '"body":{"model":"big"},"body":')],
    ['what is no strict JSON', line('big').replace('"c-1"', 'NaN')],
    ['a slug', line('@main/big')],
    ['the slug of others', line('@claude/big')],
  ])('cannot hide a model behind %s', async (_, hidden) => {
    expect(await upload(`${line('small')}\n${hidden}\n`, { key: 'small', ...batch })).toMatchObject({ status: 403, code: 'not_allowed' });
  });

  it('pass unseen where nothing is limited', async () => {
    const { status, sent, form } = await upload(rows, { ...batch });
    expect([status, sent?.equals(form)]).toEqual([200, true]);
  });

  it('of files for other purposes keep every byte', async () => {
    const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0x0a, 0x00, 0x80, ...Buffer.from(rows)]);
    for (const how of [{ purpose: 'assistants' }, { name: 'a.pdf', late: 'assistants' }]) {
      upstream.taken.length = 0;
      const { status, sent, form } = await upload(bytes, { key: 'small', ...how });
      expect([status, sent?.equals(form)]).toEqual([200, true]);
    }
  });

  it('lose the slug of a model, and nothing else', async () => {
    const content = `${line('@main/gpt')}\r\n${line('gpt', 2)} \n{"custom_id":"3","body":{"messages":["@x"]}}`;
    const { status, sent, form } = await upload(content, { ...batch });
    expect([status, sent?.toString()]).toEqual([200, form.toString().replace('@main/gpt', 'gpt')]);
    upstream.taken.length = 0;
    const other = await upload(content, { purpose: 'fine-tune' });
    expect(other.sent?.equals(other.form)).toBe(true);
  });

  it('let a chain go on to whom they may go, as long as the form is held', async () => {
    const { status, sent, form } = await upload(rows, { ...batch, headers: { 'x-gateway-virtual-key': '', 'x-gateway-config': 'chain' } });
    expect([status, sent?.equals(form)]).toEqual([200, true]);
  });
});

describe('batches that only pass', () => {
  const uploads: readonly [string, string] = ['uploads', '{"purpose":"batch","filename":"a.jsonl","bytes":1,"mime_type":"text/jsonl"}'];
  const native: readonly [string, string] = [
    'messages/batches',
    '{"requests":[{"custom_id":"a","params":{"model":"claude-m","max_tokens":5,"messages":[{"role":"user","content":"hi"}]}}]}',
  ];
  const pass = async ([path, body]: readonly [string, string], key: string, to: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${keyOf(key)}`, 'x-gateway-virtual-key': to };
    return (await fetch(`${gateway.url}/v1/${path}`, { method: 'POST', headers, body })).status;
  };

  it('are refused where models are limited: files in parts', async () => {
    expect([await pass(uploads, 'small', 'main'), await pass(uploads, 'free', 'narrow'), await pass(uploads, 'free', 'main')]).toEqual([
      403, 403, 200,
    ]);
  });

  it('are not opened by a model in the query', async () => {
    const named = ['messages/batches?model=claude-m', native[1]] as const;
    expect([await pass(named, 'small', 'claude'), await pass(named, 'free', 'few')]).toEqual([403, 403]);
    const other = ['engines/gpt-large/completions?model=small', '{"model":"gpt-large"}'] as const;
    expect([await pass(other, 'small', 'main'), await pass(other, 'free', 'main')]).toEqual([403, 200]);
  });

  it.each(['/uploads', '%75ploads', 'Uploads', 'uploads/'])('are not opened by the spelling %s', async (path) => {
    expect([await pass([path, uploads[1]], 'small', 'main'), await pass([path, uploads[1]], 'free', 'narrow')]).toEqual([403, 403]);
  });

  it('are refused where models are limited: batches of messages', async () => {
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

describe('a model in x-gateway-provider-model', () => {
  const order = { input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' };
  const naming = (model: string) => ({ 'x-gateway-provider-model': model });

  it.each<[string, Sent, number]>([
    ['that the key may use', { key: 'small', to: 'main', headers: naming('small-2') }, 200],
    ['that the key may not use', { key: 'small', to: 'main', headers: naming('big') }, 403],
    ['by another prefix', { key: 'small', to: 'main', headers: { 'x-portkey-provider-model': 'big' } }, 403],
    ['that the provider may be used with', { to: 'narrow', headers: naming('small-2') }, 200],
    ['that it may not be used with', { to: 'narrow', headers: naming('big') }, 403],
    ['that chooses the provider', { headers: naming('@main/any') }, 200],
    ['that chooses one that is not there', { headers: naming('@nobody/any') }, 404],
    ['missing, for a key without a list', { to: 'main' }, 200],
    ['missing, for a key with one', { key: 'small', to: 'main' }, 403],
  ])('%s', async (_, how, status) => {
    expect((await create('batches', order, how)).status).toBe(status);
    const sent = upstream.taken.map(({ body }) => JSON.parse(body.toString()) as unknown);
    expect(sent).toEqual(status === 200 ? [order] : []);
  });

  it('counts only where the body names none, and only where there is no field for it', async () => {
    const { status } = await create('batches', { ...order, model: 'big' }, { key: 'small', to: 'main', headers: naming('small') });
    const chat = await create('chat/completions', { model: 'big', messages: [] }, { key: 'small', to: 'main', headers: naming('small') });
    expect([status, chat.status, upstream.taken]).toEqual([403, 403, []]);
  });

  it('is told to a key that has to name one', async () => {
    const response = await fetch(`${gateway.url}/v1/batches`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${keyOf('small')}`, 'x-gateway-virtual-key': 'main' },
      body: JSON.stringify(order),
    });
    expect(await response.text()).toContain('x-gateway-provider-model');
  });
});

describe('the base model of a fine-tuning job', () => {
  it.each<[string, Sent, string, number]>([
    ['the key may use', { key: 'small', to: 'main' }, 'small-1', 200],
    ['the key may not use', { key: 'small', to: 'main' }, 'big', 403],
    ['the provider may be used with', { to: 'narrow' }, 'small-1', 200],
    ['the provider may not be used with', { to: 'narrow' }, 'big', 403],
    ['a key may not use, at a service with deployments', { key: 'small', to: 'azure' }, 'gpt-4o-mini', 403],
  ])('that %s', async (_, how, model, status) => {
    expect((await create('fine_tuning/jobs', { model, training_file: 'file-1' }, how)).status).toBe(status);
  });
});

describe('lines in the body of a batch', () => {
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
    ['of a free key', { to: 'claude' }, requests('claude-m', 'claude-bad'), 200, undefined],
    ['of a key that may use them', { key: 'small', to: 'claude', headers: claude }, requests('claude-m'), 200, undefined],
    [
      'of a key that may not',
      { key: 'small', to: 'claude', headers: claude },
      requests('claude-m', 'claude-bad'),
      403,
      'Key "small" may not use model "claude-bad", which the field "requests[1].body.model" names.',
    ],
    [
      'for a provider with a list',
      { to: 'few' },
      requests('claude-m', '@few/claude-bad'),
      403,
      'Provider "few" may not be used with model "claude-bad", which the field "requests[1].body.model" names.',
    ],
  ])('%s', async (_, how, body, status, message) => {
    expect(await create('batches', body, how)).toEqual({ status, message });
  });
});

describe('npm openai', () => {
  it('tells which line is refused', async () => {
    const client = new OpenAI({
      apiKey: keyOf('small'),
      baseURL: `${gateway.url}/v1`,
      maxRetries: 0,
      defaultHeaders: { 'x-gateway-virtual-key': 'main' },
    });
    // The library writes the fields in the order of the object: the purpose comes behind the file.
    const file = await toFile(Buffer.from(rows), 'rows.jsonl');
    await expect(client.files.create({ file, purpose: 'batch' })).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('which line 3 of the file names') as string,
    });
  });
});
