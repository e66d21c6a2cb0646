import type { BatchStatus } from '#formats/openai-objects/objects.ts';

/** Words of a fine-tuning job's life that clients know. */
export type TuningStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

type Statuses = readonly [batch: BatchStatus, tuning: TuningStatus];

const early: Statuses = ['validating', 'queued'];

/** States of a job, as the status of a batch and of a tuning job. */
const states = new Map<unknown, Statuses>([
  ['JOB_STATE_UNSPECIFIED', early],
  ['JOB_STATE_QUEUED', early],
  ['JOB_STATE_PENDING', early],
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

/** New states appear now and then: one that is not known is early. */
const statuses = (state: unknown): Statuses => states.get(state) ?? early;

export const batchStatus = (state: unknown): BatchStatus => statuses(state)[0];
export const tuningStatus = (state: unknown): TuningStatus => statuses(state)[1];
