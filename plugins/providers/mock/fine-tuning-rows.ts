import { type Job, jobId, stages, statusAt, terminalJob, tunedModel } from './fine-tuning-job.ts';
import { madeId } from './ids.ts';

/** More than a page of checkpoints, so that a whole list takes a second one. */
const steps = 12;
const stepSize = 100;

/** Steps that are done; a job that fails stops half way. */
function stepsDone(now: number, job: Job): number {
  const passed = (now - job.createdAt - stages.running) / (stages.end - stages.running);
  const done = Math.floor(Math.max(0, Math.min(1, passed)) * steps);
  return job.metadata?.['mock'] === 'failed' ? Math.min(done, steps / 2) : done;
}

const timeOf = (job: Job, step: number): number =>
  job.createdAt + stages.running + Math.floor((step / steps) * (stages.end - stages.running));

/** Checkpoints so far, newest first. */
export function checkpointsOf(now: number, job: Job) {
  const id = jobId(job);
  return Array.from({ length: stepsDone(now, job) }, (_, index) => index + 1)
    .toReversed()
    .map((step) => {
      const number = step * stepSize;
      const loss = Math.round(1000 / step) / 1000;
      return {
        id: madeId('ftckpt_', [job.createdAt, number]),
        object: 'fine_tuning.job.checkpoint',
        created_at: timeOf(job, step),
        fine_tuned_model_checkpoint: `${tunedModel(job)}:ckpt-step-${number}`,
        step_number: number,
        fine_tuning_job_id: id,
        metrics: {
          step: number,
          train_loss: loss,
          train_mean_token_accuracy: 1 - loss / 2,
          ...(job.validationFile === null ? {} : { valid_loss: loss, valid_mean_token_accuracy: 1 - loss / 2 }),
        },
      };
    });
}

/** What happened so far, newest first. */
export function eventsOf(now: number, job: Job) {
  const status = statusAt(now, job);
  const { createdAt } = job;
  const said: [at: number, message: string, level?: string][] = [[createdAt, `Validating training file: ${job.trainingFile}`]];
  if (now >= createdAt + stages.queued) said.push([createdAt + stages.queued, 'Files validated, moving job to queued state']);
  if (now >= createdAt + stages.running) said.push([createdAt + stages.running, 'Fine-tuning job started']);
  for (let step = 1; step <= stepsDone(now, job); step += 1) {
    said.push([timeOf(job, step), `Step ${step * stepSize}/${steps * stepSize}: training loss=${(1 / step).toFixed(3)}`]);
    said.push([timeOf(job, step), `Checkpoint created at step ${step * stepSize}`]);
  }
  if (terminalJob.has(status)) {
    const isGood = status === 'succeeded';
    said.push([
      createdAt + stages.end,
      isGood ? 'The job has successfully completed' : 'The mock was configured to fail',
      isGood ? 'info' : 'error',
    ]);
  }
  return said
    .map(([at, message, level], index) => ({
      id: madeId('ftevent-', [createdAt, index]),
      object: 'fine_tuning.job.event',
      created_at: at,
      level: level ?? 'info',
      message,
      type: 'message',
      data: null,
    }))
    .toReversed();
}
