import { type Batch, batchOf, type BatchStatus } from '#formats/openai-objects/objects.ts';
import type { MockContent, MockRequest } from '../mock-response.ts';
import { batchIds, contentOf, fileId, predefinedFile, isFile, fileNotFound, outputFile } from './files.ts';
import {
  firstCreatedAt,
  forObject,
  encodeId,
  isMetadata,
  isText,
  isTime,
  type LifeCycle,
  type ObjectType,
  objectRoutes,
  stageProgress,
  reachedStages,
} from './objects.ts';
import { Refusal } from '../rules.ts';

/** The request's values, which the id of a batch encodes. The progress depends on the time since creation. */
type BatchParts = Pick<Batch, 'created_at' | 'endpoint' | 'metadata'> & { readonly input_file_id: string };

/** `metadata: {mock: …}` selects another life cycle than the default, which ends with success. */
const defaultLifeCycle: LifeCycle<BatchStatus> = [
  [0, 'validating'],
  [1, 'in_progress'],
  [4, 'finalizing'],
  [5, 'completed'],
];
const lifeCycles = new Map<string, LifeCycle<BatchStatus>>([
  ['failed', [...defaultLifeCycle.slice(0, 1), [1, 'failed']]],
  ['expired', [...defaultLifeCycle.slice(0, 2), [4, 'expired']]],
  ['slow', [...defaultLifeCycle.slice(0, 2), [82_800, 'finalizing'], [82_801, 'completed']]],
]);

const failed = { code: 'invalid_json_line', message: 'The mock was configured to fail.', param: null, line: 1 };

/** Returns the state of a batch at a time. */
function stateAt(now: number, parts: BatchParts): Batch {
  const { created_at: start, endpoint, metadata } = parts;
  const lifeCycle = lifeCycles.get(metadata?.['mock'] ?? '') ?? defaultLifeCycle;
  const stages = reachedStages(lifeCycle, now - start);
  const status = stages.at(-1)?.[1] ?? 'validating';
  const done = Math.floor(stageProgress(lifeCycle, 'in_progress', now - start) * batchIds.length);
  return batchOf({
    ...parts,
    id: encodeId(batches.naming, parts),
    status,
    expires_at: start + 86_400,
    ...Object.fromEntries(stages.slice(1).map(([second, stage]) => [`${stage}_at`, start + second])),
    output_file_id: status === 'completed' || status === 'expired' ? fileId(outputFile(start, endpoint)) : null,
    request_counts: { total: status === 'validating' || status === 'failed' ? 0 : batchIds.length, completed: done, failed: 0 },
    errors: status === 'failed' ? { object: 'list', data: [failed] } : null,
  });
}

const batches: ObjectType<BatchParts> = {
  naming: { prefix: 'batch_', parts: { created_at: isTime, endpoint: isText, input_file_id: isText, metadata: isMetadata } },
  stateAt,
  /** One per hour. */
  predefined: Array.from({ length: 25 }, (_, hour) => ({
    created_at: firstCreatedAt + hour * 3600,
    endpoint: '/v1/chat/completions',
    input_file_id: fileId(predefinedFile('batch', 'requests.jsonl', 1)),
    metadata: null,
  })).toReversed(),
  pageRules: { defaultLimit: 20, maxLimit: 100 },
  finalStatuses: new Set<BatchStatus>(['completed', 'failed', 'expired']),
  cancelled: (now) => ({ status: 'cancelling', cancelling_at: now }),
  unknown: (id) => new Refusal('batch_not_found', null, `No batch found with id '${id}'.`, 404),
};

export const { listed, retrieved, cancelled } = objectRoutes(batches);

export function created({ body, call: { createdAt } }: MockRequest): MockContent {
  const { endpoint = '', input_file_id: input = '', metadata = null } = body as Partial<BatchParts>;
  if (!isFile(input)) throw fileNotFound(input, 'input_file_id');
  return { json: stateAt(createdAt, { created_at: createdAt, endpoint, input_file_id: input, metadata }) };
}

export const output = forObject(batches, ({ call }, parts) => {
  const { status, output_file_id: file } = stateAt(call.createdAt, parts);
  if (file !== null) return { bytes: contentOf(outputFile(parts.created_at, parts.endpoint)), type: 'application/jsonl' };
  throw new Refusal('no_batch_output', 'id', `The batch has no output: it is ${status}.`, batches.finalStatuses.has(status) ? 404 : 409);
});
