import type { OldOperation } from '#core/provider.ts';
import { noBatchOutput } from '#formats/openai-objects/batch-output.ts';
import { BytesTap } from '#formats/openai-objects/object-tap.ts';
import { WholeTap } from '#formats/shared/json-tap.ts';
import { batchOf } from '#formats/openai-objects/objects.ts';
import type { Addresses } from '../address.ts';
import { rowOf } from '../files/file-object.ts';
import { fileIdOf } from '../files/object-id.ts';
import { allowedObject, type Storage, storageHeaders } from '../files/storage.ts';
import { cancelJob, jobIn, type JobKind, listJobs, readJob, retrieveJob } from '../jobs.ts';
import { plainRequest } from '../plain-request.ts';
import type { VertexSettings } from '../settings.ts';
import { createBatch } from './create.ts';
import { batchFromJob, endpointOfJob, modelOf, outputObject, statusOf } from './job.ts';
import { outputLines } from './output-lines.ts';

const batchJobs: JobKind = {
  collection: 'batchPredictionJobs',
  noun: 'batch',
  limits: { usual: 20, most: 100 },
  object: batchFromJob,
  // When it was made is not known then.
  cancelled: (id) => batchOf({ id, status: 'cancelling', created_at: 0 }),
};

/** The service's batch jobs as OpenAI's batches. */
export const batchOperations = (to: Addresses, store: Storage) => ({
  batches: createBatch(to, store),
  'batches/list': listJobs(to, batchJobs),
  'batches/{id}': retrieveJob(to, batchJobs),
  'batches/{id}/cancel': cancelJob(to, batchJobs),
  'batches/{id}/output': batchOutput(to, store),
});

/** The answers of a batch: the job tells where they are, and each row becomes a line of OpenAI's. */
function batchOutput(to: Addresses, store: Storage): OldOperation<VertexSettings> {
  return {
    request: (_body, call) => readJob(to, call, batchJobs),
    then(replies, call) {
      if (replies.length > 1) return undefined;
      const job = rowOf(replies[0]?.text ?? '');
      const status = statusOf(job['state']);
      const output = outputObject(job);
      if (output === undefined || status === 'failed') throw noBatchOutput(jobIn(call, batchJobs), status);
      const object = allowedObject(call, fileIdOf(output), 'batch_id');
      return plainRequest(store.object(call, object, '?alt=media'), 'GET', storageHeaders(call, '*/*'));
    },
    lines(call, earlier) {
      const job = rowOf(earlier[0]?.text ?? '');
      return outputLines({ endpoint: endpointOfJob(job), model: modelOf(job) ?? '' }, call);
    },
    tap: (_call, earlier) => (earlier === undefined ? new WholeTap() : new BytesTap()),
  };
}
