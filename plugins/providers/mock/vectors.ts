import { isJsonObject } from '#core/json/merge.ts';
import { checkVectorCount } from './limits.ts';
import { type MockContent, type MockRequest, tokensIn } from './mock-response.ts';
import { modelNames } from './settings.ts';

/** Vector length if the request sets none. */
const defaultDimensions = 16;

/** Embeddings: the same text always gives the same unit vector; `base64` is little-endian float32. */
export function embeddings(request: MockRequest): MockContent {
  const { body, call } = request;
  const inputs = inputsOf(body['input']);
  const dimensions = body['dimensions'];
  const size = typeof dimensions === 'number' && dimensions >= 1 ? Math.min(Math.floor(dimensions), 4096) : defaultDimensions;
  checkVectorCount(inputs.length, size);
  const data = inputs.map((input, index) => {
    const vector = vectorOf(input, size);
    return { object: 'embedding', index, embedding: body['encoding_format'] === 'base64' ? toBase64(vector) : vector };
  });
  const tokens = tokensIn(inputs.join(''));
  return { json: { object: 'list', data, model: call.model, usage: { prompt_tokens: tokens, total_tokens: tokens } } };
}

/** Image embeddings: computed from the text of the image's URL. */
export function imageEmbeddings(request: MockRequest): MockContent {
  const rows: readonly unknown[] = Array.isArray(request.body['input']) ? request.body['input'] : [];
  const input = rows.map((row) => (isJsonObject(row) ? `${String(row['image'] ?? '')} ${String(row['text'] ?? '')}` : ''));
  return embeddings({ ...request, body: { ...request.body, input } });
}

/** Client libraries require all of them. */
const moderationCategories = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/instructions',
  'self-harm/intent',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
];

/** Moderations: nothing is ever flagged. */
export function moderations({ body, call }: MockRequest): MockContent {
  const perCategory = <T>(value: T): Record<string, T> => Object.fromEntries(moderationCategories.map((name) => [name, value]));
  const results = inputsOf(body['input']).map(() => ({
    flagged: false,
    categories: perCategory(false),
    category_scores: perCategory(0),
    category_applied_input_types: perCategory(['text']),
  }));
  return { json: { id: `modr-${call.id}`, model: call.model, results } };
}

/** Lists the mock's models. */
export const models = ({ call }: MockRequest): MockContent => ({
  json: {
    object: 'list',
    data: modelNames(call.settings).map((id) => ({ id, object: 'model', created: call.createdAt, owned_by: 'mock' })),
  },
});

/** Returns one text per input: a string, strings, one token array, or several. */
function inputsOf(input: unknown): readonly string[] {
  if (!Array.isArray(input)) return [String(input ?? '')];
  return typeof input[0] === 'number'
    ? [input.join(' ')]
    : input.map((one: unknown) => (typeof one === 'string' ? one : JSON.stringify(one)));
}

/** Numbers from a 32-bit linear congruential generator seeded with the text's FNV-1a hash, scaled to length one. */
function vectorOf(text: string, size: number): number[] {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  const raw = Array.from({ length: size }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 0x80000000;
  });
  const length = Math.hypot(...raw) || 1;
  return raw.map((value) => Math.fround(value / length));
}

const toBase64 = (vector: readonly number[]): string => Buffer.from(Float32Array.from(vector).buffer).toString('base64');
