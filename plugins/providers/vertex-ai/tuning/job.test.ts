import { describe, expect, it } from 'vitest';
import { tuningStatus } from '../jobs/states.ts';
import { tuningFromJob } from './job.ts';
import { checkpointsOf, eventsOf } from './progress.ts';
import { toTrainingRow } from './rows.ts';

const parent = 'projects/123/locations/us-central1';
const job = {
  name: `${parent}/tuningJobs/77`,
  state: 'JOB_STATE_SUCCEEDED',
  createTime: '2026-11-02T09:00:00Z',
  startTime: '2026-11-02T09:01:00Z',
  endTime: '2026-11-02T10:00:00Z',
  baseModel: 'gemini-2.5-flash',
  supervisedTuningSpec: {
    trainingDatasetUri: 'gs://acme/train.jsonl',
    validationDatasetUri: 'gs://acme/val.jsonl',
    hyperParameters: { epochCount: '3', learningRateMultiplier: 0.5, adapterSize: 'ADAPTER_SIZE_FOUR' },
  },
  tunedModel: {
    model: `${parent}/models/9`,
    endpoint: `${parent}/endpoints/555`,
    checkpoints: [
      { checkpointId: '1', epoch: '1', step: '100', endpoint: `${parent}/endpoints/501` },
      { checkpointId: '2', epoch: '2', step: '200', endpoint: `${parent}/endpoints/502` },
      { checkpointId: '10', epoch: '3', step: '1000', endpoint: `${parent}/endpoints/503` },
    ],
  },
  tuningDataStats: { supervisedTuningDataStats: { totalBillableTokenCount: '12345' } },
};

describe('tuningStatus', () => {
  it.each([
    ['JOB_STATE_UNSPECIFIED', 'queued'],
    ['JOB_STATE_QUEUED', 'queued'],
    ['JOB_STATE_PENDING', 'queued'],
    ['JOB_STATE_PAUSED', 'queued'],
    ['JOB_STATE_RUNNING', 'running'],
    ['JOB_STATE_UPDATING', 'running'],
    ['JOB_STATE_SUCCEEDED', 'succeeded'],
    ['JOB_STATE_PARTIALLY_SUCCEEDED', 'succeeded'],
    ['JOB_STATE_FAILED', 'failed'],
    ['JOB_STATE_CANCELLING', 'cancelled'],
    ['JOB_STATE_CANCELLED', 'cancelled'],
    ['JOB_STATE_EXPIRED', 'cancelled'],
    ['JOB_STATE_OF_TOMORROW', 'queued'],
    [undefined, 'queued'],
  ])('maps %s to %s', (state, status) => expect(tuningStatus(state)).toBe(status));
});

describe('tuningFromJob', () => {
  it('returns numbers, times in seconds, file ids and a callable model id', () => {
    const hyperparameters = { n_epochs: 3, batch_size: 'auto', learning_rate_multiplier: 0.5, adapter_size: 'ADAPTER_SIZE_FOUR' };
    expect(tuningFromJob(job)).toEqual({
      id: '77',
      object: 'fine_tuning.job',
      created_at: 1_793_610_000,
      estimated_finish: null,
      finished_at: 1_793_613_600,
      model: 'gemini-2.5-flash',
      fine_tuned_model: 'endpoints.555',
      organization_id: '123',
      status: 'succeeded',
      training_file: 'gs%3A%2F%2Facme%2Ftrain.jsonl',
      validation_file: 'gs%3A%2F%2Facme%2Fval.jsonl',
      result_files: [],
      trained_tokens: 12_345,
      seed: 0,
      error: null,
      integrations: [],
      metadata: null,
      hyperparameters,
      method: { type: 'supervised', supervised: { hyperparameters } },
    });
  });

  it('returns the model only for a successful job, and the error of a failed one', () => {
    const failed = tuningFromJob({ ...job, state: 'JOB_STATE_FAILED', error: { code: 3, message: 'too few rows' } });
    expect(failed).toMatchObject({ fine_tuned_model: null, error: { code: '3', message: 'too few rows', param: null } });
    expect(tuningFromJob({ ...job, state: 'JOB_STATE_RUNNING' })).toMatchObject({ fine_tuned_model: null, finished_at: null });
  });
});

it('checkpointsOf returns the newest checkpoint first', () => {
  const checkpoints = checkpointsOf(job);
  expect(checkpoints.map(({ id, step_number: step }) => [id, step])).toEqual([
    ['10', 1000],
    ['2', 200],
    ['1', 100],
  ]);
  expect(checkpoints[0]).toEqual({
    id: '10',
    object: 'fine_tuning.job.checkpoint',
    created_at: 1_793_613_600,
    fine_tuned_model_checkpoint: 'endpoints.503',
    step_number: 1000,
    fine_tuning_job_id: '77',
    metrics: { step: 1000, epoch: 3 },
  });
  expect(checkpointsOf({ name: job.name })).toEqual([]);
});

it.each([
  [{ createTime: job.createTime }, ['created']],
  [{ createTime: job.createTime, startTime: job.startTime }, ['started', 'created']],
  [job, ['ended', 'started', 'created']],
])('eventsOf returns an event for each known time (%#)', (known, idSuffixes) => {
  expect(eventsOf({ name: job.name, ...known }).map(({ id }) => id)).toEqual(idSuffixes.map((suffix) => `ftevent-77-${suffix}`));
});

it('eventsOf returns a failure with level error', () => {
  const [last] = eventsOf({ ...job, state: 'JOB_STATE_FAILED', error: { message: 'too few rows' } });
  expect(last).toMatchObject({ level: 'error', message: 'The job ended: failed (too few rows).', created_at: 1_793_613_600 });
});

it('toTrainingRow writes the response of an example at the end', () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
  ];
  expect(toTrainingRow({ messages, parallel_tool_calls: false }, {})).toEqual({
    row: {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }] },
        { role: 'model', parts: [{ text: 'Hello' }] },
      ],
    },
    dropped: [{ param: 'parallel_tool_calls', reason: 'this service decides by itself' }],
  });
});

it('toTrainingRow reports parameters that Vertex AI does not support', () => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
  ];
  const droppedParams = (line: object) => toTrainingRow({ messages, ...line }, {}).dropped.map(({ param }) => param);
  expect(droppedParams({ temperature: 0.5, logit_bias: { 1: 1 }, tool_choice: 'required' })).toEqual([
    'tool_choice',
    'logit_bias',
    'temperature',
  ]);
  expect(droppedParams({ tools: [], user: null })).toEqual([]);
});
