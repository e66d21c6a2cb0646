import type { Endpoint } from '#core/endpoint.ts';
import { describe, expect, it } from 'vitest';
import { ask, byId, errorOf, form, type Json, rowsOf, start } from '../../../../test/mock/ask.ts';
import { fileId, predefinedFile } from './files.ts';

const batchFile = fileId(predefinedFile('batch', 'in.jsonl'));
const tuneFile = fileId(predefinedFile('fine-tune', 'train.jsonl'));

describe('mock batches', () => {
  const body = { input_file_id: batchFile, endpoint: '/v1/embeddings', completion_window: '24h', metadata: { team: 'ü' } };
  const createObject = (overrides: Json = {}) => ask('batches', { body: { ...body, ...overrides } }).json();

  it('are retrieved by id', () => {
    const batch = createObject();
    expect(batch).toMatchObject({ ...body, object: 'batch', status: 'validating', created_at: start, output_file_id: null, errors: null });
    expect(ask('batches/{id}', byId(batch['id'])).json()).toEqual(batch);
  });

  it.each([
    [undefined, 0, 'validating', { in_progress_at: null, request_counts: { total: 0, completed: 0, failed: 0 } }],
    [undefined, 1, 'in_progress', { in_progress_at: start + 1, request_counts: { total: 3, completed: 0, failed: 0 } }],
    [undefined, 3, 'in_progress', { request_counts: { total: 3, completed: 2, failed: 0 } }],
    [undefined, 4, 'finalizing', { finalizing_at: start + 4, request_counts: { total: 3, completed: 3, failed: 0 }, completed_at: null }],
    [undefined, 5, 'completed', { completed_at: start + 5, output_file_id: expect.stringMatching(/^file-/) as string }],
    [undefined, 99_999, 'completed', { completed_at: start + 5, expired_at: null }],
    ['failed', 9, 'failed', { failed_at: start + 1, in_progress_at: null, output_file_id: null, errors: { data: [{ line: 1 }] } }],
    ['expired', 9, 'expired', { expired_at: start + 4, completed_at: null, output_file_id: expect.any(String) as string }],
    ['slow', 9, 'in_progress', { request_counts: { total: 3, completed: 0, failed: 0 } }],
    ['toString', 9, 'completed', {}],
  ])('with metadata.mock %s have after %i s the status %s', (mockOutcome, seconds, status, expected) => {
    const { id } = createObject({ metadata: mockOutcome === undefined ? null : { mock: mockOutcome } });
    expect(ask('batches/{id}', { ...byId(id), at: seconds }).json()).toMatchObject({ id, status, ...expected });
  });

  it('are rejected if their metadata does not fit into an id', () => {
    const metadata = (pairs: number) => ({
      metadata: Object.fromEntries(Array.from({ length: pairs }, (_, index) => [`k${index}`, 'x'.repeat(512)])),
    });
    expect(ask('batches/{id}', byId(createObject(metadata(8))['id'])).status).toBe(200);
    const rejected = ask('batches', { body: { ...body, ...metadata(16) } });
    expect([rejected.status, errorOf(rejected)]).toMatchObject([400, { param: 'metadata' }]);
  });

  it('are cancelled while in progress, and stay completed afterwards', () => {
    const { id } = createObject();
    expect(ask('batches/{id}/cancel', { ...byId(id), at: 2 }).json()).toMatchObject({ id, status: 'cancelling', cancelling_at: start + 2 });
    expect(ask('batches/{id}/cancel', { ...byId(id), at: 20 }).json()).toMatchObject({ id, status: 'completed', cancelling_at: null });
  });

  it('have an output file of the reported length, 409 before completion and 404 after failure', () => {
    const { id } = createObject();
    expect([
      ask('batches/{id}/output', { ...byId(id), at: 2 }).status,
      ask('batches/{id}/output', { ...byId(createObject({ metadata: { mock: 'failed' } })['id']), at: 9 }).status,
    ]).toEqual([409, 404]);
    const output = ask('batches/{id}/output', { ...byId(id), at: 9 });
    const lines = output.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatchObject({ custom_id: 'request-1', response: { status_code: 200, body: { object: 'list' } }, error: null });
    const fileName = ask('batches/{id}', { ...byId(id), at: 9 }).json()['output_file_id'];
    expect(ask('files/{id}/content', byId(fileName)).text).toBe(output.text);
    expect(ask('files/{id}', byId(fileName)).json()).toMatchObject({ purpose: 'batch_output', bytes: output.bytes.length });
  });

  it('have output lines in the format of their endpoint', () => {
    const bodies = ['/v1/chat/completions', '/v1/completions', '/v1/responses', '/v1/moderations'].map((endpoint) => {
      const line = ask('batches/{id}/output', { ...byId(createObject({ endpoint })['id']), at: 9 }).text.split('\n')[0] ?? '';
      return (JSON.parse(line) as { response: { body: Json } }).response.body;
    });
    expect(bodies.map(({ object }) => object)).toEqual(['chat.completion', 'text_completion', 'response', undefined]);
  });

  it('return 404 for unknown files and ids', () => {
    expect(ask('batches', { body: { ...body, input_file_id: 'file-1' } })).toMatchObject({ status: 404 });
    const forged = [
      `batch_${Buffer.from('[1,"a","b",null,5]').toString('base64url')}`,
      `batch_${Buffer.from('[-1,"a","b",null]').toString('base64url')}`,
      `${String(createObject()['id'])}=`,
    ];
    for (const id of ['batch_x', '', 'batch_', '../x', String(batchFile), ...forged]) {
      expect(ask('batches/{id}', byId(id))).toMatchObject({ status: 404 });
      expect(errorOf(ask('batches/{id}', byId(id)))).toMatchObject({ type: 'invalid_request_error', code: 'batch_not_found' });
    }
  });
});

