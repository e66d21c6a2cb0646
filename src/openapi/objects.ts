import type { JsonSchema } from '../core/json/schema.ts';
import { anyObject, count, anyOf, flag, list, name, number, object, enumOf, nullable, ref, seconds, text, integer } from './schema.ts';

const constant = (value: string): JsonSchema => ({ const: value });
const row = (rows: string): JsonSchema => ref(rows);
const page = (rows: string): JsonSchema => object({ object: constant('list'), data: list(row(rows)) }, { has_more: flag });
/** A page with the ids of its first and last row. */
const cursorPage = (rows: string): JsonSchema =>
  object({
    object: constant('list'),
    data: list(row(rows)),
    has_more: flag,
    first_id: nullable(text),
    last_id: nullable(text),
  });

const usage = object({ prompt_tokens: count, completion_tokens: count, total_tokens: count });
/** Content of a chat message in a request. */
const parts = anyOf(text, list(ref('Part')));
const content = anyOf(text, { type: 'null' }, list(object({ type: name })));

/** Named schemas of the API description. */
export const schemas: Readonly<Record<string, JsonSchema>> = {
  Message: {
    oneOf: [
      object({ role: enumOf('system', 'developer', 'user'), content: parts }, { name: text }),
      object({ role: enumOf('assistant') }, { content: anyOf(parts, { type: 'null' }), tool_calls: list(anyObject) }),
      object({ role: enumOf('tool'), content: parts, tool_call_id: name }),
    ],
  },
  Part: anyOf(
    object({ type: constant('text'), text }),
    object({ type: constant('image_url'), image_url: object({ url: name }, { detail: text }) }),
    object({ type: constant('input_audio'), input_audio: object({ data: text, format: text }) }),
    object({ type: constant('file'), file: object({}, { file_id: text, file_data: text, filename: text }) }),
    object({ type: constant('refusal'), refusal: text }),
  ),
  NativeMessage: object({ role: enumOf('user', 'assistant'), content: anyOf(name, list(ref('NativeBlock'))) }),
  NativeBlock: anyOf(
    object({ type: constant('text'), text: name }),
    object({ type: enumOf('image', 'document'), source: object({ type: name }) }),
    object({ type: constant('tool_use'), id: name, name, input: anyObject }),
    object({ type: constant('tool_result'), tool_use_id: name }, { content: anyOf(text, list(object({ type: name }))) }),
    object({ type: constant('thinking'), thinking: text, signature: text }),
    object({ type: constant('redacted_thinking'), data: text }),
  ),
  ChatCompletion: object(
    {
      id: text,
      object: constant('chat.completion'),
      created: seconds,
      model: text,
      choices: list(
        object(
          { index: count, message: object({ role: constant('assistant'), content }), finish_reason: nullable(text) },
          { logprobs: {} },
        ),
      ),
    },
    { usage: nullable(usage) },
  ),
  Completion: object({ id: text, object: constant('text_completion'), created: seconds, model: text, choices: list(object({ text })) }),
  Embeddings: object({
    object: constant('list'),
    data: list(object({ object: constant('embedding'), index: count, embedding: anyOf(list(number), text) })),
    model: text,
  }),
  Images: object({ created: seconds, data: list(object({}, { b64_json: text, url: text, revised_prompt: text })) }),
  Transcription: object({ text }),
  Moderation: object({
    id: text,
    model: text,
    results: list(object({ flagged: flag, categories: anyObject, category_scores: anyObject })),
  }),
  Response: object({ id: text, object: constant('response'), status: text, output: list(anyObject) }, { created_at: seconds, model: text }),
  DeletedResponse: object({ id: text, deleted: flag }),
  InputTokens: object({ input_tokens: count }),
  NativeAnswer: object({ id: text, type: constant('message'), role: constant('assistant'), content: list(anyObject), model: text }),
  Model: object({ id: text, object: constant('model'), owned_by: text }, { created: seconds }),
  Models: page('Model'),
  File: object(
    { id: text, object: constant('file'), bytes: count, created_at: seconds, filename: text, purpose: text },
    { status: text, expires_at: nullable(seconds) },
  ),
  Files: page('File'),
  Deleted: object({ id: text, deleted: flag }),
  Batch: object(
    {
      id: text,
      object: constant('batch'),
      endpoint: text,
      input_file_id: nullable(text),
      completion_window: text,
      status: enumOf('validating', 'failed', 'in_progress', 'finalizing', 'completed', 'expired', 'cancelling', 'cancelled'),
      created_at: seconds,
    },
    {
      errors: nullable(anyObject),
      output_file_id: nullable(text),
      error_file_id: nullable(text),
      request_counts: object({ total: count, completed: count, failed: count }),
      metadata: nullable(anyObject),
      ...Object.fromEntries(
        ['in_progress', 'expires', 'finalizing', 'completed', 'failed', 'expired', 'cancelling', 'cancelled'].map((moment) => [
          `${moment}_at`,
          nullable(seconds),
        ]),
      ),
    },
  ),
  Batches: cursorPage('Batch'),
  Job: object(
    {
      id: text,
      object: constant('fine_tuning.job'),
      created_at: seconds,
      model: text,
      status: enumOf('validating_files', 'queued', 'running', 'succeeded', 'failed', 'cancelled', 'paused', 'pausing', 'resuming'),
    },
    { fine_tuned_model: nullable(text), training_file: nullable(text), finished_at: nullable(seconds), error: {} },
  ),
  Jobs: page('Job'),
  JobEvent: object({ object: constant('fine_tuning.job.event'), id: text, created_at: seconds, level: text, message: text }),
  JobEvents: page('JobEvent'),
  Checkpoint: object({
    id: text,
    object: constant('fine_tuning.job.checkpoint'),
    created_at: seconds,
    fine_tuned_model_checkpoint: text,
    step_number: integer,
    fine_tuning_job_id: text,
    metrics: anyObject,
  }),
  Checkpoints: cursorPage('Checkpoint'),
  SavedFeedback: object({ status: text, message: text, feedback_ids: list(text), feedback_id: list(text) }),
  RenderedPrompt: object({ success: flag, data: object({ messages: list(anyObject) }) }),
  Error: object(
    { error: object({ message: text, type: nullable(text), code: {}, param: {} }) },
    { status: constant('failure'), message: text, provider: text },
  ),
  NativeError: object({ type: constant('error'), error: object({ type: text, message: text }) }),
};
