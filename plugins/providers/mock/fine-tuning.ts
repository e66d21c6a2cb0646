import type { LocalAnswer } from '#core/provider.ts';
import { listOf } from '#formats/openai-objects/objects.ts';
import { failure, type Question, whole } from './answer.ts';
import { checkpointsOf, eventsOf } from './fine-tuning-rows.ts';
import { fileNamed } from './file-ids.ts';
import { type Job, jobAt, jobNamed, pastJobs, terminalJob } from './fine-tuning-job.ts';
import { isProblem, pageOf, type PageRules } from './pages.ts';
import { badValue, notFound, refusal } from './problems.ts';

/** Fine-tuning of the mock. */

export function created(asked: Question): LocalAnswer {
  const { body, call } = asked;
  for (const field of ['training_file', 'validation_file']) {
    const id = body[field] ?? undefined;
    if (id !== undefined && fileNamed(String(id)) === undefined) {
      return refusal(badValue('invalid_value', field, `Invalid '${field}': there is no file '${String(id)}'.`), call.id);
    }
  }
  const job: Job = {
    createdAt: call.createdAt,
    model: call.model,
    trainingFile: String(body['training_file']),
    validationFile: (body['validation_file'] ?? null) as string | null,
    suffix: (body['suffix'] ?? null) as string | null,
    seed: typeof body['seed'] === 'number' ? body['seed'] : 42,
    metadata: (body['metadata'] ?? null) as Job['metadata'],
  };
  return failure(asked) ?? whole(asked, jobAt(call.createdAt, job));
}

export const listed = (asked: Question): LocalAnswer =>
  page(
    asked,
    pastJobs.map((job) => jobAt(asked.call.createdAt, job)),
    { usual: 20 },
  );

export const retrieved = (asked: Question): LocalAnswer => withJob(asked, (job) => whole(asked, jobAt(asked.call.createdAt, job)));

/** Nothing is stored, so a job is cancelled in this answer alone; one that is over is answered as it is. */
export const cancelled = (asked: Question): LocalAnswer =>
  withJob(asked, (found) => {
    const now = asked.call.createdAt;
    const job = jobAt(now, found);
    return whole(asked, terminalJob.has(job.status) ? job : { ...job, status: 'cancelled', finished_at: now, estimated_finish: null });
  });

export const events = (asked: Question): LocalAnswer =>
  withJob(asked, (job) => page(asked, eventsOf(asked.call.createdAt, job), { usual: 20 }));

/** Newest first; ten a page, and no most. */
export const checkpoints = (asked: Question): LocalAnswer =>
  withJob(asked, (job) => page(asked, checkpointsOf(asked.call.createdAt, job), { usual: 10 }));

function page(asked: Question, rows: readonly { readonly id: string }[], rules: PageRules): LocalAnswer {
  const found = pageOf(rows, asked.call.query, rules);
  return isProblem(found) ? refusal(found, asked.call.id) : whole(asked, listOf(found.rows, found.hasMore));
}

function withJob({ call }: Question, then: (job: Job) => LocalAnswer): LocalAnswer {
  const id = call.params['id'] ?? '';
  const found = jobNamed(id);
  if (found !== undefined) return then(found);
  return refusal(notFound('fine_tune_not_found', `Could not find fine tune: ${id}`), call.id);
}
