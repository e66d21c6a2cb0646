import type { Plain } from '#core/json/merge.ts';
import type { OldOperation } from '#core/provider.ts';
import { WholeTap } from '#formats/shared/json-tap.ts';
import { listOf } from '#formats/openai-objects/objects.ts';
import type { Addresses } from '../address.ts';
import { rowOf } from '../files/file-object.ts';
import { cancelJob, type JobKind, listJobs, readJob, retrieveJob } from '../jobs.ts';
import { unknownAfter, wantedOf } from '../pages.ts';
import type { VertexSettings } from '../settings.ts';
import { checkpointsOf } from './checkpoints.ts';
import { createTuning } from './create.ts';
import { eventsOf } from './events.ts';
import { tuningFromJob } from './job.ts';

const tuningJobs: JobKind = {
  collection: 'tuningJobs',
  noun: 'fine-tuning job',
  limits: { usual: 20, most: undefined },
  object: tuningFromJob,
  cancelled: (id) => ({ ...tuningFromJob({ name: id }), status: 'cancelled' }),
};

/** The service's tuning jobs as OpenAI's. */
export const tuningOperations = (to: Addresses) => ({
  'fine_tuning/jobs': createTuning(to),
  'fine_tuning/jobs/list': listJobs(to, tuningJobs),
  'fine_tuning/jobs/{id}': retrieveJob(to, tuningJobs),
  'fine_tuning/jobs/{id}/cancel': cancelJob(to, tuningJobs),
  'fine_tuning/jobs/{id}/events': inJob(to, { rows: eventsOf, usual: 20, noun: 'event' }),
  'fine_tuning/jobs/{id}/checkpoints': inJob(to, { rows: checkpointsOf, usual: 10, noun: 'checkpoint' }),
});

/** A list that stands in the job. */
interface JobList {
  rows(job: Plain): readonly { readonly id: string }[];
  /** Rows of a page, when the client says nothing. */
  readonly usual: number;
  readonly noun: string;
}

/** The service has no such list: the job is read, and paged here. */
function inJob(to: Addresses, { rows, usual, noun }: JobList): OldOperation<VertexSettings> {
  return {
    request(_body, call) {
      // A page that can't be is refused before anything is asked.
      wantedOf(call, usual);
      return readJob(to, call, tuningJobs);
    },
    then(replies, call) {
      const { after } = wantedOf(call, usual);
      if (after !== undefined && !rows(rowOf(replies[0]?.text ?? '')).some(({ id }) => id === after)) throw unknownAfter(noun, after);
      return undefined;
    },
    tap: () => new WholeTap(),
    result(text, call) {
      const { after, limit } = wantedOf(call, usual);
      const all = rows(rowOf(text));
      const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
      return listOf(all.slice(start, start + limit), all.length > start + limit);
    },
  };
}
