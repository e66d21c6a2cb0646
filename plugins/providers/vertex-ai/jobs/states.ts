import type { BatchStatus } from '#formats/openai-objects/objects.ts';

/** Status values of a fine-tuning job in the client's format. */
export type TuningStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

type Statuses = readonly [batch: BatchStatus, tuning: TuningStatus];

const pendingStatuses: Statuses = ['validating', 'queued'];

/** Maps the state of a job to the status of a batch and of a tuning job. */
const states = new Map<unknown, Statuses>([
  ['JOB_STATE_UNSPECIFIED', pendingStatuses],
  ['JOB_STATE_QUEUED', pendingStatuses],
  ['JOB_STATE_PENDING', pendingStatuses],
  ['JOB_STATE_PAUSED', ['in_progress', 'queued']],
  ['JOB_STATE_RUNNING', ['in_progress', 'running']],
  ['JOB_STATE_UPDATING', ['in_progress', 'running']],
  ['JOB_STATE_SUCCEEDED', ['completed', 'succeeded']],
  ['JOB_STATE_PARTIALLY_SUCCEEDED', ['completed', 'succeeded']],
  ['JOB_STATE_FAILED', ['failed', 'failed']],
  ['JOB_STATE_CANCELLING', ['cancelling', 'cancelled']],
  ['JOB_STATE_CANCELLED', ['cancelled', 'cancelled']],
  ['JOB_STATE_EXPIRED', ['expired', 'cancelled']],
]);

/** The service adds states from time to time; an unknown one counts as early. */
const statusesOf = (state: unknown): Statuses => states.get(state) ?? pendingStatuses;

export const batchStatus = (state: unknown): BatchStatus => statusesOf(state)[0];
export const tuningStatus = (state: unknown): TuningStatus => statusesOf(state)[1];