describe('mock fine-tuning jobs', () => {
  const body = { model: 'echo', training_file: tuneFile, suffix: 'mine', metadata: { a: 'b' } };
  const createObject = (overrides: Json = {}) => ask('fine_tuning/jobs', { body: { ...body, ...overrides } }).json();
  const checkpoints = (id: unknown, query = '', at = 60) => ask('fine_tuning/jobs/{id}/checkpoints', { ...byId(id), query, at });

  it.each([
    [0, 'validating_files', { finished_at: null, estimated_finish: start + 6 }],
    [1, 'queued', {}],
    [2, 'running', { fine_tuned_model: null }],
    [6, 'succeeded', { finished_at: start + 6, fine_tuned_model: expect.stringMatching(/^ft:echo:mock:mine:/) as string, error: null }],
  ])('have after %i s the status %s', (seconds, status, expected) => {
    const { id } = createObject();
    expect(ask('fine_tuning/jobs/{id}', { ...byId(id), at: seconds }).json()).toMatchObject({
      id,
      status,
      training_file: tuneFile,
      metadata: { a: 'b' },
      seed: 42,
      ...expected,
    });
  });

  it('fail if metadata.mock is failed', () => {
    const { id } = createObject({ metadata: { mock: 'failed' } });
    expect(ask('fine_tuning/jobs/{id}', { ...byId(id), at: 6 }).json()).toMatchObject({
      status: 'failed',
      fine_tuned_model: null,
      error: { code: 'server_error' },
    });
    expect(rowsOf(ask('fine_tuning/jobs/{id}/events', { ...byId(id), at: 6 }).json())[0]).toMatchObject({ level: 'error' });
    expect(rowsOf(checkpoints(id).json())).toHaveLength(6);
  });

  it('are cancelled in every state but the last', () => {
    const { id } = createObject();
    const states = [0, 1, 3, 6].map((seconds) => ask('fine_tuning/jobs/{id}/cancel', { ...byId(id), at: seconds }).json()['status']);
    expect(states).toEqual(['cancelled', 'cancelled', 'cancelled', 'succeeded']);
  });

  it('list checkpoints newest first, ten per page, up to the last page', () => {
    const { id } = createObject();
    expect(checkpoints(id, '', 0).json()).toEqual({ object: 'list', data: [], first_id: null, last_id: null, has_more: false });
    const first = checkpoints(id).json();
    expect(rowsOf(first).map((row) => row['step_number'])).toEqual([1200, 1100, 1000, 900, 800, 700, 600, 500, 400, 300]);
    expect(first).toMatchObject({ has_more: true, first_id: rowsOf(first)[0]?.['id'], last_id: rowsOf(first)[9]?.['id'] });
    expect(rowsOf(first)[0]).toMatchObject({
      object: 'fine_tuning.job.checkpoint',
      fine_tuning_job_id: id,
      fine_tuned_model_checkpoint: expect.stringMatching(/:ckpt-step-1200$/) as string,
    });
    const second = checkpoints(id, `after=${String(first['last_id'])}`).json();
    expect(rowsOf(second).map((row) => row['step_number'])).toEqual([200, 100]);
    expect(second['has_more']).toBe(false);
    expect(checkpoints(id, `after=${String(second['last_id'])}`).json()).toMatchObject({ data: [], first_id: null, has_more: false });
    expect(rowsOf(checkpoints(id, 'limit=500').json())).toHaveLength(12);
  });

  it.each(['0', '-1', '1.5', 'x', '', '1e1', '%00', ' 2'])('reject the checkpoint limit %j', (limit) => {
    const { id } = createObject();
    const response = checkpoints(id, `limit=${encodeURIComponent(limit)}`);
    expect(response.status).toBe(400);
    expect(errorOf(response)).toMatchObject({ type: 'invalid_request_error', param: 'limit' });
  });

  it('list events in pages', () => {
    const { id } = createObject();
    const first = ask('fine_tuning/jobs/{id}/events', { ...byId(id), at: 60 }).json();
    expect([rowsOf(first).length, first['has_more']]).toEqual([20, true]);
    expect(rowsOf(first)[0]).toMatchObject({
      object: 'fine_tuning.job.event',
      level: 'info',
      message: 'The job has successfully completed',
    });
    expect(rowsOf(ask('fine_tuning/jobs/{id}/events', { ...byId(id), at: 0 }).json())).toHaveLength(1);
  });

  it('return an error for an unknown training file and for unknown job ids', () => {
    expect(errorOf(ask('fine_tuning/jobs', { body: { ...body, training_file: 'file-1' } }))).toMatchObject({
      param: 'training_file',
    });
    for (const endpoint of [
      'fine_tuning/jobs/{id}',
      'fine_tuning/jobs/{id}/cancel',
      'fine_tuning/jobs/{id}/events',
      'fine_tuning/jobs/{id}/checkpoints',
    ] as const) {
      expect(errorOf(ask(endpoint, byId('ftjob-1')))).toMatchObject({ code: 'fine_tune_not_found' });
    }
  });
});

