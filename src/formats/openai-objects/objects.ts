import { GatewayError } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { StepReply } from '../../core/provider.ts';
import { isLongerThan } from '../../core/text/text-length.ts';
import { parseObject, textOf } from '../shared/json.ts';

/** Objects of the stateful routes in the OpenAI format, for providers whose own objects differ. */

/** Statuses of a batch. */
export type BatchStatus = 'validating' | 'failed' | 'in_progress' | 'finalizing' | 'completed' | 'expired' | 'cancelling' | 'cancelled';

/** Times are Unix seconds. */
export interface Batch {
  readonly id: string;
  readonly object: 'batch';
  readonly endpoint: string;
  readonly errors: { readonly object: 'list'; readonly data: readonly BatchError[] } | null;
  readonly input_file_id: string | null;
  readonly completion_window: string;
  readonly status: BatchStatus;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
  readonly created_at: number;
  readonly in_progress_at: number | null;
  readonly expires_at: number | null;
  readonly finalizing_at: number | null;
  readonly completed_at: number | null;
  readonly failed_at: number | null;
  readonly expired_at: number | null;
  readonly cancelling_at: number | null;
  readonly cancelled_at: number | null;
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number };
  readonly metadata: Readonly<Record<string, string>> | null;
}

export interface BatchError {
  readonly code: string | null;
  readonly message: string;
  readonly param: string | null;
  readonly line: number | null;
}

/** Builds a batch in which all unknown members have their default, in most cases null. */
export function batchOf(known: Partial<Batch> & Pick<Batch, 'id' | 'status' | 'created_at'>): Batch {
  const { id, status, created_at, ...rest } = known;
  return {
    id,
    object: 'batch',
    endpoint: '/v1/chat/completions',
    errors: null,
    input_file_id: null,
    completion_window: '24h',
    status,
    output_file_id: null,
    error_file_id: null,
    created_at,
    in_progress_at: null,
    expires_at: null,
    finalizing_at: null,
    completed_at: null,
    failed_at: null,
    expired_at: null,
    cancelling_at: null,
    cancelled_at: null,
    request_counts: { total: 0, completed: 0, failed: 0 },
    metadata: null,
    ...rest,
  };
}

/** Builds a fine-tuning job from these members. Unknown lists are empty. */
export const jobOf = (known: { readonly id: string; readonly status: string; readonly created_at: number }) => ({
  object: 'fine_tuning.job',
  model: '',
  fine_tuned_model: null,
  organization_id: '',
  training_file: '',
  validation_file: null,
  result_files: [],
  trained_tokens: null,
  finished_at: null,
  error: null,
  hyperparameters: {},
  seed: 0,
  ...known,
});

/** The response to the deletion of a file. */
export const deletedFile = (id: string) => ({ id, object: 'file', deleted: true }) as const;

/** Builds a page of a list, newest first, with the cursors that some services omit. */
export function listOf<Row extends { readonly id: string }>(data: readonly Row[], hasMore: boolean) {
  return { object: 'list', data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: hasMore } as const;
}

/** Converts a time to Unix seconds, from seconds, milliseconds, or a date in ISO 8601 or RFC 3339; null for anything else. */
export function unixSeconds(value: unknown): number | null {
  if (typeof value === 'number' && Number.isFinite(value)) return Math.floor(value > 1e11 ? value / 1000 : value);
  if (typeof value !== 'string' || value === '') return null;
  if (/^\d+$/.test(value)) return unixSeconds(Number(value));
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.floor(at / 1000);
}

/** Maximum number of pairs, and maximum length of a key and of a value, in characters. */
const metadataLimits = { pairs: 16, key: 64, value: 512 } as const;

/**
 * Checks the limits of an object's metadata before anything is sent, because not every service checks them. Lengths are in
 * characters.
 *
 * @throws GatewayError `object_above_max_properties`, `string_above_max_length`, `invalid_type`
 */
export function checkMetadata(metadata: unknown): void {
  if (metadata === undefined || metadata === null) return;
  if (!isJsonObject(metadata)) throw invalidType('metadata', 'an object');
  const pairs = Object.entries(metadata as JsonObject);
  if (pairs.length > metadataLimits.pairs) {
    throw new GatewayError('object_above_max_properties', {
      message: `Invalid 'metadata': too many properties. Expected at most ${metadataLimits.pairs}, but got ${pairs.length}.`,
      param: 'metadata',
      hint: 'Combine several values into one, for example as JSON.',
    });
  }
  for (const [key, value] of pairs) {
    if (isLongerThan(key, metadataLimits.key)) throw tooLong('metadata', `a key of ${key.length} characters`, metadataLimits.key);
    if (typeof value !== 'string') throw invalidType(`metadata.${key}`, 'a string');
    if (isLongerThan(value, metadataLimits.value)) {
      throw tooLong(`metadata.${key}`, `a value of ${value.length} characters`, metadataLimits.value);
    }
  }
}

const invalidType = (param: string, expected: string): GatewayError =>
  new GatewayError('invalid_type', { message: `Invalid type for '${param}': expected ${expected}.`, param });

const tooLong = (param: string, what: string, limit: number): GatewayError =>
  new GatewayError('string_above_max_length', {
    message: `Invalid '${param}': ${what} is too long. Expected at most ${limit}.`,
    param,
  });

/**
 * `Translation.then` of a read after a successful cancel. Its error makes `recover` return what is known.
 *
 * @throws TypeError for a response without an object
 */
export function expectObject({ text }: Pick<StepReply, 'text'>): undefined {
  if (textOf(parseObject(text)?.['id']) === undefined) throw new TypeError('the response contains no object');
}
