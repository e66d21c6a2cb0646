import type { Endpoint } from '#core/endpoint.ts';
import type { Plain } from '#core/json/merge.ts';
import {
  checkFields,
  either,
  type Fields,
  flag,
  list,
  metadata,
  missing,
  needed,
  number,
  object,
  one,
  shaped,
  text,
  whole,
} from './rules.ts';

const name = text(1);
const message = shaped({
  role: needed(one('developer', 'system', 'user', 'assistant', 'tool', 'function')),
  content: either(list(object), text()),
  tool_calls: list(object),
  name: text(),
});

/** A message of the messages API. */
const turn = shaped({ role: needed(one('user', 'assistant')), content: needed(either(list(object), text())) });

const sampling: Fields = {
  temperature: number(0, 2),
  top_p: number(0, 1),
  n: whole(1, 128),
  max_tokens: whole(1),
  max_completion_tokens: whole(1),
  stop: either(list(text(), 0, 4), text()),
  seed: whole(),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  response_format: object,
  tools: list(object),
  stream: flag,
  stream_options: object,
  user: text(),
};

const input = needed(either(list(object, 1), text(1)));
const picture: Fields = { n: whole(1, 10), size: text(), quality: text(), response_format: one('url', 'b64_json'), stream: flag };
/** Token arrays. */
const tokens = list(whole(0), 1, 2048);

/**
 * Body rules by endpoint. The model is checked elsewhere, because a config may set it. Form fields are strings; numeric ones are
 * parsed first.
 */
const fields: { readonly [E in Endpoint]?: Fields } = {
  'chat/completions': { ...sampling, messages: needed(list(message, 1)), metadata },
  completions: { ...sampling, prompt: either(list(either(tokens, text(), whole(0))), text()) },
  embeddings: {
    input: needed(either(list(either(tokens, text(1)), 1, 2048), tokens, text(1))),
    encoding_format: one('float', 'base64'),
    dimensions: whole(1, 4096),
    user: text(),
  },
  'images/embeddings': {
    input: needed(list(shaped({ image: needed(name), text: text() }), 1)),
    dimensions: whole(0, 4096),
    encoding_format: text(),
  },
  'images/generations': { ...picture, prompt: needed(name) },
  'images/edits': { ...picture, prompt: needed(name) },
  'images/variations': picture,
  'audio/speech': {
    input: needed(text(1, 4096)),
    voice: needed(either(object, name)),
    response_format: one('mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'),
    speed: number(0.25, 4),
    stream_format: one('audio', 'sse'),
  },
  'audio/transcriptions': {
    response_format: one('json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'),
    temperature: number(0, 1),
    stream: flag,
  },
  'audio/translations': { response_format: one('json', 'text', 'srt', 'verbose_json', 'vtt'), temperature: number(0, 1) },
  moderations: { input: needed(either(list(either(object, text())), text())) },
  responses: { input, stream: flag, instructions: either(list(object), text()), metadata },
  'responses/input_tokens': { input, instructions: text() },
  'responses/compact': { input },
  messages: {
    max_tokens: needed(whole(1)),
    messages: needed(list(turn, 1)),
    system: either(list(object), text()),
    temperature: number(0, 1),
    stream: flag,
    tools: list(object),
    stop_sequences: list(text()),
  },
  'messages/count_tokens': { messages: needed(list(turn, 1)), system: either(list(object), text()) },
  files: { purpose: needed(one('assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals')) },
  batches: {
    input_file_id: needed(name),
    endpoint: needed(one('/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/responses', '/v1/moderations')),
    completion_window: needed(one('24h')),
    metadata,
  },
  'fine_tuning/jobs': {
    training_file: needed(name),
    validation_file: name,
    suffix: text(1, 64),
    seed: whole(0, 2_147_483_647),
    method: object,
    metadata,
  },
};

/** Endpoints that need no model, neither in the body nor in the config. */
const withoutModel: ReadonlySet<Endpoint> = new Set<Endpoint>([
  'moderations',
  'files',
  'batches',
  'images/generations',
  'images/edits',
  'images/variations',
]);

const stored = ['prompt', 'conversation', 'previous_response_id'] as const;

/**
 * Rejects bodies that the API would reject. A stored prompt or conversation has its own input.
 *
 * @throws Refusal
 */
export function checkBody(endpoint: Endpoint, body: Plain, model: string): void {
  const rules = fields[endpoint];
  if (rules === undefined) return;
  if (model === '' && !withoutModel.has(endpoint)) throw missing('model');
  const isStored = endpoint === 'responses' && stored.some((name) => (body[name] ?? null) !== null);
  checkFields(body, isStored ? { ...rules, input: either(list(object), text()) } : rules);
}

/** Converts form fields to a body. Every value of a form is a string. */
export function bodyOfForm(form: ReadonlyMap<string, string>): Plain {
  const body = Object.fromEntries<unknown>(form);
  for (const key of ['n', 'temperature']) {
    const value = form.get(key) ?? '';
    if (value.trim() !== '' && !Number.isNaN(Number(value))) body[key] = Number(value);
  }
  const stream = form.get('stream');
  if (stream === 'true' || stream === 'false') body['stream'] = stream === 'true';
  return body;
}
