import { type ParsedRequest, invalid, notFound, Refusal } from './parsed-request.ts';
import type { Objects } from './objects.ts';

export type Job = Record<string, unknown>;
type Collection = 'batchPredictionJobs' | 'tuningJobs';

/** Members that a job may be made with: anything else is refused, as the real service does. */
const fields: Readonly<Record<Collection, ReadonlySet<string>>> = {
  batchPredictionJobs: new Set(['displayName', 'model', 'inputConfig', 'outputConfig', 'instanceConfig', 'modelParameters', 'labels']),
  tuningJobs: new Set(['baseModel', 'tunedModelDisplayName', 'description', 'supervisedTuningSpec', 'labels', 'encryptionSpec']),
};
const hyperFields: ReadonlySet<string> = new Set(['epochCount', 'learningRateMultiplier', 'adapterSize']);
const terminal: ReadonlySet<unknown> = new Set(
  ['SUCCEEDED', 'PARTIALLY_SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED'].map((state) => `JOB_STATE_${state}`),
);

/** Batch jobs and tuning jobs. */
export class Jobs {
  readonly batchPredictionJobs: Job[] = [];
  readonly tuningJobs: Job[] = [];
  /** Each look at a job moves it on. */
  advances = false;
  readonly #objects: Objects;
  readonly #place: string;
  #count = 1000;

  constructor(objects: Objects, parent: string) {
    this.#objects = objects;
    this.#place = parent;
  }

  answer(parsed: ParsedRequest): object {
    const [, collection, id, verb] = /^(batchPredictionJobs|tuningJobs)(?:\/([^/:]+)(?::(\w+))?)?$/.exec(parsed.path) ?? [];
    if (collection === undefined) throw notFound('Method not found.');
    const kind = collection as Collection;
    if (id === undefined) return parsed.method === 'POST' ? this.#create(kind, parsed.body()) : this.#list(kind, parsed.query);
    const job = this[kind].find(({ name }) => String(name).endsWith(`/${id}`));
    if (job === undefined) throw notFound(`${collection} ${id} is not found.`);
    if (verb === undefined && parsed.method === 'GET') return this.#looked(kind, job);
    if (verb !== 'cancel' || parsed.method !== 'POST') throw new Refusal(404, 'NOT_FOUND', 'Method not found.');
    parsed.body();
    if (terminal.has(job['state'])) throw new Refusal(400, 'FAILED_PRECONDITION', `The job is in state ${String(job['state'])}.`);
    Object.assign(job, {
      state: kind === 'tuningJobs' ? 'JOB_STATE_CANCELLED' : 'JOB_STATE_CANCELLING',
      updateTime: '2026-11-02T09:04:00Z',
    });
    return {};
  }

