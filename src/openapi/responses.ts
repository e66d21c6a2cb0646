import type { Endpoint } from '../core/endpoint.ts';
import { anyObject, anyOf, object, ref, text } from './schema.ts';
import type { JsonSchema } from '../core/json/schema.ts';

/** Content of a successful response by media type. `undefined` means bytes that JSON Schema cannot describe. */
export type ResponseContent = Readonly<Record<string, JsonSchema | undefined>>;

const json = (schema: string): ResponseContent => ({ 'application/json': ref(schema) });
/** One event of a stream. */
const event = object({}, { event: text, data: text });
/** Streamed if the request asks for it. */
const streamed = (schema: string): ResponseContent => ({ 'application/json': ref(schema), 'text/event-stream': event });
const audio: ResponseContent = Object.fromEntries(
  ['mpeg', 'opus', 'aac', 'flac', 'wav', 'pcm'].map((kind) => [`audio/${kind}`, undefined]),
);
const transcriptContent: ResponseContent = {
  ...streamed('Transcription'),
  'text/plain': text,
  'text/vtt': text,
  'application/x-subrip': text,
};

/** Content of each endpoint's 200 response. */
export const responseContents: Readonly<Record<Exclude<Endpoint, 'relay' | 'realtime'>, ResponseContent>> = {
  'chat/completions': streamed('ChatCompletion'),
  completions: streamed('Completion'),
  embeddings: json('Embeddings'),
  'images/embeddings': json('Embeddings'),
  'images/generations': streamed('Images'),
  'images/edits': streamed('Images'),
  'images/variations': json('Images'),
  'audio/speech': { ...audio, 'text/event-stream': event },
  'audio/transcriptions': transcriptContent,
  'audio/translations': transcriptContent,
  moderations: json('Moderation'),
  responses: streamed('Response'),
  'responses/input_tokens': json('InputTokens'),
  'responses/compact': { 'application/json': anyObject },
  'responses/{id}': { 'application/json': anyOf(ref('Response'), ref('DeletedResponse')), 'text/event-stream': event },
  'responses/{id}/cancel': json('Response'),
  'responses/{id}/input_items': { 'application/json': anyObject },
  messages: streamed('NativeAnswer'),
  'messages/count_tokens': json('InputTokens'),
  models: json('Models'),
  'models/{id}': json('Model'),
  'models/{id}/delete': json('Deleted'),
  files: json('File'),
  'files/list': json('Files'),
  'files/{id}': json('File'),
  'files/{id}/content': { 'application/octet-stream': undefined, 'application/jsonl': undefined, 'text/plain': undefined },
  'files/{id}/delete': json('Deleted'),
  batches: json('Batch'),
  'batches/list': json('Batches'),
  'batches/{id}': json('Batch'),
  'batches/{id}/cancel': json('Batch'),
  'batches/{id}/output': { 'application/jsonl': undefined, 'application/octet-stream': undefined, 'text/plain': undefined },
  'fine_tuning/jobs': json('Job'),
  'fine_tuning/jobs/list': json('Jobs'),
  'fine_tuning/jobs/{id}': json('Job'),
  'fine_tuning/jobs/{id}/cancel': json('Job'),
  'fine_tuning/jobs/{id}/events': json('JobEvents'),
  'fine_tuning/jobs/{id}/checkpoints': json('Checkpoints'),
  'prompts/{id}/completions': streamed('ChatCompletion'),
  'prompts/{id}/render': json('RenderedPrompt'),
  feedback: json('SavedFeedback'),
  'feedback/{id}': json('SavedFeedback'),
};
