import { type ObjectStore, page, type Problem, problem, type Row } from './object-store.ts';

/** A request after the checks of its service: path without prefix, in segments. */
export interface ParsedRequest {
  readonly method: string;
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Buffer;
  readonly contentType: string;
}

export type Result = { readonly value: unknown; readonly status?: number } | { readonly bytes: Buffer } | { readonly problem: Problem };

const noRoute = problem(404, '404', 'Resource not found');

/** Files, batches and fine-tuning jobs over HTTP. Undefined for every other path. */
export async function serve(store: ObjectStore, request: ParsedRequest): Promise<Result | undefined> {
  const { parts } = request;
  if (parts[0] === 'files') return files(store, request);
  if (parts[0] === 'batches') return batches(store, request);
  return parts[0] === 'fine_tuning' && parts[1] === 'jobs' ? jobs(store, request) : undefined;
}

const of = (value: object | { problem: Problem }): Result => ('problem' in value ? (value as { problem: Problem }) : { value });
const objectIn = ({ body }: ParsedRequest): Record<string, unknown> => JSON.parse(body.toString('utf8')) as Record<string, unknown>;

async function files(store: ObjectStore, request: ParsedRequest): Promise<Result> {
  const [, id, what] = request.parts;
  if (id === undefined) {
    if (request.method === 'POST') return upload(store, request);
    return request.method === 'GET'
      ? of(
          page(
            [...store.files.values()].map(({ row }) => row),
            request.query,
            10_000,
          ),
        )
      : noRoute;
  }
  const file = store.files.get(id);
  if (file === undefined) return problem(404, 'not_found', `No such File object: ${id}`, 'id');
  if (request.method === 'DELETE' && what === undefined) {
    store.files.delete(id);
    return { value: { id, object: 'file', deleted: true } };
  }
  if (request.method !== 'GET') return noRoute;
  return what === 'content' ? { bytes: file.content } : what === undefined ? { value: file.row } : noRoute;
}

async function upload(store: ObjectStore, { body, contentType }: ParsedRequest): Promise<Result> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  const file = form.get('file');
  const purpose = form.get('purpose');
  if (!(file instanceof File)) return problem(400, 'missing_required_parameter', "Missing required parameter: 'file'.", 'file');
  if (purpose !== 'batch' && purpose !== 'fine-tune')
    return problem(400, 'invalid_value', `Invalid purpose: ${String(purpose)}.`, 'purpose');
  const content = Buffer.from(await file.arrayBuffer());
  return { value: store.addFile(store.nextId('file-'), file.name, purpose, content), status: 201 };
}

function batches(store: ObjectStore, request: ParsedRequest): Result {
  const { method, parts, body } = request;
  const [, id, what] = parts;
  if (id === undefined)
    return method === 'POST' ? of(store.createBatch(objectIn(request))) : of(page(store.batches.toReversed(), request.query, 20, 100));
  const batch = store.batches.find((each) => each.id === id);
  if (batch === undefined) return problem(404, 'batch_not_found', `No batch found with id '${id}'.`);
  if (method === 'GET' && what === undefined) {
    const snapshot = { ...batch };
    store.moveBatch(batch);
    return { value: snapshot };
  }
  if (method !== 'POST' || what !== 'cancel' || body.length > 0) return noRoute;
  return of(store.cancelBatch(batch));
}

function jobs(store: ObjectStore, request: ParsedRequest): Result {
  const { method, parts, query } = request;
  const [, , id, what] = parts;
  if (id === undefined) {
    return method === 'POST' ? { ...of(store.createJob(objectIn(request))), status: 201 } : of(page(store.jobs.toReversed(), query, 20));
  }
  const job = store.jobs.find((each) => each.id === id);
  if (job === undefined) return problem(404, 'fine_tune_not_found', `Could not find fine tune: ${id}`, 'fine_tuning_job_id');
  if (method === 'POST' && what === 'cancel') return of(store.cancelJob(job));
  if (method !== 'GET') return noRoute;
  if (what === 'events') return of(page(store.events(job), query, 20));
  if (what === 'checkpoints') return of(page(store.checkpoints(job), query, 10));
  if (what !== undefined) return noRoute;
  const snapshot: Row = { ...job };
  store.moveJob(job);
  return { value: snapshot };
}
