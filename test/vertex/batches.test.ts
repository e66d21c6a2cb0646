import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { callersToken } from './cloud.ts';
import { jsonl, line, linesOf, type Rig, startRig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.close());
afterEach(() => {
  rig.cloud.interrupt = undefined;
  rig.cloud.jobs.batchPredictionJobs.length = 0;
});

const endpoint = '/v1/chat/completions';
const window = '24h';
const error = (thrown: unknown) => thrown as { status: number; code: string; param: string; message: string; headers: Headers };
const uploaded = async (...rows: string[]): Promise<string> =>
  (await rig.client().files.create({ file: await jsonl(rows), purpose: 'batch' })).id;
const create = (body: object, headers: Record<string, string> = {}) =>
  rig.fetch('/batches', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });

describe('the lifecycle of a batch', () => {
  it('leads from an uploaded file to the output', async () => {
    const client = rig.client();
    const file = await client.files.create({ file: await jsonl([line('a', 'Hi'), line('b', 'fail')]), purpose: 'batch' });
    const metadata = { team: 'search', note: 'Größe: 7 € — 日本' };
    const batch = await client.batches.create({ input_file_id: file.id, endpoint, completion_window: window, metadata });
    expect(batch).toMatchObject({ object: 'batch', status: 'validating', endpoint, input_file_id: file.id, metadata });
    rig.cloud.jobs.run(batch.id);
    const done = await client.batches.retrieve(batch.id);
    const counts = { total: 2, completed: 1, failed: 1 };
    expect(done).toMatchObject({ status: 'completed', completed_at: 1_793_610_300, request_counts: counts, metadata, error_file_id: null });
    const text = await (await client.files.content(done.output_file_id ?? '')).text();
    expect(linesOf(text)).toMatchObject([
      { custom_id: 'b', response: null, error: { code: 'INVALID_ARGUMENT', message: 'no such luck' } },
      { custom_id: 'a', response: { status_code: 200, body: { object: 'chat.completion', choices: [{ message: { content: 'Hello' } }] } } },
    ]);
    const output = await rig.fetch(`/batches/${batch.id}/output`);
    expect(output.status).toBe(200);
    expect(linesOf(await output.text()).map((one) => one['custom_id'])).toEqual(['b', 'a']);
  });

  it.each([
    ['anthropic.claude-opus-4-6', {}, { model: 'publishers/anthropic/models/claude-opus-4-6' }],
    [
      'gemini-2.5-flash',
      {},
      { model: 'publishers/google/models/gemini-2.5-flash', instanceConfig: { instanceType: 'object', excludedFields: ['requestId'] } },
    ],
  ])('includes job and output for %s', async (model, more, job) => {
    const id = await uploaded(line('a', 'Hi', model, more));
    const batch = await rig.client().batches.create({ input_file_id: id, endpoint, completion_window: window });
    expect(rig.cloud.jobs.batchPredictionJobs[0]).toMatchObject(job);
    rig.cloud.jobs.run(batch.id);
    const [result] = linesOf(await (await rig.fetch(`/batches/${batch.id}/output`)).text());
    expect(result).toMatchObject({
      custom_id: 'a',
      response: { body: { object: 'chat.completion', choices: [{ message: { content: 'Hello' } }] } },
    });
  });

  it('includes the output file for embeddings', async () => {
    const row = { custom_id: 'v', method: 'POST', url: '/v1/embeddings', body: { model: 'text-embedding-005', input: 'Hi' } };
    const id = await uploaded(JSON.stringify(row));
    const batch = await rig.client().batches.create({ input_file_id: id, endpoint: '/v1/embeddings', completion_window: window });
    rig.cloud.jobs.run(batch.id);
    const { output_file_id: output, endpoint: targetModel } = await rig.client().batches.retrieve(batch.id);
    expect([
      targetModel,
      decodeURIComponent(output ?? '')
        .split('/')
        .at(-1),
    ]).toEqual(['/v1/embeddings', '000000000000.jsonl']);
    const expected = {
      custom_id: 'v',
      response: { body: { object: 'list', data: [{ embedding: [0.25, 0.5] }], model: 'text-embedding-005' } },
    };
    expect(linesOf(await (await rig.fetch(`/batches/${batch.id}/output`)).text())).toMatchObject([expected]);
    expect(linesOf(await (await rig.client().files.content(output ?? '')).text())).toMatchObject([expected]);
  });
});