describe('mock lists', () => {
  it.each([
    ['batches/list', '', 20, true],
    ['batches/list', 'limit=100', 25, false],
    ['fine_tuning/jobs/list', '', 20, true],
    ['fine_tuning/jobs/list', 'limit=200', 25, false],
    ['files/list', '', 4, false],
    ['files/list', 'limit=1', 1, true],
    ['files/list', 'purpose=batch', 1, false],
    ['files/list', 'purpose=nothing', 0, false],
  ] as const)('%s?%s have %i rows and has_more %s', (endpoint, query, count, hasMore) => {
    const page = ask(endpoint, { query }).json();
    expect([rowsOf(page).length, page['has_more']]).toEqual([count, hasMore]);
  });

  it.each(['batches/list', 'fine_tuning/jobs/list', 'files/list'] as const)(
    '%s return every row exactly once over all pages, and each row is found by its id',
    (endpoint) => {
      const listed: unknown[] = [];
      for (let after = ''; ; ) {
        const page = ask(endpoint, { query: `limit=3${after}` }).json();
        listed.push(...rowsOf(page).map(({ id }) => id));
        if (page['has_more'] !== true) break;
        after = `&after=${String(page['last_id'])}`;
      }
      const rows = rowsOf(ask(endpoint, { query: 'limit=100' }).json());
      expect(listed).toEqual(rows.map(({ id }) => id));
      const times = rows.map((row) => row['created_at'] as number);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      const itemEndpoint = endpoint.replace('/list', '/{id}') as Endpoint;
      for (const row of rows) expect(ask(itemEndpoint, byId(row['id'])).json()).toEqual(row);
    },
  );

  it('of files support order=asc', () => {
    const ids = (query: string) => rowsOf(ask('files/list', { query }).json()).map(({ id }) => id);
    expect(ids('order=asc')).toEqual(ids('order=desc').toReversed());
  });

  it.each([
    ['batches/list', 'limit=101', 'limit', 'integer_above_max_value'],
    ['batches/list', 'limit=0', 'limit', 'integer_below_min_value'],
    ['batches/list', 'limit=x', 'limit', 'invalid_type'],
    ['batches/list', 'after=batch_1', 'after', 'invalid_value'],
    ['files/list', 'limit=10001', 'limit', 'integer_above_max_value'],
    ['files/list', 'order=up', 'order', 'invalid_value'],
  ] as const)('%s?%s are rejected with 400', (endpoint, query, param, code) => {
    const response = ask(endpoint, { query });
    expect([response.status, errorOf(response)]).toEqual([400, expect.objectContaining({ param, code, type: 'invalid_request_error' })]);
  });
});

describe('mock files', () => {
  it('are uploaded, retrieved and deleted', () => {
    const uploaded = ask('files', { form: form({ purpose: 'batch' }, { field: 'file', filename: 'ü 🧊.jsonl' }) }).json();
    expect(uploaded).toEqual({
      id: expect.stringMatching(/^file-/) as string,
      object: 'file',
      bytes: 7,
      created_at: start,
      filename: 'ü 🧊.jsonl',
      purpose: 'batch',
      status: 'processed',
    });
    expect(ask('files/{id}', byId(uploaded['id'])).json()).toEqual(uploaded);
    expect(ask('files/{id}/content', byId(uploaded['id']))).toMatchObject({
      type: 'application/jsonl',
      text: expect.stringContaining('request-1') as string,
    });
    expect(ask('files/{id}/delete', byId(uploaded['id'])).json()).toEqual({ id: uploaded['id'], object: 'file', deleted: true });
    expect(ask('files/{id}', byId('file-1'))).toMatchObject({ status: 404 });
  });

  it.each([
    [form({ purpose: 'batch' }, null), 'file', 'missing_required_parameter'],
    [form({}), 'purpose', 'missing_required_parameter'],
    [form({ purpose: 'fun' }), 'purpose', 'invalid_value'],
  ])('reject uploads without a file or a valid purpose (%#)', (form, param, code) => {
    expect(errorOf(ask('files', { form }))).toMatchObject({ param, code });
  });
});
