import type { Endpoint } from '#core/endpoint.ts';
import type { Plain } from '#core/json/merge.ts';
import { either, type Fields, flag, list, metadata, needed, number, object, one, shaped, text, whole } from './problems.ts';

const name = text(1);
const message = shaped({
  role: needed(one('developer', 'system', 'user', 'assistant', 'tool', 'function')),
  content: either(list(object), text()),
  tool_calls: list(object),
  name: text(),
});

/** A turn of the messages API. */
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
/** Vectors of tokens. */
const tokens = list(whole(0), 1, 2048);

/**
 * What the bodies must hold, by endpoint. The model is looked for elsewhere: a config may name it. Fields of forms are
 * texts; what has to be a number is read as one first.
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

/** The rules for one body: a stored prompt or conversation has its own input. */
export function fieldsFor(endpoint: Endpoint, body: Plain): Fields | undefined {
  const rules = fields[endpoint];
  const isStored = endpoint === 'responses' && ['prompt', 'conversation', 'previous_response_id'].some((name) => isPresent(body[name]));
  return isStored ? { ...rules, input: either(list(object), text()) } : rules;
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** Endpoints whose body has to name a model, in itself or by the config. */
export const needsModel: ReadonlySet<Endpoint> = new Set<Endpoint>([
  'chat/completions',
  'completions',
  'embeddings',
  'images/embeddings',
  'images/generations',
  'images/edits',
  'images/variations',
  'audio/speech',
  'audio/transcriptions',
  'audio/translations',
  'responses',
  'responses/input_tokens',
  'responses/compact',
  'messages',
  'messages/count_tokens',
  'fine_tuning/jobs',
]);

/** Fields of a form that are numbers or truth values; every value of a form is a text. */
const read: Readonly<Record<string, (value: string) => unknown>> = {
  n: asNumber,
  temperature: asNumber,
  stream: (value) => (value === 'true' ? true : value === 'false' ? false : value),
};

/** The fields of a form as a body would hold them. */
export function bodyOfForm(form: ReadonlyMap<string, string>): Readonly<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const [key, value] of form) {
    if (key === '__proto__') continue;
    const reader = Object.hasOwn(read, key) ? read[key] : undefined;
    body[key] = reader === undefined ? value : reader(value);
  }
  return body;
}

function asNumber(value: string): unknown {
  return value.trim() === '' || Number.isNaN(Number(value)) ? value : Number(value);
}
