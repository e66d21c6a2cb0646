import { isPlain, type Plain } from '#core/json/merge.ts';
import { textOf } from '#formats/shared/json.ts';
import { unixSeconds } from '#formats/openai-objects/objects.ts';
import { jobIdOf } from '../jobs.ts';
import { tuningStatus } from './job.ts';

/** An event as clients know it. */
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
 * What is known of a job's life, newest first. The service keeps no events: these are made of the times in the job and of
 * nothing else, so there are at most three.
 */
export function eventsOf(job: Plain): readonly TuningEvent[] {
  const { createTime, startTime, endTime, error } = job;
  const status = tuningStatus(job['state']);
  const reason = isPlain(error) ? textOf(error['message']) : undefined;
  const ended = `The job ended: ${status}${reason === undefined ? '' : ` (${reason})`}.`;
  const known = [
    { word: 'created', time: createTime, message: 'The job was created.', level: 'info' },
    { word: 'started', time: startTime, message: 'The job was started.', level: 'info' },
    { word: 'ended', time: endTime, message: ended, level: status === 'failed' ? 'error' : 'info' },
  ] as const;
  const events = known.flatMap(({ word, time, message, level }): TuningEvent[] => {
    const at = unixSeconds(time);
    if (at === null) return [];
    return [
      {
        id: `ftevent-${jobIdOf(job)}-${word}`,
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
