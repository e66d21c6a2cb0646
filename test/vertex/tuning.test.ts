import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { jsonl, type Rig, startRig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
  rig.cloud.objects.put('gs://acme-data/train.jsonl', '{"contents": []}\n');
  rig.cloud.objects.put('gs://acme-data/val.jsonl', '{"contents": []}\n');
  rig.cloud.objects.put('gs://foreign/train.jsonl', '{"contents": []}\n');
});
afterAll(() => rig.close());
afterEach(() => {
  rig.cloud.interrupt = undefined;
  rig.cloud.jobs.tuningJobs.length = 0;
});

const training_file = encodeURIComponent('gs://acme-data/train.jsonl');
const validation_file = encodeURIComponent('gs://acme-data/val.jsonl');
const model = 'gemini-2.5-flash';
const create = (body: object) =>
  rig.fetch('/fine_tuning/jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, training_file, ...body }),
  });

describe('the lifecycle of a tuning job', () => {
  it('leads from examples to a model that responds', async () => {
    const client = rig.client({ 'x-gateway-virtual-key': 'tuned' });
    const example = {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Ho' },
      ],
    };
    const file = await client.files.create({ file: await jsonl([JSON.stringify(example)], 'train.jsonl'), purpose: 'fine-tune' });
    const job = await client.fineTuning.jobs.create({ model, training_file: file.id, metadata: { team: 'a b' } });
    expect(job).toMatchObject({
      object: 'fine_tuning.job',
      status: 'queued',
      model,
      training_file: file.id,
      metadata: { team: 'a b' },
      fine_tuned_model: null,
    });
    rig.cloud.jobs.tune(job.id, 3);
    const done = await client.fineTuning.jobs.retrieve(job.id);
    expect(done).toMatchObject({
      status: 'succeeded',
      fine_tuned_model: 'endpoints.555',
      trained_tokens: 4200,
      finished_at: 1_793_613_600,
    });
    const events = await client.fineTuning.jobs.listEvents(job.id);
    expect(events.data.map(({ message }) => message)).toEqual([
      'The job ended: succeeded.',
      'The job was started.',
      'The job was created.',
    ]);
    rig.cloud.interrupt = (parsed, response) => {
      if (!parsed.path.endsWith('/endpoints/555:generateContent')) return false;
      const candidates = [{ content: { role: 'model', parts: [{ text: 'Ho' }] }, finishReason: 'STOP' }];
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ candidates }));
      return true;
    };
    const completion = await client.chat.completions.create({
      model: done.fine_tuned_model ?? '',
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(completion.choices[0]?.message.content).toBe('Ho');
  });
});

describe('GET /v1/fine_tuning/jobs/{id}/checkpoints', () => {
  it('lists all checkpoints over several pages, ten per page by default', async () => {
    const id = rig.cloud.jobs.add('tuningJobs');
    rig.cloud.jobs.tune(id, 25);
    const client = rig.client();
    const first = await (await rig.fetch(`/fine_tuning/jobs/${id}/checkpoints`)).json();
    expect(first).toMatchObject({ has_more: true, first_id: '25', last_id: '16' });
    const listed: number[] = [];
    for await (const one of client.fineTuning.jobs.checkpoints.list(id)) listed.push(one.step_number);
    expect(listed).toEqual(Array.from({ length: 25 }, (_, at) => 250 - at * 10));
    const last = await (await rig.fetch(`/fine_tuning/jobs/${id}/checkpoints?limit=3&after=3`)).json();
    expect(last).toMatchObject({
      object: 'list',
      data: [
        {
          id: '2',
          object: 'fine_tuning.job.checkpoint',
          fine_tuned_model_checkpoint: 'endpoints.601',
          fine_tuning_job_id: id,
          created_at: 1_793_613_600,
        },
        { id: '1', metrics: { step: 10, epoch: 1 } },
      ],
      first_id: '2',
      last_id: '1',
      has_more: false,
    });
  });

  it('returns an empty list without checkpoints', async () => {
    const id = rig.cloud.jobs.add('tuningJobs', { state: 'JOB_STATE_RUNNING' });
    expect(await (await rig.fetch(`/fine_tuning/jobs/${id}/checkpoints`)).json()).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
  });

  it.each([
    ['after=nope', 'after'],
    ['limit=0', 'limit'],
    ['limit=x', 'limit'],
  ])('rejects %s', async (query, param) => {
    const id = rig.cloud.jobs.add('tuningJobs');
    rig.cloud.jobs.tune(id, 2);
    const response = await rig.fetch(`/fine_tuning/jobs/${id}/checkpoints?${query}`);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param, type: 'invalid_request_error' } }]);
  });

  it('returns 404 for a job that does not exist', async () => {
    for (const tail of ['', '/checkpoints', '/events']) expect((await rig.fetch(`/fine_tuning/jobs/4711${tail}`)).status).toBe(404);
  });
});