describe('POST /v1/batches', () => {
  it('uses the model of the body, the header or the file metadata, in this order', async () => {
    const id = await uploaded(line('a', 'Hi'));
    const model = () => rig.cloud.jobs.batchPredictionJobs[0]?.['model'];
    const body = { input_file_id: id, endpoint, completion_window: window };
    await create({ ...body, model: '@vertex/gemini-2.5-pro' }, { 'x-gateway-provider-model': 'gemini-3-pro' });
    expect(model()).toBe('publishers/google/models/gemini-2.5-pro');
    await create(body, { 'x-gateway-provider-model': 'gemini-3-pro' });
    expect(model()).toBe('publishers/google/models/gemini-3-pro');
    await create(body);
    expect(model()).toBe('publishers/google/models/gemini-2.5-flash');
  });

  it('lists a completion window that the service does not have, but not one that is null', async () => {
    const id = await uploaded(line('a', 'Hi'));
    const dropped = async (window: unknown) =>
      (await create({ input_file_id: id, endpoint, completion_window: window })).headers.get('x-gateway-dropped-params');
    expect([await dropped('1h'), await dropped(null)]).toEqual(['completion_window', null]);
  });

  it('checks the model of the file metadata against the model list of the provider', async () => {
    const narrow = { 'x-gateway-virtual-key': 'narrow' };
    const created = async (content: string, headers: Record<string, string> = {}) => {
      const id = await uploaded(content);
      rig.cloud.takeRequests();
      const response = await create({ input_file_id: id, endpoint, completion_window: window }, { ...narrow, ...headers });
      const { error } = (await response.json()) as { error?: object };
      return {
        status: response.status,
        ...error,
        jobs: rig.cloud.takeRequests().filter((request) => request.includes('batchPredictionJobs')).length,
      };
    };
    const forbidden = { status: 403, code: 'not_allowed', param: 'model', jobs: 0 };
    // The provider for the upload has no list: the metadata names a model that the narrow provider does not allow.
    expect(await created(line('a', 'Hi', 'gemini-2.5-pro'))).toMatchObject(forbidden);
    expect(await created(line('a', 'Hi'), { 'x-gateway-provider-model': 'gemini-2.5-pro' })).toMatchObject(forbidden);
    expect(await created(line('a', 'Hi'), { 'x-gateway-provider-model': '@narrow/gemini-2.5-flash-lite' })).toMatchObject({
      status: 200,
      jobs: 1,
    });
    expect(await created(line('a', 'Hi'))).toMatchObject({ status: 200, jobs: 1 });
  });

  it('reports dropped parameters', async () => {
    const id = await uploaded(line('a', 'Hi'));
    const body = { input_file_id: id, endpoint, completion_window: '1h', output_expires_after: { anchor: 'created_at', seconds: 3600 } };
    const response = await create({ ...body, metadata: { a: 'x', b: 'y'.repeat(500), c: 'ü'.repeat(512), d: 'ß'.repeat(500), e: 'z' } });
    const dropped = response.headers.get('x-gateway-dropped-params')?.split(', ').sort();
    expect(dropped).toEqual(['completion_window', 'metadata.d', 'output_expires_after']);
    expect(await response.json()).toMatchObject({ metadata: { a: 'x', e: 'z' } });
  });

  it.each<[string, object, object]>([
    ['without a file', { input_file_id: undefined }, { status: 400, code: 'missing_required_parameter', param: 'input_file_id' }],
    ['without an endpoint', { endpoint: undefined }, { status: 400, code: 'missing_required_parameter', param: 'endpoint' }],
    ['for another endpoint', { endpoint: '/v1/responses' }, { status: 400, code: 'invalid_value', param: 'endpoint' }],
    [
      'with an endpoint that differs from the lines',
      { endpoint: '/v1/embeddings' },
      { status: 400, code: 'invalid_value', param: 'endpoint' },
    ],
    ['with an id of another provider', { input_file_id: 'file-abc' }, { status: 404, code: 'invalid_value', param: 'input_file_id' }],
    ['from a foreign bucket', { input_file_id: 'gs://foreign/x.jsonl' }, { status: 403, code: 'not_allowed', param: 'input_file_id' }],
    ['for a model without batch support', { model: 'endpoints.55' }, { status: 400, code: 'unsupported_parameter', param: 'model' }],
    ['with too much metadata', { metadata: { a: 'x'.repeat(513) } }, { status: 400, code: 'string_above_max_length', param: 'metadata.a' }],
  ])('is rejected before a job is created: %s', async (_, more, expected) => {
    const id = await uploaded(line('a', 'Hi'));
    rig.cloud.takeRequests();
    const response = await create({ input_file_id: id, endpoint, completion_window: window, ...more });
    const { error: problem } = (await response.json()) as { error: object };
    expect({ ...problem, status: response.status }).toMatchObject(expected);
    expect(rig.cloud.takeRequests().filter((one) => one.startsWith('POST'))).toEqual([]);
  });

  it('reports a missing model if neither request nor file contains it', async () => {
    rig.cloud.objects.put('gs://acme-more/native.jsonl', '{"request": {}}\n');
    const thrown = error(
      await rig
        .client()
        .batches.create({ input_file_id: 'gs://acme-more/native.jsonl', endpoint, completion_window: window })
        .catch((one: unknown) => one),
    );
    expect(thrown).toMatchObject({ status: 400, code: 'missing_required_parameter', param: 'model' });
    expect(thrown.message).toContain('neither the request nor the file');
  });

  it('is refused where its output would go to a bucket that the operator only named', async () => {
    rig.cloud.objects.put('gs://acme-more/x.jsonl', '{"request": {}}\n');
    const body = { input_file_id: 'gs://acme-more/x.jsonl', endpoint, completion_window: window, model: 'gemini-2.5-flash' };
    rig.cloud.takeRequests();
    const response = await create(body, { 'x-gateway-virtual-key': 'reading' });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: 'missing_required_parameter', param: 'storage_bucket' } },
    ]);
    expect(rig.cloud.takeRequests()).toEqual([]);
  });

  it("passes on the provider's word on a file that is not there", async () => {
    const thrown = await rig
      .client()
      .batches.create({ input_file_id: 'gs://acme-data/none', endpoint, completion_window: window })
      .catch((one: unknown) => one);
    expect(thrown).toMatchObject({ status: 404 });
    expect(error(thrown).message).toContain('No such object');
  });

  it('accepts any bucket with a credential of the client', async () => {
    rig.cloud.objects.put('gs://foreign/x.jsonl', '{"request": {}}\n');
    const headers = {
      'x-gateway-virtual-key': 'own',
      authorization: `Bearer ${callersToken}`,
      'x-gateway-vertex-storage-bucket-name': 'foreign',
    };
    const response = await create(
      { input_file_id: 'gs://foreign/x.jsonl', endpoint, completion_window: window, model: 'gemini-2.5-flash' },
      headers,
    );
    expect(response.status).toBe(200);
    expect(rig.cloud.jobs.batchPredictionJobs[0]).toMatchObject({
      outputConfig: { gcsDestination: { outputUriPrefix: expect.stringMatching(/^gs:\/\/foreign\//) as string } },
    });
  });

  it('rejects a bucket of the request with a credential of the operator', async () => {
    const id = await uploaded(line('a', 'Hi'));
    const response = await create(
      { input_file_id: id, endpoint, completion_window: window },
      { 'x-gateway-vertex-storage-bucket-name': 'foreign' },
    );
    expect([response.status, rig.cloud.jobs.batchPredictionJobs.length]).toEqual([403, 0]);
  });
});

it.each(['{}', '{"state": "JOB_STATE_PENDING"}'])('takes no response without a name for a batch: %s', async (text) => {
  rig.cloud.objects.put('gs://acme-data/x.jsonl', '{"request": {}}\n');
  rig.cloud.interrupt = (request, response) => {
    if (!request.path.includes('/batchPredictionJobs')) return false;
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    return true;
  };
  const batch = await create({ input_file_id: 'gs://acme-data/x.jsonl', endpoint, completion_window: window, model: 'gemini-2.5-flash' });
  const read = await rig.fetch('/batches/123');
  for (const response of [batch, read])
    expect([response.status, await response.json()]).toMatchObject([502, { error: { code: 'upstream_invalid' } }]);
});

describe('cancelling a batch', () => {
  it.each(['QUEUED', 'PENDING', 'RUNNING', 'PAUSED', 'UPDATING', 'CANCELLING'])('that is %s answers the batch', async (state) => {
    const id = rig.cloud.jobs.add('batchPredictionJobs', { state: `JOB_STATE_${state}` });
    expect(await rig.client().batches.cancel(id)).toMatchObject({
      id,
      object: 'batch',
      status: 'cancelling',
      created_at: 1_793_610_000,
      cancelling_at: 1_793_610_240,
    });
  });

  it.each(['SUCCEEDED', 'PARTIALLY_SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED'])(
    'returns the error of the provider for a job that is %s',
    async (state) => {
      const id = rig.cloud.jobs.add('batchPredictionJobs', { state: `JOB_STATE_${state}` });
      const thrown = error(
        await rig
          .client()
          .batches.cancel(id)
          .catch((one: unknown) => one),
      );
      expect(thrown).toMatchObject({ status: 400, code: 'FAILED_PRECONDITION' });
      expect(thrown.message).toContain(`JOB_STATE_${state}`);
    },
  );

  it('returns a partial batch with a warning if the job cannot be read afterwards', async () => {
    const id = rig.cloud.jobs.add('batchPredictionJobs', { state: 'JOB_STATE_RUNNING' });
    rig.cloud.interrupt = (request, response) => {
      if (request.method !== 'GET') return false;
      response.writeHead(503).end();
      return true;
    };
    const response = await rig.fetch(`/batches/${id}/cancel`, { method: 'POST' });
    expect([response.status, response.headers.get('x-gateway-warnings')]).toEqual([200, expect.stringContaining('status 503')]);
    expect(await response.json()).toMatchObject({ id, object: 'batch', status: 'cancelling' });
  });

  it('returns 404 for an invalid id', async () => {
    for (const id of ['999999', 'a%2Fb', '..%2Fx']) {
      expect((await rig.fetch(`/batches/${id}/cancel`, { method: 'POST' })).status).toBe(404);
    }
    expect(await (await rig.fetch('/batches/999999')).json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });
});

describe('GET /v1/batches/{id}/output', () => {
  it.each([
    ['RUNNING', 409],
    ['FAILED', 404],
  ])('for a batch that is %s returns %i', async (state, status) => {
    const id = rig.cloud.jobs.add('batchPredictionJobs', { state: `JOB_STATE_${state}` });
    const response = await rig.fetch(`/batches/${id}/output`);
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code: 'no_batch_output' } }]);
  });

  it('rejects a foreign bucket with a credential of the operator', async () => {
    rig.cloud.objects.put('gs://foreign/out/predictions.jsonl', '{"secret": 1}\n');
    const id = rig.cloud.jobs.add('batchPredictionJobs', {
      state: 'JOB_STATE_SUCCEEDED',
      outputInfo: { gcsOutputDirectory: 'gs://foreign/out' },
    });
    const response = await rig.fetch(`/batches/${id}/output`);
    expect([response.status, await response.json()]).toMatchObject([403, { error: { code: 'not_allowed' } }]);
  });
});

