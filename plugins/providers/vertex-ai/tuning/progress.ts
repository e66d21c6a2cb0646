import { isJsonObject, type JsonObject } from '#core/json/merge.ts';
import { unixSeconds } from '#formats/openai-objects/objects.ts';
import { objectOf, objectsIn, stringOf, textOf } from '#formats/shared/json.ts';
import { jobIdOf } from '../jobs/jobs.ts';
import { tuningStatus } from '../jobs/states.ts';
import { endpointModel } from './job.ts';

/** A checkpoint in the client's format. */
export interface Checkpoint {
  readonly id: string;
  readonly object: 'fine_tuning.job.checkpoint';
  /** Unix seconds: the service reports no time for a checkpoint, so it is the end or last change of the job. */
  readonly created_at: number;
  readonly fine_tuned_model_checkpoint: string;
  readonly step_number: number;
  readonly fine_tuning_job_id: string;
  readonly metrics: JsonObject;
}

/** Returns the checkpoints of a job, newest first. The service has no list of them, but the job contains them. */
export function checkpointsOf(job: JsonObject): readonly Checkpoint[] {
  const at = unixSeconds(job['endTime']) ?? unixSeconds(job['updateTime']) ?? unixSeconds(job['createTime']) ?? 0;
  const found = objectsIn(objectOf(job['tunedModel'])['checkpoints']);
  return found.map((one) => checkpointOf(one, jobIdOf(job), at)).sort((a, b) => b.step_number - a.step_number);
}

function checkpointOf(one: JsonObject, job: string, at: number): Checkpoint {
  // 64-bit numbers are strings in JSON.
  const step = Number(one['step'] ?? 0);
  const epoch = Number(one['epoch']);
  const endpoint = one['endpoint'];
  return {
    id: String(one['checkpointId'] ?? ''),
    object: 'fine_tuning.job.checkpoint',
    created_at: at,
    fine_tuned_model_checkpoint: endpointModel(endpoint) ?? stringOf(endpoint),
    step_number: step,
    fine_tuning_job_id: job,
    metrics: { step, ...(Number.isFinite(epoch) ? { epoch } : {}) },
  };
}

/** An event in the client's format. */
export interface TuningEvent {
  readonly id: string;
  readonly object: 'fine_tuning.job.event';
  readonly created_at: number;
  readonly level: 'info' | 'error';
  readonly message: string;
  readonly type: 'message';
  readonly data: null;
}

/**
 * Returns the events of a job, newest first. The service stores no events, so they are created from the times in the job; there
 * are at most three.
 */
export function eventsOf(job: JsonObject): readonly TuningEvent[] {
  const { createTime, startTime, endTime, error } = job;
  const status = tuningStatus(job['state']);
  const reason = isJsonObject(error) ? textOf(error['message']) : undefined;
  const ended = `The job ended: ${status}${reason === undefined ? '' : ` (${reason})`}.`;
  const known = [
    { stage: 'created', time: createTime, message: 'The job was created.', level: 'info' },
    { stage: 'started', time: startTime, message: 'The job was started.', level: 'info' },
    { stage: 'ended', time: endTime, message: ended, level: status === 'failed' ? 'error' : 'info' },
  ] as const;
  const events = known.flatMap(({ stage, time, message, level }): TuningEvent[] => {
    const at = unixSeconds(time);
    if (at === null) return [];
    return [
      {
        id: `ftevent-${jobIdOf(job)}-${stage}`,
        object: 'fine_tuning.job.event',
        created_at: at,
        level,
        message,
        type: 'message',
        data: null,
      },
    ];
  });
  return events.reverse();
}
