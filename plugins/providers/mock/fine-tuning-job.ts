import { fileId, givenFile } from './file-ids.ts';
import { firstCreated, isMetadata, isText, isTextOrNull, isTime, madeId, partsOf } from './ids.ts';

/** A fine-tuning job as its id says it. */
export interface Job {
  /** Unix seconds. */
  readonly createdAt: number;
  readonly model: string;
  readonly trainingFile: string;
  readonly validationFile: string | null;
  readonly suffix: string | null;
  readonly seed: number;
  readonly metadata: Readonly<Record<string, string>> | null;
}

const prefix = 'ftjob-';

export const jobId = (job: Job): string =>
  madeId(prefix, [job.createdAt, job.model, job.trainingFile, job.validationFile, job.suffix, job.seed, job.metadata]);

/** The job that an id names, or undefined. */
export function jobNamed(id: string): Job | undefined {
  const parts = partsOf(prefix, id, isRight) as [number, string, string, string | null, string | null, number, Job['metadata']] | undefined;
  if (parts === undefined) return undefined;
  const [createdAt, model, trainingFile, validationFile, suffix, seed, metadata] = parts;
  return { createdAt, model, trainingFile, validationFile, suffix, seed, metadata };
}

const isRight = ([at, model, training, validation, suffix, seed, metadata, ...more]: readonly unknown[]): boolean =>
  isTime(at) &&
  isText(model) &&
  isText(training) &&
  isTextOrNull(validation) &&
  isTextOrNull(suffix) &&
  Number.isSafeInteger(seed) &&
  isMetadata(metadata) &&
  more.length === 0;

export type JobStatus = 'validating_files' | 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export const terminalJob: ReadonlySet<JobStatus> = new Set(['succeeded', 'failed', 'cancelled']);

/** Seconds of a life in which its stages begin. */
export const stages = { queued: 1, running: 2, end: 6 } as const;

/** `metadata: {mock: failed}` asks for a job that ends badly. */
export function statusAt(now: number, { createdAt, metadata }: Job): JobStatus {
  const age = now - createdAt;
  if (age < stages.queued) return 'validating_files';
  if (age < stages.running) return 'queued';
  if (age < stages.end) return 'running';
  return metadata?.['mock'] === 'failed' ? 'failed' : 'succeeded';
}

/** Name of what the job makes; a step of it is named behind it. */
export const tunedModel = ({ model, suffix, createdAt }: Job): string => `ft:${model}:mock:${suffix ?? ''}:${createdAt.toString(36)}`;

/** A job as it is at a moment. */
export function jobAt(now: number, job: Job) {
  const status = statusAt(now, job);
  const end = job.createdAt + stages.end;
  const hyperparameters = { n_epochs: 3, batch_size: 1, learning_rate_multiplier: 1 };
  return {
    id: jobId(job),
    object: 'fine_tuning.job',
    created_at: job.createdAt,
    estimated_finish: terminalJob.has(status) ? null : end,
    finished_at: terminalJob.has(status) ? end : null,
    model: job.model,
    fine_tuned_model: status === 'succeeded' ? tunedModel(job) : null,
    organization_id: 'org-mock',
    status,
    training_file: job.trainingFile,
    validation_file: job.validationFile,
    result_files: [],
    trained_tokens: status === 'succeeded' ? 1_200 : null,
    seed: job.seed,
    error: status === 'failed' ? { code: 'server_error', message: 'The mock was configured to fail.', param: null } : null,
    integrations: [],
    metadata: job.metadata,
    user_provided_suffix: job.suffix,
    hyperparameters,
    method: { type: 'supervised', supervised: { hyperparameters } },
  };
}

/** Jobs of the past, one a day, so that a list has pages; newest first. */
export const pastJobs: readonly Job[] = Array.from({ length: 25 }, (_, day) => ({
  createdAt: firstCreated + day * 86_400,
  model: 'echo',
  trainingFile: fileId(givenFile('fine-tune', 'training.jsonl', 2)),
  validationFile: null,
  suffix: null,
  seed: 42,
  metadata: null,
})).toReversed();
