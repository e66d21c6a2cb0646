import { JsonBody } from '#core/json/body.ts';
import { expect, it } from 'vitest';
import { datedBody } from './dated-body.ts';

const supervisedJob = (settings: object): object => ({
  training_file: 'f-1',
  model: 'm',
  method: { type: 'supervised', supervised: settings },
});
const dpoJob = { training_file: 'f-1', model: 'm', method: { type: 'dpo', dpo: { hyperparameters: { beta: 0.1 } } } };
const jobWithBothForms = { ...supervisedJob({ hyperparameters: { n_epochs: 2 } }), hyperparameters: { n_epochs: 3 } };
const jobWithExtraMember = supervisedJob({ hyperparameters: {}, extra: 1 });

it.each<readonly [string, 'batches' | 'fine_tuning/jobs' | 'responses', object, object]>([
  ['the endpoint of a batch without /v1', 'batches', { endpoint: '/v1/chat/completions' }, { endpoint: '/chat/completions' }],
  ['an endpoint without version unchanged', 'batches', { endpoint: '/chat/completions' }, { endpoint: '/chat/completions' }],
  [
    'supervised hyperparameters at the top level',
    'fine_tuning/jobs',
    supervisedJob({ hyperparameters: { n_epochs: 2, batch_size: 'auto' } }),
    { training_file: 'f-1', model: 'm', hyperparameters: { n_epochs: 2, batch_size: 'auto' } },
  ],
  [
    'supervised tuning without settings with empty hyperparameters',
    'fine_tuning/jobs',
    supervisedJob({}),
    { training_file: 'f-1', model: 'm', hyperparameters: {} },
  ],
  ['hyperparameters at both places unchanged', 'fine_tuning/jobs', jobWithBothForms, jobWithBothForms],
  ['settings that the dated API lacks unchanged', 'fine_tuning/jobs', jobWithExtraMember, jobWithExtraMember],
  ['another tuning method unchanged', 'fine_tuning/jobs', dpoJob, dpoJob],
  ['a job without method unchanged', 'fine_tuning/jobs', { model: 'm' }, { model: 'm' }],
  ['other bodies unchanged', 'responses', { method: { type: 'supervised' } }, { method: { type: 'supervised' } }],
])('datedBody writes %s', (_name, endpoint, sent, expected) => {
  expect(datedBody(JsonBody.of(sent as Record<string, unknown>), endpoint).json()).toEqual(expected);
});
