import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endpoints, type EndpointTraits } from '../../src/core/endpoint.ts';
import { objectIdPaths } from '../../src/core/objects/id-paths.ts';
import { keyOf, type Rig, startRig, type ReadResponse, upload } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.close());
beforeEach(() => {
  for (const rows of Object.values(rig.account.rows)) rows.length = 0;
});

const rows = Object.entries(endpoints) as [string, EndpointTraits][];
const isOf = (path: string): string => (path.startsWith('fine_tuning') ? 'jobs' : (path.split('/')[0] ?? ''));

/** One object of each kind, created with Anna's key. */
const make: Record<string, (headers?: Record<string, string>) => Promise<ReadResponse>> = {
  files: (headers) => rig.send('anna', 'POST', '/v1/files', upload('{}\n'), headers),
  batches: async (headers) => {
    const file = await rig.send('anna', 'POST', '/v1/files', upload('{}\n'));
    const body = { input_file_id: file.json['id'], endpoint: '/v1/chat/completions', completion_window: '24h' };
    return rig.send('anna', 'POST', '/v1/batches', body, headers);
  },
  jobs: async (headers) => {
    const file = await rig.send('anna', 'POST', '/v1/files', upload('{}\n', 'a.jsonl', 'fine-tune'));
    return rig.send('anna', 'POST', '/v1/fine_tuning/jobs', { model: 'm', training_file: file.json['id'] }, headers);
  },
  responses: (headers) => rig.send('anna', 'POST', '/v1/responses', { model: 'm', input: 'hi' }, headers),
};

const idOf = async (kind: string): Promise<string> => String((await make[kind]?.())?.json['id']);
const withoutIds = ({ status, text }: ReadResponse, id: string): unknown => ({
  status,
  text: text.replaceAll(id, '<id>').replaceAll(/"request_id":"[^"]+"|req_[\w-]+/g, ''),
});

describe('a route with an object ID', () => {
  const idRoutes = rows.flatMap(([endpoint, { routes, state }]) =>
    routes.flatMap(([method, path]) => (state === 'names' && path.includes('{id}') ? [{ endpoint, method, path }] : [])),
  );

  it('is covered by this test', () => expect(idRoutes.length).toBeGreaterThanOrEqual(14));

  it.each(idRoutes)('$method $path: returns 404 to other keys, the same as for an unknown ID', async ({ method, path }) => {
    const id = await idOf(isOf(path));
    const at = (one: string): string => `/v1/${path.replace('{id}', one)}`;
    const before = rig.account.upstream.requests.length;
    const otherResponse = await rig.send('ben', method, at(id));
    const unknown = await rig.send('ben', method, at('file-neverwas'));
    expect(otherResponse.status).toBe(404);
    expect(otherResponse.json).toMatchObject({ error: { code: 'object_not_found', message: `No such object: "${id}".` } });
    expect(withoutIds(otherResponse, id)).toEqual(withoutIds(unknown, 'file-neverwas'));
    expect(rig.account.upstream.requests.length, 'the provider was asked').toBe(before);
    // Percent-encoded, and through a virtual key of the same provider, it is the same object.
    const percentEncoded = at(id.replace('-', '%2D').replace('_', '%5F'));
    expect((await rig.send('ben', method, percentEncoded, undefined, { 'x-gateway-provider': '@team' })).status).toBe(404);
    expect((await rig.send('anna', method, at(id), undefined, { 'x-gateway-provider': '@team' })).status).toBeLessThan(300);
    expect((await rig.send('operator', method, at(id))).status).toBeLessThan(300);
  });
});