describe('POST /v1/fine_tuning/jobs', () => {
  it('sends supported settings and reports the rest', async () => {
    const hyperparameters = { n_epochs: 3, batch_size: 8, learning_rate_multiplier: 0.5 };
    const response = await create({
      validation_file,
      suffix: 'support-v2',
      seed: 7,
      method: { type: 'supervised', supervised: { hyperparameters } },
    });
    expect(response.headers.get('x-gateway-dropped-params')?.split(', ').sort()).toEqual([
      'method.supervised.hyperparameters.batch_size',
      'seed',
    ]);
    expect(await response.json()).toMatchObject({
      hyperparameters: { n_epochs: 3, batch_size: 'auto', learning_rate_multiplier: 0.5 },
      validation_file,
    });
    expect(rig.cloud.jobs.tuningJobs[0]).toMatchObject({
      baseModel: model,
      tunedModelDisplayName: 'support-v2',
      supervisedTuningSpec: {
        trainingDatasetUri: 'gs://acme-data/train.jsonl',
        validationDatasetUri: 'gs://acme-data/val.jsonl',
        hyperParameters: { epochCount: '3', learningRateMultiplier: 0.5 },
      },
    });
    expect(JSON.stringify(rig.cloud.jobs.tuningJobs[0])).not.toContain('adapterSize');
  });

  it('reports the older settings as dropped if the newer ones are used', async () => {
    const method = { type: 'supervised', supervised: { hyperparameters: { n_epochs: 3 } } };
    const response = await create({ method, hyperparameters: { n_epochs: 'auto', learning_rate_multiplier: 2 } });
    expect(response.headers.get('x-gateway-dropped-params')).toBe('hyperparameters.learning_rate_multiplier');
  });

  it.each([
    ['auto', { hyperparameters: { n_epochs: 'auto', batch_size: 'auto' } }, undefined],
    ['the older hyperparameters', { hyperparameters: { n_epochs: 2 } }, { epochCount: '2' }],
    ['an adapter', { hyperparameters: { adapter_size: 4 } }, { adapterSize: 'ADAPTER_SIZE_FOUR' }],
  ])('accepts %s', async (_, body, expected) => {
    const response = await create(body);
    expect([response.status, response.headers.get('x-gateway-dropped-params')]).toEqual([200, null]);
    expect(
      (rig.cloud.jobs.tuningJobs[0] as { supervisedTuningSpec: { hyperParameters?: object } }).supervisedTuningSpec.hyperParameters,
    ).toEqual(expected);
  });

  it.each<[string, object, number, string, string]>([
    ['without a file', { training_file: undefined }, 400, 'missing_required_parameter', 'training_file'],
    ['without a model', { model: undefined }, 400, 'missing_required_parameter', 'model'],
    ['for an unsupported model', { model: 'anthropic.claude-opus-4-6' }, 400, 'unsupported_parameter', 'model'],
    ['with another method', { method: { type: 'dpo' } }, 400, 'unsupported_parameter', 'method.type'],
    ['with epochs as a word', { hyperparameters: { n_epochs: 'three' } }, 400, 'invalid_type', 'hyperparameters.n_epochs'],
    ['from a foreign bucket', { training_file: 'gs://foreign/train.jsonl' }, 403, 'not_allowed', 'training_file'],
    ['with validation in a foreign bucket', { validation_file: 'gs://foreign/train.jsonl' }, 403, 'not_allowed', 'validation_file'],
    [
      'with too many pairs',
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'v'])) },
      400,
      'object_above_max_properties',
      'metadata',
    ],
  ])('is rejected %s', async (_, body, status, code, param) => {
    const response = await create(body);
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code, param } }]);
    expect(rig.cloud.jobs.tuningJobs).toEqual([]);
  });
});

describe('POST /v1/fine_tuning/jobs/{id}/cancel', () => {
  it.each(['QUEUED', 'PENDING', 'RUNNING', 'PAUSED'])('returns the job if it is %s', async (state) => {
    const id = rig.cloud.jobs.add('tuningJobs', { state: `JOB_STATE_${state}`, baseModel: model });
    expect(await rig.client().fineTuning.jobs.cancel(id)).toMatchObject({ id, object: 'fine_tuning.job', status: 'cancelled', model });
  });

  it.each(['SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED'])('returns the error of the provider if the job is %s', async (state) => {
    const id = rig.cloud.jobs.add('tuningJobs', { state: `JOB_STATE_${state}` });
    await expect(rig.client().fineTuning.jobs.cancel(id)).rejects.toMatchObject({ status: 400, code: 'FAILED_PRECONDITION' });
  });

  it('returns a partial job if it cannot be read afterwards', async () => {
    const id = rig.cloud.jobs.add('tuningJobs', { state: 'JOB_STATE_RUNNING' });
    rig.cloud.interrupt = (parsed, response) => parsed.method === 'GET' && response.writeHead(500).end() !== undefined;
    const response = await rig.fetch(`/fine_tuning/jobs/${id}/cancel`, { method: 'POST' });
    expect([response.status, await response.json()]).toMatchObject([200, { id, status: 'cancelled' }]);
  });
});

it('GET /v1/fine_tuning/jobs lists all jobs over several pages', async () => {
  const ids = Array.from({ length: 45 }, () => rig.cloud.jobs.add('tuningJobs')).reverse();
  const listed: string[] = [];
  for await (const job of rig.client().fineTuning.jobs.list()) listed.push(job.id);
  expect(listed).toEqual(ids);
});
