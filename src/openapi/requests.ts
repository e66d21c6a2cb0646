import type { Endpoint } from '../core/endpoint.ts';
import type { JsonSchema } from '../core/json/schema.ts';
import {
  anyObject,
  count,
  anyOf,
  file,
  flag,
  list,
  name,
  number,
  object,
  enumOf,
  nullable,
  ref,
  nonEmptyList,
  text,
  integer,
} from './schema.ts';

const metadata: JsonSchema = {
  type: 'object',
  maxProperties: 16,
  propertyNames: { maxLength: 64 },
  additionalProperties: { type: 'string', maxLength: 512 },
};

/** Chat fields that a call and a stored prompt share. */
const sampling: Readonly<Record<string, JsonSchema>> = {
  temperature: number,
  top_p: number,
  n: { type: 'integer', minimum: 1, maximum: 128 },
  max_tokens: { type: 'integer', minimum: 1 },
  max_completion_tokens: { type: 'integer', minimum: 1 },
  stop: anyOf(text, { type: 'array', items: text, maxItems: 4 }),
  seed: integer,
  presence_penalty: number,
  frequency_penalty: number,
  response_format: object({ type: enumOf('text', 'json_object', 'json_schema') }),
  tools: list(object({ type: name })),
  tool_choice: anyOf(text, anyObject),
  stream: flag,
  stream_options: object({}, { include_usage: flag }),
  user: text,
};

const image = {
  n: { type: 'integer', minimum: 1, maximum: 10 },
  size: text,
  response_format: enumOf('url', 'b64_json'),
  user: text,
} as const;
const speech = { model: name, file } as const;

/** Texts, or the same as tokens. */
const texts: readonly JsonSchema[] = [text, list(text), nonEmptyList(integer), nonEmptyList(nonEmptyList(integer))];

const edit = { ...image, quality: text, stream: flag } as const;
const imageReference = anyOf(name, object({}, { image_url: anyOf(name, object({ url: name })), file_id: name }));

const promptCall = object({}, { variables: anyObject, model: name, ...sampling });

/** Requires at least one of two image fields. */
const withImages = (schema: JsonSchema, ...fields: readonly [string, string]): JsonSchema => ({
  ...schema,
  anyOf: fields.map((field) => ({ required: [field] })),
});

/** Body of each endpoint. Fields that are not listed are passed to the provider. */
export const requestSchemas: { readonly [E in Endpoint]?: JsonSchema } = {
  'chat/completions': object({ model: name, messages: nonEmptyList(ref('Message')) }, { ...sampling, metadata }),
  completions: object({ model: name, prompt: anyOf(...texts) }, { max_tokens: count, temperature: number, stream: flag }),
  embeddings: object(
    { model: name, input: anyOf(name, nonEmptyList(name), nonEmptyList(integer), nonEmptyList(nonEmptyList(integer))) },
    { encoding_format: enumOf('float', 'base64'), dimensions: { type: 'integer', minimum: 1, maximum: 4096 }, user: text },
  ),
  'images/embeddings': object({ model: name, input: nonEmptyList(object({ image: name }, { text })) }, { dimensions: count }),
  'images/generations': object({ model: name, prompt: name }, { ...image, quality: text, style: text, stream: flag }),
  'images/edits': withImages(
    object({ model: name, prompt: name }, { ...edit, image: file, 'image[]': nonEmptyList(file), mask: file }),
    'image',
    'image[]',
  ),
  'images/variations': object({ model: name, image: file }, image),
  'audio/speech': object(
    { model: name, input: { type: 'string', minLength: 1, maxLength: 4096 }, voice: anyOf(name, object({ id: name })) },
    {
      response_format: enumOf('mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'),
      speed: { type: 'number', minimum: 0.25, maximum: 4 },
      stream_format: enumOf('audio', 'sse'),
    },
  ),
  'audio/transcriptions': object(speech, {
    language: text,
    prompt: text,
    response_format: enumOf('json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'),
    temperature: number,
    stream: flag,
  }),
  'audio/translations': object(speech, { prompt: text, response_format: enumOf('json', 'text', 'srt', 'verbose_json', 'vtt') }),
  moderations: object({ input: anyOf(text, list(text), list(object({ type: name }))) }, { model: name }),
  responses: object(
    { model: name, input: anyOf(name, nonEmptyList(anyObject)) },
    { instructions: nullable(text), stream: flag, store: flag },
  ),
  'responses/input_tokens': object({ model: name, input: anyOf(name, nonEmptyList(anyObject)) }),
  'responses/compact': object({ model: name, input: anyOf(name, nonEmptyList(anyObject)) }),
  messages: object(
    { model: name, max_tokens: { type: 'integer', minimum: 1 }, messages: nonEmptyList(ref('NativeMessage')) },
    { system: anyOf(text, list(anyObject)), temperature: number, stream: flag, tools: list(anyObject) },
  ),
  'messages/count_tokens': object({ model: name, messages: nonEmptyList(ref('NativeMessage')) }, { system: anyOf(text, list(anyObject)) }),
  files: object(
    { file, purpose: enumOf('assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals') },
    { 'expires_after[anchor]': text, 'expires_after[seconds]': text },
  ),
  batches: object(
    {
      input_file_id: name,
      endpoint: enumOf('/v1/chat/completions', '/v1/completions', '/v1/embeddings', '/v1/responses', '/v1/moderations'),
      completion_window: enumOf('24h'),
    },
    { metadata },
  ),
  'fine_tuning/jobs': object(
    { model: name, training_file: name },
    {
      validation_file: nullable(name),
      suffix: nullable({ type: 'string', minLength: 1, maxLength: 64 }),
      seed: integer,
      method: anyObject,
      metadata,
    },
  ),
  'prompts/{id}/completions': promptCall,
  'prompts/{id}/render': promptCall,
  feedback: object({ trace_id: name, value: number }, { weight: number, metadata: anyObject }),
  'feedback/{id}': object({ value: number }, { weight: number, metadata: anyObject }),
};

/** JSON bodies of endpoints that accept both a form and JSON. */
export const jsonAlternatives: { readonly [E in Endpoint]?: JsonSchema } = {
  'images/edits': withImages(
    object(
      { model: name, prompt: name },
      { ...edit, image: anyOf(imageReference, nonEmptyList(imageReference)), images: nonEmptyList(imageReference), mask: imageReference },
    ),
    'image',
    'images',
  ),
};