describe('lists', () => {
  const lists = rows.filter(([endpoint]) => endpoint.endsWith('/list'));
  it.each(lists.map(([endpoint]) => endpoint))('%s: contains only the objects of the key', async (endpoint) => {
    expect(objectIdPaths).toHaveProperty([endpoint, 'isList'], true);
    const path = `/v1/${endpoint.replace('/list', '')}`;
    const id = await idOf(isOf(endpoint));
    const ownResponse = await rig.send('anna', 'GET', path);
    const otherResponse = await rig.send('ben', 'GET', path);
    expect((JSON.parse(ownResponse.text) as { data: { id: string }[] }).data.map((row) => row.id)).toContain(id);
    expect(otherResponse.json).toMatchObject({ object: 'list', data: [], first_id: null, last_id: null, has_more: false });
  });

  it('skip pages without own objects, so that an SDK finds every object', async () => {
    const ownIds: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      ownIds.unshift(await idOf('files'));
      for (let n = 0; n < 7; n += 1) await rig.send('ben', 'POST', '/v1/files', upload('{}\n'));
    }
    const client = new OpenAI({
      apiKey: keyOf('anna'),
      baseURL: `${rig.gateway.url}/v1`,
      defaultHeaders: { 'x-gateway-provider': '@main' },
    });
    const leakedIds: string[] = [];
    for await (const file of client.files.list()) leakedIds.push(file.id);
    expect(leakedIds).toEqual(ownIds);
  });

  it('read a limited number of pages, and warn if an empty page does not mean the end', async () => {
    for (let n = 0; n < 40; n += 1) rig.account.rows['files']?.push({ id: `file-old${n}` });
    const before = rig.account.upstream.requests.length;
    const list = await rig.send('anna', 'GET', '/v1/files?limit=2');
    expect(list.json).toMatchObject({ data: [], last_id: null, has_more: false });
    expect(list.headers.get('x-gateway-warnings')).toContain('The first 10 pages');
    expect(rig.account.upstream.requests.length - before).toBe(10);
    const fullList = await rig.send('anna', 'GET', '/v1/files?limit=100');
    expect(fullList.headers.get('x-gateway-warnings')).toBeNull();
  });

  it('of several pages are recorded as one attempt, from the first page to the last', async () => {
    const { upstream, rows: storedRows } = rig.account;
    for (let n = 0; n < 40; n += 1) storedRows['files']?.push({ id: `file-old${n}` });
    const { script } = upstream;
    upstream.script = async (...request) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      await script(...request);
    };
    const list = await rig.send('anna', 'GET', '/v1/files?limit=2');
    upstream.script = script;
    const { attempts } = await rig.gateway.record(list.headers.get('x-request-id'));
    expect(attempts).toHaveLength(1);
    expect(attempts[0]?.total_ms).toBeGreaterThan(190);
  });

  it('larger than the streaming limit are filtered too', async () => {
    const pad = 'x'.repeat(2000);
    for (let n = 0; n < 1000; n += 1) rig.account.rows['files']?.push({ id: `file-old${n}`, filename: pad });
    const id = await idOf('files');
    const list = await rig.send('anna', 'GET', '/v1/files?limit=1001');
    expect(list.json['data']).toMatchObject([{ id }]);
  });
});

