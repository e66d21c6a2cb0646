import type { Endpoint } from '../../core/endpoint.ts';
import type { Call } from '../../core/provider.ts';
import type { Tap } from '../../core/tap.ts';
import { AudioTap, transcriptForm } from './audio-tap.ts';
import { ChatTap } from '../openai-chat/tap.ts';
import { ImageTap } from './image-tap.ts';
import { JsonTap, ListTap } from '../shared/response/json-tap.ts';
import { BytesTap, ObjectTap } from './object-tap.ts';
import { ResponsesTap } from '../openai-responses/tap.ts';

type TapFactory = (call: Call) => Tap;

const chat: TapFactory = () => new ChatTap();
const wholeJson: TapFactory = () => new JsonTap();
const image: TapFactory = () => new ImageTap();
const response: TapFactory = (call) => new ResponsesTap(call);
const storedResponse: TapFactory = (call) => new ResponsesTap(call, true);
const object: TapFactory = () => new ObjectTap();
const bytes: TapFactory = () => new BytesTap();
const transcript: TapFactory = (call) => new AudioTap(transcriptForm(call.form));

/** The endpoints of the OpenAI format, each with the tap for its responses. */
export const openaiTaps = {
  'chat/completions': chat,
  completions: chat,
  embeddings: wholeJson,
  'images/generations': image,
  'images/edits': image,
  'images/variations': image,
  'audio/speech': () => new AudioTap('bytes'),
  'audio/transcriptions': transcript,
  'audio/translations': transcript,
  moderations: wholeJson,
  responses: response,
  'responses/input_tokens': wholeJson,
  'responses/compact': response,
  'responses/{id}': storedResponse,
  'responses/{id}/cancel': storedResponse,
  'responses/{id}/input_items': wholeJson,
  models: () => new ListTap(),
  files: object,
  'files/list': object,
  'files/{id}': object,
  'files/{id}/content': bytes,
  'files/{id}/delete': object,
  batches: object,
  'batches/list': object,
  'batches/{id}': object,
  'batches/{id}/cancel': object,
  // Reads the batch, which is requested before its output file.
  'batches/{id}/output': object,
  'fine_tuning/jobs': object,
  'fine_tuning/jobs/list': object,
  'fine_tuning/jobs/{id}': object,
  'fine_tuning/jobs/{id}/cancel': object,
  'fine_tuning/jobs/{id}/events': object,
  'fine_tuning/jobs/{id}/checkpoints': object,
} as const satisfies { readonly [E in Endpoint]?: TapFactory };

/** An endpoint of services of this format. */
export type OpenAiEndpoint = keyof typeof openaiTaps;

export const openaiEndpoints = Object.keys(openaiTaps) as readonly OpenAiEndpoint[];
