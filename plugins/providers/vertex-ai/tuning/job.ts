import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import { objectOf, textOf } from '#formats/shared/json.ts';
import { unixSeconds } from '#formats/openai-objects/objects.ts';
import { fileIdOf, parseUri } from '../files/object-id.ts';
import { jobIdOf } from '../jobs/jobs.ts';
import { metadataOf } from '../jobs/labels.ts';
import { type TuningStatus, tuningStatus } from '../jobs/states.ts';

/** A fine-tuning job in the client's format; times are Unix seconds. */
export interface TuningJob {
  readonly id: string;
  readonly object: 'fine_tuning.job';
  readonly created_at: number;
  readonly estimated_finish: null;
  readonly finished_at: number | null;
  readonly model: string;
  /** A model name of this provider, `endpoints.<id>`. */
  readonly fine_tuned_model: string | null;
  readonly organization_id: string;
  readonly status: TuningStatus;
  readonly training_file: string;
  readonly validation_file: string | null;
  readonly result_files: readonly string[];
  readonly trained_tokens: number | null;
  readonly seed: number;
  readonly error: { readonly code: string; readonly message: string; readonly param: null } | null;
  readonly integrations: readonly [];
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly hyperparameters: JsonObject;
  readonly method: JsonObject;
}

export function tuningFromJob(job: JsonObject): TuningJob {
  const spec = objectOf(job['supervisedTuningSpec']);
  const status = tuningStatus(job['state']);
  const hyperparameters = hyperparametersOf(objectOf(spec['hyperParameters']));
  const hasEnded = status === 'succeeded' || status === 'failed' || status === 'cancelled';
  return {
    id: jobIdOf(job),
    object: 'fine_tuning.job',
    created_at: unixSeconds(job['createTime']) ?? 0,
    estimated_finish: null,
    finished_at: hasEnded ? unixSeconds(job['endTime']) : null,
    model: textOf(job['baseModel']) ?? '',
    fine_tuned_model: status === 'succeeded' ? (endpointModel(objectOf(job['tunedModel'])['endpoint']) ?? null) : null,
    organization_id: projectOf(job),
    status,
    training_file: fileId(spec['trainingDatasetUri']) ?? '',
    validation_file: fileId(spec['validationDatasetUri']) ?? null,
    result_files: [],
    trained_tokens: tokensOf(job),
    // The service reports none.
    seed: 0,
    error: errorOf(job['error']),
    integrations: [],
    metadata: metadataOf(job['labels']),
    hyperparameters,
    method: { type: 'supervised', supervised: { hyperparameters } },
  };
}

/** Converts `…/endpoints/<id>` to the model name for chats. */
export function endpointModel(endpoint: unknown): string | undefined {
  const match = /(?:^|\/)endpoints\/([^/]+)$/.exec(textOf(endpoint) ?? '');
  return match?.[1] === undefined ? undefined : `endpoints.${match[1]}`;
}

function hyperparametersOf(given: JsonObject): JsonObject {
  const epochs = Number(given['epochCount']);
  const rate = Number(given['learningRateMultiplier']);
  return {
    n_epochs: Number.isFinite(epochs) ? epochs : 'auto',
    batch_size: 'auto',
    learning_rate_multiplier: Number.isFinite(rate) ? rate : 'auto',
    ...(given['adapterSize'] === undefined ? {} : { adapter_size: given['adapterSize'] }),
  };
}

const projectOf = (job: JsonObject): string => /^projects\/([^/]+)\//.exec(textOf(job['name']) ?? '')?.[1] ?? '';

function fileId(uri: unknown): string | undefined {
  const object = typeof uri === 'string' ? parseUri(uri) : undefined;
  return object === undefined ? undefined : fileIdOf(object);
}

/** 64-bit numbers are strings in JSON. */
function tokensOf(job: JsonObject): number | null {
  const stats = objectOf(objectOf(job['tuningDataStats'])['supervisedTuningDataStats']);
  const count = Number(stats['totalBillableTokenCount']);
  return Number.isFinite(count) ? count : null;
}

function errorOf(error: unknown): TuningJob['error'] {
  if (!isJsonObject(error) || (error['message'] === undefined && error['code'] === undefined)) return null;
  return { code: String(error['code'] ?? ''), message: textOf(error['message']) ?? '', param: null };
}
