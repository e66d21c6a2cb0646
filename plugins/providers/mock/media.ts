import { type MockContent, countOf, piecesOf, type MockRequest, tokensIn } from './mock-response.ts';
import { missing, Refusal } from './rules.ts';
import { sounds } from './sounds.ts';

/** A grey image of one pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==';

/** Images from a prompt, as one response or a stream. */
export const images = (request: MockRequest): MockContent => imageResponse(request, 'image_generation');

/** Images from images, sent in a form or referenced in a JSON body. */
export const edits = (request: MockRequest): MockContent => imageResponse(withRequiredImage(request), 'image_edit');

/** Variations: never streamed. */
export const variations = (request: MockRequest): MockContent => imageList(withRequiredImage(request));

function withRequiredImage(request: MockRequest): MockRequest {
  const { body, call } = request;
  const given = call.form === undefined ? body['images'] : call.form.file;
  const hasImage = call.form === undefined ? Array.isArray(given) && given.length > 0 : given !== undefined;
  if (!hasImage) throw missing('image');
  return request;
}

function imageResponse(request: MockRequest, kind: 'image_generation' | 'image_edit'): MockContent {
  const { body, call } = request;
  if (body['stream'] !== true) return imageList(request);
  const shared = { b64_json: png, created_at: call.createdAt, size: '1x1', quality: 'low', background: 'opaque', output_format: 'png' };
  return {
    events: [
      { type: `${kind}.partial_image`, partial_image_index: 0, ...shared },
      { type: `${kind}.completed`, ...shared, usage: usageOf(request) },
    ],
  };
}

function imageList(request: MockRequest): MockContent {
  const { body, call } = request;
  const image = body['response_format'] === 'url' ? { url: `data:image/png;base64,${png}` } : { b64_json: png };
  return { json: { created: call.createdAt, data: Array.from({ length: countOf(request, 10) }, () => image), usage: usageOf(request) } };
}

function usageOf({ body }: MockRequest) {
  const input = tokensIn(String(body['prompt'] ?? ''));
  const details = { text_tokens: input, image_tokens: 0 };
  return { input_tokens: input, output_tokens: 1, total_tokens: input + 1, input_tokens_details: details };
}

/** `POST /audio/speech`: a short sound, as one response or in events. */
export function speech({ body }: MockRequest): MockContent {
  const format = typeof body['response_format'] === 'string' ? body['response_format'] : 'mp3';
  const sound = sounds[format];
  if (sound === undefined) throw new Refusal('unsupported_value', 'response_format', `The mock supports mp3, wav and pcm, not ${format}.`);
  const bytes = sound.bytes();
  if (body['stream_format'] !== 'sse') return { bytes, type: sound.type };
  const half = Math.ceil(bytes.length / 2);
  const inputTokens = tokensIn(String(body['input'] ?? ''));
  return {
    events: [
      ...[bytes.subarray(0, half), bytes.subarray(half)].map((part) => ({ type: 'speech.audio.delta', audio: part.toString('base64') })),
      { type: 'speech.audio.done', usage: { input_tokens: inputTokens, output_tokens: 4, total_tokens: inputTokens + 4 } },
    ],
  };
}

/** `POST /audio/transcriptions` and `/audio/translations`: the configured text in the requested format. */
export function transcript({ body, call, reply }: MockRequest): MockContent {
  if (call.form?.file === undefined) throw missing('file');
  // Default transcript, independent of the file's content.
  const text = reply.text ?? 'Hello from the mock.';
  const task = call.endpoint === 'audio/translations' ? 'translate' : 'transcribe';
  const usage = { type: 'tokens', input_tokens: 10, output_tokens: tokensIn(text), total_tokens: 10 + tokensIn(text) };
  if (task === 'transcribe' && body['stream'] === true) {
    const deltas = piecesOf(text, reply).map((delta) => ({ type: 'transcript.text.delta', delta }));
    return { events: [...deltas, { type: 'transcript.text.done', text, usage }] };
  }
  const plain = (bytes: string): MockContent => ({ bytes, type: 'text/plain; charset=utf-8' });
  const timed = { task, duration: 1, text, usage: { type: 'duration', seconds: 1 } };
  switch (body['response_format']) {
    case 'text':
      return plain(`${text}\n`);
    case 'srt':
      return plain(`1\n00:00:00,000 --> 00:00:01,000\n${text}\n\n`);
    case 'vtt':
      return plain(`WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n${text}\n\n`);
    case 'verbose_json':
      return { json: { ...timed, language: 'english', segments: [{ ...segment, text }] } };
    case 'diarized_json':
      return { json: { ...timed, segments: [{ type: 'transcript.text.segment', id: 'seg_0', start: 0, end: 1, text, speaker: 'A' }] } };
    default:
      return { json: task === 'translate' ? { text } : { text, usage } };
  }
}

const segment = {
  id: 0,
  seek: 0,
  start: 0,
  end: 1,
  tokens: [],
  temperature: 0,
  avg_logprob: 0,
  compression_ratio: 1,
  no_speech_prob: 0,
};
