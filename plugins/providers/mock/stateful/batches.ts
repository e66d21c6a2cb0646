import { type Batch, batchOf, type BatchStatus } from '#formats/openai-objects/objects.ts';
import type { Content, Question } from '../answer.ts';
import { batchIds, contentOf, fileId, givenFile, isFile, noFile, outputFile } from './files.ts';
import { firstCreated, found, idOf, isMetadata, isText, isTime, type Life, type Living, living, progress, reached } from './objects.ts';
import { Refusal } from '../rules.ts';

/** The request's values, which the id of a batch encodes. The progress depends on the time since creation. */
type Asked = Pick<Batch, 'created_at' | 'endpoint' | 'metadata'> & { readonly input_file_id: string };

/** `metadata: {mock: …}` selects another life cycle than the default, which ends with success. */
const usual: Life<BatchStatus> = [
  [0, 'validating'],
  [1, 'in_progress'],
  [4, 'finalizing'],
  [5, 'completed'],
];
const lives = new Map<string, Life<BatchStatus>>([
  ['failed', [...usual.slice(0, 1), [1, 'failed']]],
  ['expired', [...usual.slice(0, 2), [4, 'expired']]],
  ['slow', [...usual.slice(0, 2), [82_800, 'finalizing'], [82_801, 'completed']]],
]);

const failed = { code: 'invalid_json_line', message: 'The mock was configured to fail.', param: null, line: 1 };

/** Returns the state of a batch at a time. */
function at(now: number, asked: Asked): Batch {
  const { created_at: start, endpoint, metadata } = asked;
  const life = lives.get(metadata?.['mock'] ?? '') ?? usual;
  const stages = reached(life, now - start);
  const status = stages.at(-1)?.[1] ?? 'validating';
  const done = Math.floor(progress(life, 'in_progress', now - start) * batchIds.length);
  return batchOf({
    ...asked,
    id: idOf(batches.naming, asked),
    status,
    expires_at: start + 86_400,
    ...Object.fromEntries(stages.slice(1).map(([second, stage]) => [`${stage}_at`, start + second])),
    output_file_id: status === 'completed' || status === 'expired' ? fileId(outputFile(start, endpoint)) : null,
    request_counts: { total: status === 'validating' || status === 'failed' ? 0 : batchIds.length, completed: done, failed: 0 },
    errors: status === 'failed' ? { object: 'list', data: [failed] } : null,
  });
}

const batches: Living<Asked> = {
  naming: { prefix: 'batch_', parts: { created_at: isTime, endpoint: isText, input_file_id: isText, metadata: isMetadata } },
  at,
  /** One per hour. */
  past: Array.from({ length: 25 }, (_, hour) => ({
    created_at: firstCreated + hour * 3600,
    endpoint: '/v1/chat/completions',
    input_file_id: fileId(givenFile('batch', 'requests.jsonl', 1)),
    metadata: null,
  })).toReversed(),
  page: { usual: 20, most: 100 },
  isOver: new Set<BatchStatus>(['completed', 'failed', 'expired']),
  cancelled: (now) => ({ status: 'cancelling', cancelling_at: now }),
  unknown: (id) => new Refusal('batch_not_found', null, `No batch found with id '${id}'.`, 404),
};

export const { listed, retrieved, cancelled } = living(batches);

export function created({ body, call: { createdAt } }: Question): Content {
  const { endpoint = '', input_file_id: input = '', metadata = null } = body as Partial<Asked>;
  if (!isFile(input)) throw noFile(input, 'input_file_id');
  return { json: at(createdAt, { created_at: createdAt, endpoint, input_file_id: input, metadata }) };
}

export const output = found(batches, ({ call }, asked) => {
  const { status, output_file_id: file } = at(call.createdAt, asked);
  if (file !== null) return { bytes: contentOf(outputFile(asked.created_at, asked.endpoint)), type: 'application/jsonl' };
  throw new Refusal('no_batch_output', 'id', `The batch has no output: it is ${status}.`, batches.isOver.has(status) ? 404 : 409);
});
