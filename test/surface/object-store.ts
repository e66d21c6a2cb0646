/** The stored objects of a service: files, batches and fine-tuning jobs, which advance by one status at each read. In the OpenAI format. */

export type Row = Record<string, unknown> & { id: string };

/** An error, before it is written in the format of a service. */
export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly code: string;
  readonly param: string | null;
}

export const problem = (status: number, code: string, message: string, param: string | null = null): { problem: Problem } => ({
  problem: { status, message, code, param },
});

const startOfTime = 1_767_312_000;

const batchSteps = ['validating', 'in_progress', 'finalizing', 'completed'] as const;
const terminal: ReadonlySet<unknown> = new Set(['completed', 'failed', 'expired', 'cancelled', 'succeeded']);

/** Checkpoints of a completed job, and the events of each job. */
const checkpointCount = 12;
const eventCount = 25;

export class ObjectStore {
  readonly files = new Map<string, { row: Row; content: Buffer }>();
  readonly batches: Row[] = [];
  readonly jobs: Row[] = [];
  readonly #jobSteps: readonly string[];
  #made = 0;

  /** @param jobSteps the statuses of a job in the format of the service */
  constructor(jobSteps: readonly string[]) {
    this.#jobSteps = jobSteps;
    this.addFile('file-in', 'in.jsonl', 'batch', '{"custom_id":"r-1"}\n');
    this.addFile('file-train', 'train.jsonl', 'fine-tune', '{"messages":[]}\n');
  }

  addFile(id: string, filename: string, purpose: string, content: string | Buffer): Row {
    const bytes = Buffer.from(content);
    const row = { id, object: 'file', bytes: bytes.length, created_at: startOfTime, filename, purpose, status: 'processed' };
    this.files.set(id, { row, content: bytes });
    return row;
  }

  /** Ids are counted up, so the newest is the last. */
  nextId(prefix: string): string {
    this.#made += 1;
    return `${prefix}${this.#made.toString().padStart(4, '0')}`;
  }

  createBatch(body: Record<string, unknown>): Row | { problem: Problem } {
    const input = this.files.get(String(body['input_file_id']));
    if (input === undefined) return problem(404, 'not_found', `No such File object: ${String(body['input_file_id'])}`, 'input_file_id');
    if (input.row['purpose'] !== 'batch') return problem(400, 'invalid_purpose', "Expected purpose 'batch'.", 'input_file_id');
    if (body['completion_window'] !== '24h') return problem(400, 'invalid_value', 'Only 24h is possible.', 'completion_window');
    const allowed = new Set(['input_file_id', 'endpoint', 'completion_window', 'metadata', 'output_expires_after']);
    const unknown = Object.keys(body).find((key) => !allowed.has(key));
    if (unknown !== undefined) return problem(400, 'unknown_parameter', `Unknown parameter: '${unknown}'.`, unknown);
    const batch: Row = {
      id: this.nextId('batch_'),
      object: 'batch',
      endpoint: body['endpoint'],
      errors: null,
      input_file_id: body['input_file_id'],
      completion_window: '24h',
      status: 'validating',
      output_file_id: null,
      error_file_id: null,
      created_at: startOfTime,
      in_progress_at: null,
      expires_at: startOfTime + 86_400,
      finalizing_at: null,
      completed_at: null,
      cancelling_at: null,
      cancelled_at: null,
      request_counts: { total: 0, completed: 0, failed: 0 },
      metadata: body['metadata'] ?? null,
    };
    this.batches.push(batch);
    return batch;
  }

  /** Advances by one status, according to `metadata.fate`. */
  moveBatch(batch: Row): void {
    const outcome = (batch['metadata'] as Record<string, string> | null)?.['fate'];
    if (batch['status'] === 'cancelling') this.#enter(batch, 'cancelled');
    else if (outcome === 'fails' && batch['status'] === 'validating') {
      this.#enter(batch, 'failed');
      batch['errors'] = { object: 'list', data: [{ code: 'invalid_json_line', message: 'not JSON', param: null, line: 3 }] };
    } else if (!terminal.has(batch['status'])) {
      this.#enter(batch, batchSteps[batchSteps.indexOf(batch['status'] as 'validating') + 1] ?? 'completed');
      if (batch['status'] === 'completed') this.#write(batch, outcome);
    }
  }

