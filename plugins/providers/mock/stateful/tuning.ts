import { textOf } from '#formats/shared/json.ts';
import type { MockContent, MockRequest } from '../mock-response.ts';
import { fileId, predefinedFile, isFile } from './files.ts';
import * as objects from './objects.ts';
import { Refusal } from '../rules.ts';

const { isCount, isMetadata, isText, isTextOrNull, isTime } = objects;

/** A fine-tuning job, as encoded in its id. Its progress depends on the time since creation. */
interface Job {
  /** Unix seconds. */
  readonly created_at: number;
  readonly model: string;
  readonly training_file: string;
  readonly validation_file: string | null;
  readonly user_provided_suffix: string | null;
  readonly seed: number;
  readonly metadata: Readonly<Record<string, string>> | null;
}

const runningAfter = 2;
const endAfter = 6;

/** `metadata: {mock: failed}` selects a job that fails. */
const lifeCycleOf = ({ metadata }: Job): objects.LifeCycle<string> => [
  [0, 'validating_files'],
  [1, 'queued'],
  [runningAfter, 'running'],
  [endAfter, metadata?.['mock'] === 'failed' ? 'failed' : 'succeeded'],
];

/** Name of the tuned model; checkpoints append their step to it. */
const tunedModel = ({ model, user_provided_suffix: suffix, created_at: at }: Job): string =>
  `ft:${model}:mock:${suffix ?? ''}:${at.toString(36)}`;

/** Returns the state of a job at a time. */
function stateAt(now: number, job: Job) {
  const status = objects.reachedStages(lifeCycleOf(job), now - job.created_at).at(-1)?.[1] ?? 'queued';
  const finish = job.created_at + endAfter;
  const hyperparameters = { n_epochs: 3, batch_size: 1, learning_rate_multiplier: 1 };
  return {
    ...job,
    id: objects.encodeId(jobs.naming, job),
    object: 'fine_tuning.job',
    estimated_finish: jobs.finalStatuses.has(status) ? null : finish,
    finished_at: jobs.finalStatuses.has(status) ? finish : null,
    fine_tuned_model: status === 'succeeded' ? tunedModel(job) : null,
    organization_id: 'org-mock',
    status,
    result_files: [],
    trained_tokens: status === 'succeeded' ? 1_200 : null,
    error: status === 'failed' ? { code: 'server_error', message: 'The mock was configured to fail.', param: null } : null,
    integrations: [],
    hyperparameters,
    method: { type: 'supervised', supervised: { hyperparameters } },
  };
}

const jobs: objects.ObjectType<Job> = {
  naming: {
    prefix: 'ftjob-',
    parts: {
      created_at: isTime,
      model: isText,
      training_file: isText,
      validation_file: isTextOrNull,
      user_provided_suffix: isTextOrNull,
      seed: isCount,
      metadata: isMetadata,
    },
  },
  stateAt,
  /** One per day. */
  predefined: Array.from({ length: 25 }, (_, day) => ({
    created_at: objects.firstCreatedAt + day * 86_400,
    model: 'echo',
    training_file: fileId(predefinedFile('fine-tune', 'training.jsonl', 2)),
    validation_file: null,
    user_provided_suffix: null,
    seed: 42,
    metadata: null,
  })).toReversed(),
  pageRules: { defaultLimit: 20 },
  finalStatuses: new Set(['succeeded', 'failed']),
  cancelled: (now) => ({ status: 'cancelled', finished_at: now, estimated_finish: null }),
  unknown: (id) => new Refusal('fine_tune_not_found', null, `Could not find fine tune: ${id}`, 404),
};

export const { listed, retrieved, cancelled } = objects.objectRoutes(jobs);

export function created({ body, call: { createdAt, model } }: MockRequest): MockContent {
  for (const field of ['training_file', 'validation_file']) {
    const id = body[field] ?? undefined;
    if (id === undefined || isFile(String(id))) continue;
    throw new Refusal('invalid_value', field, `Invalid '${field}': there is no file '${String(id)}'.`);
  }
  const { training_file = '', validation_file = null, seed, metadata = null } = body as Partial<Job>;
  const shared = { created_at: createdAt, model, training_file, validation_file, metadata };
  return { json: stateAt(createdAt, { ...shared, user_provided_suffix: textOf(body['suffix']) ?? null, seed: seed ?? 42 }) };
}

/** More checkpoints than one page has, so that a complete list needs a second page. */
const steps = 12;
const stepSize = 100;

/** Returns the completed steps, each with its time. A job that fails stops halfway. */
function stepsDone(now: number, job: Job) {
  const done = Math.floor(objects.stageProgress(lifeCycleOf(job), 'running', now - job.created_at) * steps);
  return Array.from({ length: job.metadata?.['mock'] === 'failed' ? Math.min(done, steps / 2) : done }, (_, index) => ({
    step: (index + 1) * stepSize,
    time: job.created_at + runningAfter + Math.floor(((index + 1) / steps) * (endAfter - runningAfter)),
    loss: Math.round(1000 / (index + 1)) / 1000,
  }));
}

const rowId = (prefix: string, created: number, number: number): string =>
  objects.encodeId({ prefix, parts: { created: isTime, number: isCount } }, { created, number });

export const checkpoints = objects.forObject(jobs, (request, job) => {
  const rows = stepsDone(request.call.createdAt, job).map(({ step, time, loss }) => ({
    id: rowId('ftckpt_', job.created_at, step),
    object: 'fine_tuning.job.checkpoint',
    created_at: time,
    fine_tuned_model_checkpoint: `${tunedModel(job)}:ckpt-step-${step}`,
    step_number: step,
    fine_tuning_job_id: objects.encodeId(jobs.naming, job),
    metrics: {
      step,
      train_loss: loss,
      train_mean_token_accuracy: 1 - loss / 2,
      ...(job.validation_file === null ? {} : { valid_loss: loss, valid_mean_token_accuracy: 1 - loss / 2 }),
    },
  }));
  return objects.pageOf(request, rows.toReversed(), { defaultLimit: 10 });
});

/** Events so far, newest first. */
export const events = objects.forObject(jobs, (request, job) => {
  const now = request.call.createdAt;
  const messages: Readonly<Record<string, string>> = {
    validating_files: `Validating training file: ${job.training_file}`,
    queued: 'Files validated, moving job to queued state',
    running: 'Fine-tuning job started',
    succeeded: 'The job has successfully completed',
    failed: 'The mock was configured to fail',
  };
  const stages = objects
    .reachedStages(lifeCycleOf(job), now - job.created_at)
    .map(([second, status]) => ({ time: job.created_at + second, message: messages[status], isError: status === 'failed' }));
  const done = stepsDone(now, job).flatMap(({ step, time, loss }) => [
    { time, message: `Step ${step}/${steps * stepSize}: training loss=${loss.toFixed(3)}`, isError: false },
    { time, message: `Checkpoint created at step ${step}`, isError: false },
  ]);
  const rows = [...stages.slice(0, 3), ...done, ...stages.slice(3)].map(({ time, message, isError }, index) => ({
    id: rowId('ftevent-', job.created_at, index),
    object: 'fine_tuning.job.event',
    created_at: time,
    level: isError ? 'error' : 'info',
    message,
    type: 'message',
    data: null,
  }));
  return objects.pageOf(request, rows.toReversed(), { defaultLimit: 20 });
});