  /** A job as if somebody had made it elsewhere. */
  add(kind: Collection, job: Job = {}): string {
    this.#count += 1;
    const id = String(this.#count);
    const created = {
      name: `${this.#place}/${kind}/${id}`,
      state: 'JOB_STATE_PENDING',
      createTime: '2026-11-02T09:00:00.1Z',
      updateTime: '2026-11-02T09:00:00.1Z',
    };
    // The newest comes first in lists.
    this[kind].unshift({ ...created, ...job });
    return id;
  }

  /** Runs a batch to its end: an answer for every row, but for those whose text is "fail". */
  run(id: string): void {
    const job = this.#batch(id);
    const [uri = ''] = (job['inputConfig'] as { gcsSource: { uris: string[] } }).gcsSource.uris;
    const { outputUriPrefix: prefix } = (job['outputConfig'] as { gcsDestination: { outputUriPrefix: string } }).gcsDestination;
    const folder = `${prefix}prediction-model-2026-11-02T09:00:00.1Z`;
    const rows = this.#objects
      .text(uri)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Job);
    const answers = rows.map((row) => batchResultOf(row)).reverse();
    const isOlder = String(job['model']).includes('text-embedding');
    this.#objects.put(
      `${folder}/${isOlder ? '000000000000' : 'predictions'}.jsonl`,
      answers.map((row) => `${JSON.stringify(row)}\n`).join(''),
    );
    const failed = answers.filter((row) => typeof row['status'] === 'string' && row['status'] !== '').length;
    Object.assign(job, {
      state: failed === 0 ? 'JOB_STATE_SUCCEEDED' : 'JOB_STATE_PARTIALLY_SUCCEEDED',
      startTime: '2026-11-02T09:01:00Z',
      endTime: '2026-11-02T09:05:00Z',
      outputInfo: { gcsOutputDirectory: folder },
      completionStats: {
        successfulCount: String(rows.length - failed),
        ...(failed > 0 && { failedCount: String(failed) }),
        incompleteCount: '-1',
      },
    });
  }

  /** Tunes to the end, with this many checkpoints. */
  tune(id: string, checkpoints: number): void {
    const job = this.tuningJobs.find(({ name }) => String(name).endsWith(`/${id}`));
    Object.assign(job as Job, {
      state: 'JOB_STATE_SUCCEEDED',
      startTime: '2026-11-02T09:01:00Z',
      endTime: '2026-11-02T10:00:00Z',
      tunedModel: {
        model: `${this.#place}/models/9@1`,
        endpoint: `${this.#place}/endpoints/555`,
        checkpoints: Array.from({ length: checkpoints }, (_, at) => ({
          checkpointId: String(at + 1),
          epoch: String(at + 1),
          step: String((at + 1) * 10),
          endpoint: `${this.#place}/endpoints/${600 + at}`,
        })),
      },
      tuningDataStats: { supervisedTuningDataStats: { totalBillableTokenCount: '4200' } },
    });
  }

  set(kind: Collection, id: string, more: Job): void {
    Object.assign(this[kind].find(({ name }) => String(name).endsWith(`/${id}`)) as Job, more);
  }

  #batch(id: string): Job {
    return this.batchPredictionJobs.find(({ name }) => String(name).endsWith(`/${id}`)) as Job;
  }

  #create(kind: Collection, body: Job): object {
    const unknown = Object.keys(body).find((key) => !fields[kind].has(key));
    if (unknown !== undefined) throw invalid(`Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`);
    for (const [key, value] of Object.entries((body['labels'] ?? {}) as Record<string, string>)) {
      if (!/^[a-z][a-z0-9_-]{0,62}$/.test(key) || !/^[a-z0-9_-]{0,63}$/.test(value)) throw invalid(`Label ${key} is not valid.`);
    }
    if (Object.keys((body['labels'] ?? {}) as object).length > 64) throw invalid('Too many labels.');
    if (kind === 'batchPredictionJobs') this.#checkBatch(body);
    else this.#checkTuning(body);
    this.add(kind, body);
    return this[kind][0] as Job;
  }

  #checkBatch({ model, inputConfig, outputConfig }: Job): void {
    if (!/^(?:publishers\/[a-z]+\/models\/[^/]+|projects\/.+\/models\/[^/]+)$/.test(String(model)))
      throw invalid('Invalid model resource name.');
    const { instancesFormat, gcsSource } = (inputConfig ?? {}) as { instancesFormat?: string; gcsSource?: { uris?: unknown } };
    if (instancesFormat !== 'jsonl' || !Array.isArray(gcsSource?.uris)) throw invalid("Invalid value at 'uris' (repeated string)");
    for (const uri of gcsSource.uris) this.#checkFile(uri);
    const out = outputConfig as { predictionsFormat?: string; gcsDestination?: { outputUriPrefix?: string } } | undefined;
    if (out?.predictionsFormat !== 'jsonl' || out.gcsDestination?.outputUriPrefix?.startsWith('gs://') !== true)
      throw invalid('Invalid output.');
  }

  #checkTuning({ baseModel, supervisedTuningSpec }: Job): void {
    if (typeof baseModel !== 'string' || !baseModel.startsWith('gemini-')) throw invalid('Base model is not supported.');
    const spec = (supervisedTuningSpec ?? {}) as Job;
    this.#checkFile(spec['trainingDatasetUri']);
    if (spec['validationDatasetUri'] !== undefined) this.#checkFile(spec['validationDatasetUri']);
    const hyper = (spec['hyperParameters'] ?? {}) as Job;
    for (const key of Object.keys(hyper)) if (!hyperFields.has(key)) throw invalid(`Unknown name "${key}": Cannot find field.`);
    const { epochCount, adapterSize } = hyper;
    if (epochCount !== undefined && !(typeof epochCount === 'string' && /^\d+$/.test(epochCount))) throw invalid('Invalid epochCount.');
    if (adapterSize !== undefined && !/^ADAPTER_SIZE_[A-Z_]+$/.test(String(adapterSize))) throw invalid("Invalid value at 'adapter_size'.");
  }

  #checkFile(uri: unknown): void {
    if (!this.#objects.stored.has(String(uri))) throw invalid(`The file ${String(uri)} does not exist or cannot be read.`);
  }

  #list(kind: Collection, query: URLSearchParams): object {
    for (const name of query.keys()) if (!['pageSize', 'pageToken', 'filter'].includes(name)) throw invalid(`Unknown name "${name}".`);
    const size = Math.min(Number(query.get('pageSize') ?? 10), 100);
    const from = Number(/^page-(\d+)$/.exec(query.get('pageToken') ?? 'page-0')?.[1] ?? Number.NaN);
    if (!Number.isInteger(from) || !(size >= 1)) throw invalid('Invalid page token.');
    const jobs = this[kind];
    return { [kind]: jobs.slice(from, from + size), ...(from + size < jobs.length && { nextPageToken: `page-${from + size}` }) };
  }

  #looked(kind: Collection, job: Job): Job {
    const snapshot = { ...job };
    if (!this.advances) return snapshot;
    const id = String(job['name']).split('/').at(-1) ?? '';
    if (job['state'] === 'JOB_STATE_PENDING') job['state'] = 'JOB_STATE_RUNNING';
    else if (job['state'] === 'JOB_STATE_RUNNING' && kind === 'tuningJobs') this.tune(id, 3);
    else if (job['state'] === 'JOB_STATE_RUNNING') this.run(id);
    else if (job['state'] === 'JOB_STATE_CANCELLING') Object.assign(job, { state: 'JOB_STATE_CANCELLED', endTime: '2026-11-02T09:06:00Z' });
    return snapshot;
  }
}

/** One row of the output; what is excluded from the request is beside it. */
function batchResultOf(row: Job): Job {
  if (JSON.stringify(row).includes('"fail"'))
    return { ...row, status: '{"error": {"code": 400, "message": "no such luck", "status": "INVALID_ARGUMENT"}}', response: {} };
  if (row['custom_id'] !== undefined) {
    const usage = { input_tokens: 3, output_tokens: 2 };
    const content = [{ type: 'text', text: 'Hello' }];
    const response = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-4-6', content, stop_reason: 'end_turn', usage };
    return { custom_id: row['custom_id'], request: row['request'], response };
  }
  if (row['content'] !== undefined) {
    const { requestId, ...instance } = row;
    return {
      instance,
      requestId,
      predictions: [{ embeddings: { values: [0.25, 0.5], statistics: { token_count: 2, truncated: false } } }],
      status: '',
    };
  }
  const response = {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
    modelVersion: 'gemini-2.5-flash',
    responseId: `resp-${String(row['requestId'])}`,
  };
  return { ...row, status: '', processed_time: '2026-11-02T09:02:00Z', response };
}
