import type { JsonObject } from '#core/json/merge.ts';
import type { Operation } from '#core/provider.ts';
import { listOf } from '#formats/openai-objects/objects.ts';
import { OpaqueTap } from '#formats/shared/response/json-tap.ts';
import { parseRow } from '../files/file-object.ts';
import { cancelJob, type JobKind, listJobs, readJob, retrieveJob } from '../jobs/jobs.ts';
import { afterNotFound, pageParamsOf } from '../jobs/pages.ts';
import type { VertexSettings } from '../settings.ts';
import { createTuning } from './create.ts';
import { tuningFromJob } from './job.ts';
import { checkpointsOf, eventsOf } from './progress.ts';

const tuningJobs: JobKind = {
  collection: 'tuningJobs',
  noun: 'fine-tuning job',
  limits: { defaultLimit: 20, maxLimit: undefined },
  object: tuningFromJob,
  cancelled: (id) => ({ ...tuningFromJob({ name: id }), status: 'cancelled' }),
};

/** A list that is part of the job. */
interface JobList {
  rows(job: JsonObject): readonly { readonly id: string }[];
  /** Default number of rows per page. */
  readonly defaultLimit: number;
  readonly noun: string;
}

/** The service has no such list: the gateway reads the job and pages its rows. */
const listInJob = ({ rows, defaultLimit, noun }: JobList): Operation<VertexSettings> => ({
  isConverted: true,
  begin(_body, call) {
    // Rejects an invalid page before sending a request.
    const { after, limit } = pageParamsOf(call, defaultLimit);
    return {
      request: readJob(call, tuningJobs),
      tap: new OpaqueTap(),
      then({ text }) {
        if (after !== undefined && !rows(parseRow(text)).some(({ id }) => id === after)) throw afterNotFound(noun, after);
        return undefined;
      },
      result(text) {
        const all = rows(parseRow(text));
        const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
        return listOf(all.slice(start, start + limit), all.length > start + limit);
      },
    };
  },
});

/** OpenAI's fine-tuning routes on the service's tuning jobs. */
export const tuningOperations = {
  'fine_tuning/jobs': createTuning,
  'fine_tuning/jobs/list': listJobs(tuningJobs),
  'fine_tuning/jobs/{id}': retrieveJob(tuningJobs),
  'fine_tuning/jobs/{id}/cancel': cancelJob(tuningJobs),
  'fine_tuning/jobs/{id}/events': listInJob({ rows: eventsOf, defaultLimit: 20, noun: 'event' }),
  'fine_tuning/jobs/{id}/checkpoints': listInJob({ rows: checkpointsOf, defaultLimit: 10, noun: 'checkpoint' }),
} as const;