describe('GET /v1/batches', () => {
  const add = (count: number): string[] => Array.from({ length: count }, () => rig.cloud.jobs.add('batchPredictionJobs')).reverse();

  it('lists all batches over several pages', async () => {
    const ids = add(250);
    const listed: string[] = [];
    for await (const batch of rig.client().batches.list({ limit: 70 })) listed.push(batch.id);
    expect(listed).toEqual(ids);
  });

  it('returns cursors and requests only as many jobs as needed', async () => {
    const ids = add(5);
    rig.cloud.takeRequests();
    const page = (await (await rig.fetch('/batches?limit=2')).json()) as object;
    expect(page).toMatchObject({ object: 'list', first_id: ids[0], last_id: ids[1], has_more: true });
    expect(rig.cloud.takeRequests()).toEqual([expect.stringMatching(/batchPredictionJobs\?pageSize=2$/)]);
    expect(await (await rig.fetch(`/batches?limit=4&after=${ids[2]}`)).json()).toMatchObject({
      data: [{ id: ids[3] }, { id: ids[4] }],
      has_more: false,
    });
    expect(await (await rig.fetch(`/batches?after=${ids[4]}`)).json()).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
  });

  it('reports an id that does not exist or is too far back', async () => {
    const ids = add(450);
    expect(await (await rig.fetch('/batches?after=nope&limit=5')).json()).toMatchObject({
      error: { code: 'invalid_value', param: 'after' },
    });
    const deep = await rig.fetch(`/batches?after=${ids[420]}`);
    expect([deep.status, await deep.json()]).toMatchObject([
      400,
      { error: { code: 'invalid_value', message: expect.stringContaining('newest 400') as string } },
    ]);
    for (const length of [400, 3]) {
      rig.cloud.jobs.batchPredictionJobs.length = length;
      const response = await rig.fetch('/batches?after=nope');
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: { param: 'after', message: expect.stringContaining('no batch') as string } },
      ]);
    }
  });

  it.each(['0', '101', 'x'])('rejects limit=%s', async (limit) => {
    const response = await rig.fetch(`/batches?limit=${limit}`);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'limit' } }]);
  });
});

it('all routes with stored objects require a credential', async () => {
  for (const path of ['/batches', '/batches/1', '/files', '/fine_tuning/jobs']) {
    const response = await rig.fetch(path, {
      headers: { 'x-gateway-virtual-key': 'own', 'x-gateway-vertex-storage-bucket-name': 'foreign' },
    });
    expect([response.status, await response.json()]).toMatchObject([401, { error: { code: 'missing_credential' } }]);
  }
});