describe('object IDs in a body', () => {
  const bodies: [string, string, string, (id: string) => object][] = [
    ['responses', 'responses', 'previous_response_id', (id) => ({ input: 'x', previous_response_id: id })],
    ['responses', 'responses', 'in any case', (id) => ({ input: 'x', Previous_Response_ID: id })],
    ['responses', 'responses', 'a field nobody knows', (id) => ({ input: 'x', continues: { from: [id] } })],
    ['responses', 'responses/input_tokens', 'previous_response_id', (id) => ({ input: 'x', previous_response_id: id })],
    ['responses', 'responses/compact', 'previous_response_id', (id) => ({ input: 'x', previous_response_id: id })],
    ['files', 'responses', 'input_file', (id) => ({ input: [{ role: 'user', content: [{ type: 'input_file', file_id: id }] }] })],
    [
      'files',
      'responses',
      'a tool',
      (id) => ({ input: 'x', tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: [id] } }] }),
    ],
    [
      'files',
      'chat/completions',
      'file_id',
      (id) => ({ messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: id } }] }] }),
    ],
    [
      'files',
      'chat/completions',
      'the address of an image',
      (id) => ({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: id } }] }] }),
    ],
    ['files', 'batches', 'input_file_id', (id) => ({ input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' })],
    ['files', 'fine_tuning/jobs', 'training_file', (id) => ({ training_file: id })],
    ['files', 'fine_tuning/jobs', 'validation_file', (id) => ({ training_file: id, validation_file: id })],
  ];

  it.each(bodies)('of %s, on %s: %s, return 404 to other keys', async (kind, path, _, body) => {
    const id = await idOf(kind);
    const before = rig.account.upstream.requests.length;
    const rejection = await rig.send('ben', 'POST', `/v1/${path}`, { model: 'm', ...body(id) });
    expect(rejection.json).toMatchObject({ error: { code: 'object_not_found' } });
    expect(rejection.status).toBe(404);
    expect(rig.account.upstream.requests.length).toBe(before);
    expect((await rig.send('anna', 'POST', `/v1/${path}`, { model: 'm', ...body(id) })).status).toBeLessThan(300);
  });

  it('that are unknown are rejected in a field for IDs and accepted in other fields', async () => {
    const unknown = await rig.send('anna', 'POST', '/v1/responses', { model: 'm', input: 'x', previous_response_id: 'resp_before' });
    expect(unknown.status).toBe(404);
    const free = { model: 'm', input: [{ type: 'function_call_output', call_id: 'call_elsewhere', output: 'x' }], user: 'user-1' };
    expect((await rig.send('anna', 'POST', '/v1/responses', free)).status).toBe(200);
  });

  it.each(['{"type":"item_reference","id":"ID"}', '{"id":"ID"}', '{"type":null,"id":"ID"}'])(
    'return 404 to other keys as a reference to an item: %s',
    async (text) => {
      const created = await make['responses']?.();
      const [item] = JSON.parse(created?.text ?? '{}').output as { id: string }[];
      const body = (id: string): object => ({ model: 'm', input: [JSON.parse(text.replace('ID', id)) as object] });
      expect((await rig.send('anna', 'POST', '/v1/responses', body(item?.id ?? ''))).status).toBe(200);
      expect((await rig.send('ben', 'POST', '/v1/responses', body(item?.id ?? ''))).status).toBe(404);
      expect((await rig.send('ben', 'POST', '/v1/responses', body('msg_neverwas'))).status).toBe(404);
    },
  );

  it('are also checked in duplicate members, with escapes, and in inline overrides', async () => {
    const id = await idOf('responses');
    const ownId = (await rig.send('ben', 'POST', '/v1/responses', { model: 'm', input: 'x' })).json['id'];
    const duplicateIdBody = `{"model":"m","input":[{"type":"item_reference","id":"${id}","id":"${String(ownId)}"}]}`;
    expect((await rig.send('ben', 'POST', '/v1/responses', duplicateIdBody)).json).toMatchObject({ error: { code: 'invalid_json' } });
    const escaped = `{"model":"m","input":"x","previous\\u005fresponse_id":"resp\\u005f${id.slice(5)}"}`;
    expect((await rig.send('ben', 'POST', '/v1/responses', escaped)).status).toBe(404);
    const config = JSON.stringify({ targets: [{ provider: '@main', override_params: { previous_response_id: id } }] });
    const inline = await rig.send(
      'ben',
      'POST',
      '/v1/responses',
      { model: 'm', input: 'x' },
      { 'x-gateway-config': config, 'x-gateway-provider': '' },
    );
    expect(inline.status).toBe(404);
  });

  it('are also checked in the lines of a batch file', async () => {
    const id = await idOf('responses');
    const line = (more: object): string =>
      JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/responses', body: { model: 'm', ...more } });
    const file = `${line({ input: 'x' })}\n${line({ previous_response_id: id })}\n`;
    const count = rig.account.rows['files']?.length;
    expect((await rig.send('ben', 'POST', '/v1/files', upload(file))).status).toBe(404);
    expect((await rig.send('ben', 'POST', '/v1/files', upload(file, 'data.bin', 'Batch'))).status).toBe(404);
    expect(rig.account.rows['files']?.length).toBe(count);
    expect((await rig.send('ben', 'POST', '/v1/files', upload('not json\n'))).json).toMatchObject({ error: { code: 'invalid_form' } });
    const late = new FormData();
    late.set('file', new Blob([file]), 'data.bin');
    late.set('purpose', 'batch');
    // Depending on chunk sizes, the purpose is known in time or not; the upload is rejected in both cases.
    expect([403, 404]).toContain((await rig.send('ben', 'POST', '/v1/files', late)).status);
    expect((await rig.send('anna', 'POST', '/v1/files', upload(file))).status).toBe(200);
  });
});

it('a batch whose lines are read from storage is rejected, because nobody has checked the IDs in them', async () => {
  const order = { endpoint: '/v1/chat/completions', completion_window: '24h', input_blob: 'https://contoso.blob.core.windows.net/in/rows' };
  const inline = { provider: '@main', override_params: order };
  const before = rig.account.rows['batches']?.length;
  const refused = [
    await rig.send('ben', 'POST', '/v1/batches', order),
    await rig.send('ben', 'POST', '/v1/batches', {}, { 'x-gateway-config': JSON.stringify(inline) }),
  ];
  expect(refused.map(({ status, json }) => [status, json['error']])).toEqual(
    refused.map(() => [403, expect.objectContaining({ code: 'not_allowed', param: 'input_blob' })]),
  );
  expect(rig.account.rows['batches']).toHaveLength(before ?? 0);
  expect((await rig.send('operator', 'POST', '/v1/batches', order)).status).toBe(200);
});

