/** The calls of a client to one surface, and their expected results. The same for every client library. */

export interface Thrown {
  readonly status: number | null;
  readonly code: string | null;
  readonly param: string | null;
}

/** A provider as a client names it. */
export interface Surface {
  readonly name: string;
  readonly baseUrl: string;
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>;
  /** The model for audio and images, as the client names it. */
  readonly mediaModel: string;
  /** For the lines of a batch. */
  readonly lineModel: string;
}

export type Report = Readonly<Record<string, unknown>>;

export interface Client {
  readonly name: string;
  /** Reports by name of the surface. */
  run(surfaces: readonly Surface[]): Promise<Readonly<Record<string, Report>>>;
}

/** The statuses in which a batch or a job is cancelled, after this number of reads. */
export const polls = [0, 1, 2, 3] as const;

const conflict: Thrown = { status: 409, code: 'conflict', param: null };
const tooLong: Thrown = { status: 400, code: 'string_above_max_length', param: 'metadata' };

/** The usual results; a surface may override some of them. */
export const expected: Report = {
  batch_life: {
    statuses: ['validating', 'validating', 'in_progress', 'finalizing', 'completed'],
    endpoint: '/v1/chat/completions',
    times: [1_767_312_000, 1_767_312_060, 1_767_398_400],
    counts: [0, 1],
    metadata: { team: 'a' },
  },
  batch_cancel: [['cancelling'], ['cancelling'], ['cancelling'], { thrown: conflict }],
  batch_cancel_twice: ['cancelling', 'cancelling', 'cancelling', 'cancelled', { thrown: conflict }],
  batch_failed: ['failed', [3], { thrown: conflict }],
  batch_unknown: { thrown: { status: 404, code: 'batch_not_found', param: null } },
  batch_unknown_cancel: { thrown: { status: 404, code: 'batch_not_found', param: null } },
  batch_unknown_file: { thrown: { status: 404, code: 'not_found', param: 'input_file_id' } },
  batch_pages: { newest: true, each: true, keys: ['data', 'first_id', 'has_more', 'last_id', 'object'] },
  batch_limit: { thrown: { status: 400, code: 'integer_above_max_value', param: 'limit' } },
  batch_many_pairs: { thrown: { status: 400, code: 'object_above_max_properties', param: 'metadata' } },
  batch_long_key: { thrown: tooLong },
  batch_long_value: { thrown: { ...tooLong, param: 'metadata.k' } },
  output: ['{"custom_id":"r-1","response":{"status_code":200,"body":{"text":"ü"}}}\n', 'application/octet-stream', false],
  output_of_errors: ['{"custom_id":"r-1","error":{"code":"x","message":"ü"}}\n', 'application/octet-stream', true],
  output_too_early: { thrown: { status: 409, code: 'no_batch_output', param: 'batch_id' } },
  output_of_failed: { thrown: { status: 404, code: 'no_batch_output', param: 'batch_id' } },
  output_unknown: { thrown: { status: 404, code: 'batch_not_found', param: null } },
  job_life: {
    statuses: ['validating_files', 'validating_files', 'queued', 'running', 'succeeded'],
    model: ['m-2025', 'ft:m-2025'],
    organization: 'org-1',
    created: 1_767_312_000,
  },
  job_cancel: [['cancelled'], ['cancelled'], ['cancelled'], { thrown: { status: 400, code: 'invalid_state', param: null } }],
  job_failed: ['failed', 'bad_file'],
  job_unknown: { thrown: { status: 404, code: 'fine_tune_not_found', param: 'fine_tuning_job_id' } },
  job_metadata: { thrown: { ...tooLong, param: 'metadata.k' } },
  job_listed: true,
  events: [25, ['info', 'warn']],
  checkpoints_none: { data: [], first_id: null, has_more: false, last_id: null, object: 'list' },
  checkpoints_usual: [10, true, 'ftckpt_12', 'ftckpt_3'],
  checkpoints_all: [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
  no_virtual_key: [
    { thrown: { status: 400, code: 'missing_virtual_key', param: 'x-gateway-virtual-key' } },
    { thrown: { status: 400, code: 'missing_virtual_key', param: 'x-gateway-virtual-key' } },
  ],
  files: ['in.jsonl', 'batch', 'processed', true, true, [true, 'file'], { thrown: { status: 404, code: 'not_found', param: 'id' } }],
  file_batch: ['validating'],
  file_unknown_content: { thrown: { status: 404, code: 'not_found', param: 'id' } },
  file_purpose: { thrown: { status: 400, code: 'invalid_value', param: 'purpose' } },
};

const notFound = (param: string | null): { thrown: Thrown } => ({ thrown: { status: 404, code: 'notFound', param } });

/** Results that differ for Azure OpenAI. */
export const providerB: Report = {
  batch_unknown_file: notFound('input_file_id'),
  job_life: { ...(expected['job_life'] as object), statuses: ['queued', 'queued', 'queued', 'running', 'succeeded'] },
  job_unknown: notFound('fine_tuning_job_id'),
  file_unknown_content: notFound('id'),
  files: [...(expected['files'] as unknown[]).slice(0, -1), notFound('id')],
};

/** Audio and images. The last of each lists the events of the stream. */
export const media: Report = {
  speech: '//uQAMMoDQoAAQ==',
  speech_events: ['speech.audio.delta', 'speech.audio.done'],
  transcript: 'Grüße',
  transcript_text: 'Grüße\n',
  transcript_subtitles: '1\n00:00:00,000 --> 00:00:01,000\nGrüße\n',
  transcript_events: ['transcript.text.delta', 'transcript.text.done'],
  translation: 'Grüße',
  image_edit: '//uQAMMoDQoAAQ==',
  image_variation: '//uQAMMoDQoAAQ==',
};

/** Audio bytes for uploads. */
export const soundBytes = Buffer.from([0xff, 0xfb, 0x90, 0x00, 0xc3, 0x28, 0x0d, 0x0a, 0x00, 0x01]);
