import type { LocalAnswer } from '#core/provider.ts';
import { type Batch, batchOf, type BatchStatus, listOf } from '#formats/openai-objects/objects.ts';
import { failure, file, type Question, whole } from './answer.ts';
import { batchIds, contentOf } from './file-content.ts';
import { fileId, fileNamed, givenFile, type MockFile } from './file-ids.ts';
import { firstCreated, isMetadata, isText, isTime, madeId, partsOf } from './ids.ts';
import { isProblem, pageOf } from './pages.ts';
import { notFound, type Problem, refusal } from './problems.ts';

/** Batches of the mock: what was asked stands in the id, and how far it is follows from the time. */
interface Asked {
  /** Unix seconds. */
  readonly createdAt: number;
  readonly endpoint: string;
  readonly inputFileId: string;
  readonly metadata: Readonly<Record<string, string>> | null;
}

const prefix = 'batch_';

const idOf = ({ createdAt, endpoint, inputFileId, metadata }: Asked): string =>
  madeId(prefix, [createdAt, endpoint, inputFileId, metadata]);

function named(id: string): Asked | undefined {
  const parts = partsOf(prefix, id, isRight) as [number, string, string, Asked['metadata']] | undefined;
  if (parts === undefined) return undefined;
  const [createdAt, endpoint, inputFileId, metadata] = parts;
  return { createdAt, endpoint, inputFileId, metadata };
}

const isRight = ([at, endpoint, input, metadata, ...more]: readonly unknown[]): boolean =>
  isTime(at) && isText(endpoint) && isText(input) && isMetadata(metadata) && more.length === 0;

/**
 * The stages of a life, and the second of it in which each begins. `metadata: {mock: …}` chooses another than the usual
 * one, which ends well.
 */
const lives: Readonly<Record<string, readonly (readonly [second: number, status: BatchStatus])[]>> = {
  completed: [
    [0, 'validating'],
    [1, 'in_progress'],
    [4, 'finalizing'],
    [5, 'completed'],
  ],
  failed: [
    [0, 'validating'],
    [1, 'failed'],
  ],
  expired: [
    [0, 'validating'],
    [1, 'in_progress'],
    [4, 'expired'],
  ],
  slow: [
    [0, 'validating'],
    [1, 'in_progress'],
    [82_800, 'finalizing'],
    [82_801, 'completed'],
  ],
};

const terminal: ReadonlySet<BatchStatus> = new Set(['completed', 'failed', 'expired']);

/** A batch as it is at a moment. */
function at(now: number, asked: Asked): Batch {
  const word = asked.metadata?.['mock'] ?? 'completed';
  const life = (Object.hasOwn(lives, word) ? lives[word] : undefined) ?? lives['completed'] ?? [];
  const reached = life.filter(([second], index) => index === 0 || asked.createdAt + second <= now);
  const status = reached.at(-1)?.[1] ?? 'validating';
  const times = Object.fromEntries(reached.slice(1).map(([second, stage]) => [`${stage}_at`, asked.createdAt + second]));
  const hasOutput = status === 'completed' || status === 'expired';
  return batchOf({
    id: idOf(asked),
    status,
    created_at: asked.createdAt,
    expires_at: asked.createdAt + 86_400,
    ...times,
    endpoint: asked.endpoint,
    input_file_id: asked.inputFileId,
    metadata: asked.metadata,
    output_file_id: hasOutput ? fileId(outputOf(asked)) : null,
    request_counts: {
      total: status === 'validating' || status === 'failed' ? 0 : batchIds.length,
      completed: doneBy(now, life, asked),
      failed: 0,
    },
    errors:
      status === 'failed'
        ? { object: 'list', data: [{ code: 'invalid_json_line', message: 'The mock was configured to fail.', param: null, line: 1 }] }
        : null,
  });
}

/** Requests are answered evenly while the batch is in progress. */
function doneBy(now: number, life: (typeof lives)[string], { createdAt }: Asked): number {
  const from = life?.findIndex(([, status]) => status === 'in_progress') ?? -1;
  const [start, end] = [life?.[from]?.[0], life?.[from + 1]?.[0]];
  if (start === undefined || end === undefined) return 0;
  const passed = Math.max(0, Math.min(1, (now - createdAt - start) / (end - start)));
  return Math.floor(passed * batchIds.length);
}

function outputOf({ createdAt, endpoint }: Asked): MockFile {
  const made = { createdAt, purpose: 'batch_output', filename: 'output.jsonl', bytes: 0, endpoint };
  return { ...made, bytes: Buffer.byteLength(contentOf(made)) };
}

export function created(asked: Question): LocalAnswer {
  const { body, call } = asked;
  const inputFileId = String(body['input_file_id']);
  if (fileNamed(inputFileId) === undefined) return refusal(notFound(null, `No such File object: ${inputFileId}`, 'input_file_id'), call.id);
  const metadata = (body['metadata'] ?? null) as Asked['metadata'];
  const made = { createdAt: call.createdAt, endpoint: String(body['endpoint']), inputFileId, metadata };
  return failure(asked) ?? whole(asked, at(call.createdAt, made));
}

/** Batches of the past, one an hour, so that a list has pages. */
const given: readonly Asked[] = Array.from({ length: 25 }, (_, hour) => ({
  createdAt: firstCreated + hour * 3600,
  endpoint: '/v1/chat/completions',
  inputFileId: fileId(givenFile('batch', 'requests.jsonl', 1)),
  metadata: null,
})).toReversed();

export function listed(asked: Question): LocalAnswer {
  const { call } = asked;
  const page = pageOf(
    given.map((one) => at(call.createdAt, one)),
    call.query,
    { usual: 20, most: 100 },
  );
  return isProblem(page) ? refusal(page, call.id) : whole(asked, listOf(page.rows, page.hasMore));
}

export const retrieved = (asked: Question): LocalAnswer => withBatch(asked, (found) => whole(asked, at(asked.call.createdAt, found)));

/** Nothing is stored, so a batch is cancelled in this answer alone; one that is over is answered as it is. */
export const cancelled = (asked: Question): LocalAnswer =>
  withBatch(asked, (found) => {
    const now = asked.call.createdAt;
    const batch = at(now, found);
    return whole(asked, terminal.has(batch.status) ? batch : { ...batch, status: 'cancelling', cancelling_at: now });
  });

export const output = (asked: Question): LocalAnswer =>
  withBatch(asked, (found) => {
    const { status, output_file_id: id } = at(asked.call.createdAt, found);
    if (id !== null) return file(asked, contentOf(outputOf(found)), 'application/jsonl');
    return refusal(
      {
        status: terminal.has(status) ? 404 : 409,
        code: 'no_batch_output',
        param: 'id',
        message: `The batch has no output: it is ${status}.`,
      },
      asked.call.id,
    );
  });

function withBatch({ call }: Question, then: (found: Asked) => LocalAnswer): LocalAnswer {
  const id = call.params['id'] ?? '';
  const found = named(id);
  return found === undefined ? refusal(unknown(id), call.id) : then(found);
}

const unknown = (id: string): Problem => notFound('batch_not_found', `No batch found with id '${id}'.`);