describe('forms', () => {
  const imageForm = (field: string, id: string, isLast: boolean): FormData => {
    const form = new FormData();
    if (!isLast) form.append(field, id);
    form.set('model', 'gpt-image-1');
    form.append('image', new Blob(['x'.repeat(isLast ? 300_000 : 1)]), 'own.png');
    if (isLast) form.append(field, id);
    return form;
  };

  it.each([
    ['file_id', false],
    ['images[0][file_id]', false],
    ['images[][file_id]', true],
    ['mask.file_id', true],
  ])('that name an object of another key are rejected: %s, after the file: %j', async (field, isLast) => {
    const id = await idOf('files');
    expect((await rig.send('ben', 'POST', '/v1/images/edits', imageForm(field, id, isLast))).status).toBe(404);
    expect((await rig.send('ben', 'POST', '/v1/images/edits', imageForm(field, 'file-unknown', isLast))).status).toBe(404);
    expect((await rig.send('anna', 'POST', '/v1/images/edits', imageForm(field, id, isLast))).status).toBe(200);
  });

  it('that services parse differently are rejected', async () => {
    const count = rig.account.rows['files']?.length;
    const purpose = `Content-Disposition: form-data; name="x"; name*=utf-8''purpose\r\n\r\nbatch\r\n`;
    const file = 'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n{"body":{"model":"m","file_id":"file-1abcdef"}}\r\n';
    const form = `--b\r\n${purpose}--b\r\n${file}--b--\r\n`;
    const response = await rig.send('ben', 'POST', '/v1/files', form, { 'content-type': 'multipart/form-data; boundary=b' });
    expect(response.json).toMatchObject({ error: { code: 'invalid_form' } });
    expect(rig.account.rows['files']?.length).toBe(count);
  });
});

it('output files of a batch belong to the owner of the batch', async () => {
  const batch = await idOf('batches');
  const output = String((await rig.send('anna', 'GET', `/v1/batches/${batch}`)).json['output_file_id']);
  expect((await rig.send('anna', 'GET', `/v1/files/${output}/content`)).text).toBe('the bytes');
  expect((await rig.send('ben', 'GET', `/v1/files/${output}/content`)).status).toBe(404);
});

it('the owner of a streamed response is stored before its first event is sent', async () => {
  const streamed = await rig.send('anna', 'POST', '/v1/responses', { model: 'm', input: 'x', stream: true });
  const id = /resp_\w+/.exec(streamed.text)?.[0] ?? '';
  const item = /msg_\w+/.exec(streamed.text)?.[0] ?? '';
  expect((await rig.send('anna', 'GET', `/v1/responses/${id}`)).status).toBe(200);
  expect((await rig.send('ben', 'GET', `/v1/responses/${id}`)).status).toBe(404);
  const body = { model: 'm', input: [{ type: 'item_reference', id: item }] };
  expect((await rig.send('anna', 'POST', '/v1/responses', body)).status).toBe(200);
  expect((await rig.send('ben', 'POST', '/v1/responses', body)).status).toBe(404);
});

it.each([
  ['POST', '/v1/vector_stores'],
  ['DELETE', '/v1/models/ft:gpt-4o:org::1'],
  ['GET', '/v1/conversations/conv_1'],
  ['GET', '/v1/chat/completions/chatcmpl-1'],
  ['GET', '/v1/messages/batches'],
  ['PUT', '/v1/files/file-1abcdef'],
])('%s %s is rejected with 403 for isolated keys', async (method, path) => {
  const rejection = await rig.send('anna', method, path);
  expect(rejection).toMatchObject({
    status: 403,
    json: { error: { message: expect.stringContaining('does not know which objects') as string } },
  });
  expect((await rig.send('operator', method, path)).status).not.toBe(403);
});

it('a fallback continues with an account in which the key may see the object', async () => {
  const created = await rig.send('anna', 'POST', '/v1/responses', { model: 'm', input: 'x' }, { 'x-gateway-provider': '@shared' });
  const path = `/v1/responses/${String(created.json['id'])}`;
  expect((await rig.send('ben', 'GET', path)).status).toBe(404);
  expect((await rig.send('ben', 'GET', path, undefined, { 'x-gateway-provider': '', 'x-gateway-config': 'both' })).status).toBe(200);
});
