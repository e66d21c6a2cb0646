import type { Operation } from '#core/provider.ts';
import { noBatchOutput } from '#formats/openai-objects/batch-output.ts';
import { BytesTap } from '#formats/openai-objects/object-tap.ts';
import { batchOf } from '#formats/openai-objects/objects.ts';
import { OpaqueTap } from '#formats/shared/response/json-tap.ts';
import { plainRequest } from '../address.ts';
import { parseRow } from '../files/file-object.ts';
import { fileIdOf } from '../files/object-id.ts';
import { allowedObject, objectAddress, storageHeaders } from '../files/storage.ts';
import { cancelJob, jobIn, type JobKind, listJobs, readJob, retrieveJob } from '../jobs/jobs.ts';
import { batchStatus } from '../jobs/states.ts';
import type { VertexSettings } from '../settings.ts';
import { createBatch } from './create.ts';
import { batchFromJob, endpointOfJob, modelOf, outputObject } from './job.ts';
import { outputLines } from './output-lines.ts';

const batchJobs: JobKind = {
  collection: 'batchPredictionJobs',
  noun: 'batch',
  limits: { defaultLimit: 20, maxLimit: 100 },
  object: batchFromJob,
  // The creation time is unknown in this case.
  cancelled: (id) => batchOf({ id, status: 'cancelling', created_at: 0 }),
};

/** The responses of a batch: the job contains their location, and each row is converted to a line in OpenAI's format. */
const output: Operation<VertexSettings> = {
  isConverted: true,
  begin: (_body, call) => ({
    request: readJob(call, batchJobs),
    tap: new OpaqueTap(),
    then({ text }) {
      const job = parseRow(text);
      const status = batchStatus(job['state']);
      const found = outputObject(job);
      if (found === undefined || status === 'failed') throw noBatchOutput(jobIn(call, batchJobs), status);
      const object = allowedObject(call, fileIdOf(found), 'batch_id');
      return {
        request: plainRequest(objectAddress(call, object, '?alt=media'), 'GET', storageHeaders(call, '*/*')),
        tap: new BytesTap(),
        lines: outputLines({ endpoint: endpointOfJob(job), model: modelOf(job) ?? '' }, call),
      };
    },
  }),
};

/** OpenAI's batch routes on the service's batch jobs. */
export const batchOperations = {
  batches: createBatch,
  'batches/list': listJobs(batchJobs),
  'batches/{id}': retrieveJob(batchJobs),
  'batches/{id}/cancel': cancelJob(batchJobs),
  'batches/{id}/output': output,
} as const;
