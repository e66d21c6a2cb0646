import type { Endpoint } from '#core/endpoint.ts';
import type { JsonObject } from '#core/json/merge.ts';
import {
  checkFields,
  anyOf,
  type Fields,
  boolean,
  arrayOf,
  metadata,
  missing,
  required,
  number,
  object,
  oneOf,
  objectWith,
  text,
  integer,
} from './rules.ts';

const name = text(1);
const message = objectWith({
  role: required(oneOf('developer', 'system', 'user', 'assistant', 'tool', 'function')),
  content: anyOf(arrayOf(object), text()),
  tool_calls: arrayOf(object),
  name: text(),
});

/** A message of the messages API. */
const messagesApiMessage = objectWith({ role: required(oneOf('user', 'assistant')), content: required(anyOf(arrayOf(object), text())) });

const sampling: Fields = {
  temperature: number(0, 2),
  top_p: number(0, 1),
  n: integer(1, 128),
  max_tokens: integer(1),
  max_completion_tokens: integer(1),
  stop: anyOf(arrayOf(text(), 0, 4), text()),
  seed: integer(),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  response_format: object,
  tools: arrayOf(object),
  stream: boolean,
  stream_options: object,
  user: text(),
};

const input = required(anyOf(arrayOf(object, 1), text(1)));
const imageFields: Fields = {
  n: integer(1, 10),
  size: text(),
  quality: text(),
  response_format: oneOf('url', 'b64_json'),
  stream: boolean,
};
/** Token arrays. */
const tokens = arrayOf(integer(0), 1, 2048);

/**
 * Body rules by endpoint. The model is checked elsewhere, because a config may set it. Form fields are strings; numeric ones are
 * parsed first.
 */
const fieldsByEndpoint: { readonly [E in Endpoint]?: Fields } = {
  'chat/completions': { ...sampling, messages: required(arrayOf(message, 1)), metadata },
  completions: { ...sampling, prompt: anyOf(arrayOf(anyOf(tokens, text(), integer(0))), text()) },
  embeddings: {
    input: required(anyOf(arrayOf(anyOf(tokens, text(1)), 1, 2048), tokens, text(1))),
    encoding_format: oneOf('float', 'base64'),
    dimensions: integer(1, 4096),
    user: text(),
  },
  'images/embeddings': {
    input: required(arrayOf(objectWith({ image: required(name), text: text() }), 1)),
    dimensions: integer(0, 4096),
    encoding_format: text(),
  },
  'images/generations': { ...imageFields, prompt: required(name) },
  'images/edits': { ...imageFields, prompt: required(name) },
  'images/variations': imageFields,
  'audio/speech': {
    input: required(text(1, 4096)),
    voice: required(anyOf(object, name)),
    response_format: oneOf('mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'),
    speed: number(0.25, 4),
    stream_format: oneOf('audio', 'sse'),
  },
  'audio/transcriptions': {
    response_format: oneOf('json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'),
    temperature: number(0, 1),
    stream: boolean,
  },
  'audio/translations': { response_format: oneOf('json', 'text', 'srt', 'verbose_json', 'vtt'), temperature: number(0, 1) },
  moderations: { input: required(anyOf(arrayOf(anyOf(object, text()), 0, 2048), text())) },
  responses: { input, stream: boolean, instructions: anyOf(arrayOf(object), text()), metadata },
  'responses/input_tokens': { input, instructions: text() },
  'responses/compact': { input },
  messages: {
    max_tokens: required(integer(1)),
    messages: required(arrayOf(messagesApiMessage, 1)),
    system: anyOf(arrayOf(object), text()),
    temperature: number(0, 1),
    stream: boolean,
    tools: arrayOf(object),
    stop_sequences: arrayOf(text()),
  },
  'messages/count_tokens': { messages: required(arrayOf(messagesApiMessage, 1)), system: anyOf(arrayOf(object), text()) },
  files: { purpose: required(oneOf('assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals')) },
  batches: {
    input_file_id: required(name),
    endpoint: required(oneOf('/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/responses', '/v1/moderations')),
    completion_window: required(oneOf('24h')),
    metadata,
  },
  'fine_tuning/jobs': {
    training_file: required(name),
    validation_file: name,
    suffix: text(1, 64),
    seed: integer(0, 2_147_483_647),
    method: object,
    metadata,
  },
};

/** Endpoints that need no model, neither in the body nor in the config. */
const endpointsWithoutModel: ReadonlySet<Endpoint> = new Set<Endpoint>([
  'moderations',
  'files',
  'batches',
  'images/generations',
  'images/edits',
  'images/variations',
]);

const storedInputs = ['prompt', 'conversation', 'previous_response_id'] as const;

/**
 * Rejects bodies that the API would reject. A stored prompt or conversation has its own input.
 *
 * @throws Refusal
 */
export function checkBody(endpoint: Endpoint, body: JsonObject, model: string): void {
  const rules = fieldsByEndpoint[endpoint];
  if (rules === undefined) return;
  if (model === '' && !endpointsWithoutModel.has(endpoint)) throw missing('model');
  const isStored = endpoint === 'responses' && storedInputs.some((name) => (body[name] ?? null) !== null);
  checkFields(body, isStored ? { ...rules, input: anyOf(arrayOf(object), text()) } : rules);
}

/** Converts form fields to a body. Every value of a form is a string. */
export function bodyOfForm(form: ReadonlyMap<string, string>): JsonObject {
  const body = Object.fromEntries<unknown>(form);
  for (const key of ['n', 'temperature']) {
    const value = form.get(key) ?? '';
    if (value.trim() !== '' && !Number.isNaN(Number(value))) body[key] = Number(value);
  }
  const stream = form.get('stream');
  if (stream === 'true' || stream === 'false') body['stream'] = stream === 'true';
  return body;
}