  #write(batch: Row, outcome: string | undefined): void {
    const id = this.nextId('file-');
    const isBad = outcome === 'errs';
    const line = isBad
      ? { custom_id: 'r-1', error: { code: 'x', message: 'ü' } }
      : { custom_id: 'r-1', response: { status_code: 200, body: { text: 'ü' } } };
    this.addFile(id, `${id}.jsonl`, 'batch_output', `${JSON.stringify(line)}\n`);
    batch[isBad ? 'error_file_id' : 'output_file_id'] = id;
    batch['request_counts'] = { total: 1, completed: isBad ? 0 : 1, failed: isBad ? 1 : 0 };
    batch['usage'] = { input_tokens: 5, output_tokens: 7, total_tokens: 12 };
  }

  #enter(row: Row, status: string): void {
    row['status'] = status;
    row[`${status}_at`] = startOfTime + 60;
  }

  cancelBatch(batch: Row): Row | { problem: Problem } {
    if (terminal.has(batch['status'])) return problem(409, 'conflict', `A ${String(batch['status'])} batch cannot be cancelled.`);
    if (batch['status'] !== 'cancelling') this.#enter(batch, 'cancelling');
    return batch;
  }

  createJob(body: Record<string, unknown>): Row | { problem: Problem } {
    const { model } = body;
    if (model !== 'm-2025') return problem(400, 'model_not_available', `${String(model)} cannot be tuned.`, 'model');
    const file = this.files.get(String(body['training_file']));
    if (file?.row['purpose'] !== 'fine-tune') return problem(400, 'invalid_file', 'The training file is not one.', 'training_file');
    const job: Row = {
      id: this.nextId('ftjob-'),
      object: 'fine_tuning.job',
      created_at: startOfTime,
      finished_at: null,
      model,
      fine_tuned_model: null,
      organization_id: 'org-1',
      status: this.#jobSteps[0],
      training_file: body['training_file'],
      validation_file: null,
      result_files: [],
      trained_tokens: null,
      // `error` of a failed job is not an error of the response.
      error: null,
      hyperparameters: { n_epochs: 'auto' },
      metadata: body['metadata'] ?? null,
    };
    this.jobs.push(job);
    return job;
  }

  moveJob(job: Row): void {
    const outcome = (job['metadata'] as Record<string, string> | null)?.['fate'];
    if (terminal.has(job['status'])) return;
    if (outcome === 'fails') {
      Object.assign(job, { status: 'failed', error: { code: 'bad_file', message: 'Line 1 is not a chat.', param: 'training_file' } });
      return;
    }
    job['status'] = this.#jobSteps[this.#jobSteps.indexOf(job['status'] as string) + 1];
    if (job['status'] === 'succeeded') Object.assign(job, { fine_tuned_model: 'ft:m-2025', finished_at: startOfTime + 90 });
  }

  cancelJob(job: Row): Row | { problem: Problem } {
    if (terminal.has(job['status'])) return problem(400, 'invalid_state', `Job has already ${String(job['status'])}.`);
    job['status'] = 'cancelled';
    return job;
  }

  /** Newest first. */
  events(job: Row): Row[] {
    return Array.from({ length: eventCount }, (_, i) => ({
      id: `ftevent-${eventCount - i}`,
      object: 'fine_tuning.job.event',
      created_at: startOfTime,
      level: i === 1 ? 'warn' : 'info',
      message: `${job.id} ${eventCount - i}`,
      type: 'message',
    }));
  }

  checkpoints(job: Row): Row[] {
    if (job['status'] !== 'succeeded') return [];
    return Array.from({ length: checkpointCount }, (_, i) => ({
      id: `ftckpt_${checkpointCount - i}`,
      object: 'fine_tuning.job.checkpoint',
      created_at: startOfTime,
      fine_tuned_model_checkpoint: `ft:m-2025:ckpt-step-${checkpointCount - i}`,
      step_number: checkpointCount - i,
      fine_tuning_job_id: job.id,
      metrics: { step: checkpointCount - i, train_loss: 0.5 },
    }));
  }
}

/** One page of a list. @param maxLimit the largest `limit`, if the service has one */
export function page(rows: readonly Row[], query: URLSearchParams, usual: number, maxLimit?: number): object | { problem: Problem } {
  const limitText = query.get('limit');
  const limit = limitText === null ? usual : Number(limitText);
  if (!Number.isInteger(limit)) return problem(400, 'invalid_type', "Invalid type for 'limit': expected an integer.", 'limit');
  if (maxLimit !== undefined && limit > maxLimit) {
    const message = `Invalid 'limit': integer above maximum value. Expected a value <= ${maxLimit}, but got ${limit} instead.`;
    return problem(400, 'integer_above_max_value', message, 'limit');
  }
  const after = query.get('after');
  const from = after === null ? 0 : rows.findIndex(({ id }) => id === after) + 1;
  const data = rows.slice(from, from + limit);
  return { object: 'list', data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: from + limit < rows.length };
}
