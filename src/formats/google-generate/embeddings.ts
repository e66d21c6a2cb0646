import type { ProviderFault } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { openaiUsage } from '../../core/model/openai-usage.ts';
import type { Dropped } from '../../core/provider.ts';
import type { Usage } from '../../core/model/usage.ts';
import { objectOf, objectsIn, parseObject, textOf } from '../shared/json.ts';
import { missingParameter, unsupportedParameter } from '../shared/request/parameter-errors.ts';
import { multimodalInput } from './multimodal-input.ts';
import { type FileRules, oneOf } from './request/conversion.ts';
import { Drops } from '../shared/request/drops.ts';
import { googleFaultInBand } from '../shared/google-status.ts';
import { JsonTap } from '../shared/response/json-tap.ts';
import { checkVectors, encodeFloats } from '../shared/response/vectors.ts';
import { errorIn } from './fault.ts';

/** The method of the service that creates a model's vectors. */
export type EmbeddingMethod = 'predict' | 'embedContent' | 'batchEmbedContents';

/** An embeddings request in the service's form. */
export interface EmbeddingRequest {
  readonly method: EmbeddingMethod;
  readonly body: JsonObject;
  readonly dropped: readonly Dropped[];
}

const readFields: ReadonlySet<string> = new Set([
  'model',
  'input',
  'dimensions',
  'encoding_format',
  'task_type',
  'taskType',
  'title',
  'auto_truncate',
  'autoTruncate',
]);

/** Fields that are sent only if they have the type that the service expects. */
const fieldTypes = [
  ['dimensions', 'number'],
  ['task_type', 'string'],
  ['taskType', 'string'],
  ['title', 'string'],
  ['auto_truncate', 'boolean'],
  ['autoTruncate', 'boolean'],
] as const;

/** Returns the inputs of a request: texts, or objects with text, image and video for models that support them. @throws GatewayError */
function inputsOf(body: JsonObject): readonly (string | JsonObject)[] {
  const { input } = body;
  const list: readonly unknown[] = Array.isArray(input) ? (input as unknown[]) : [input];
  if (list.length === 0 || input === undefined || input === null) throw missingParameter('input');
  return list.map((one, index) => {
    if (typeof one === 'string') return one;
    if (isJsonObject(one)) return one;
    throw unsupportedParameter(`input[${index}]`, 'Tokens cannot be sent to this provider.', 'Send the text itself.');
  });
}

/** Builds a Vertex AI request: `:predict` for older models, `:embedContent` or the batch method for newer ones. @throws GatewayError */
export function toVertexEmbedding(body: JsonObject, model: string, files?: FileRules): EmbeddingRequest {
  const inputs = inputsOf(body);
  const drops = dropsOf(body);
  if (usesEmbedContent(model)) return { ...contentRequest(inputs, body, drops), dropped: drops.list };
  const isMultimodal = model.startsWith('multimodalembedding');
  if (isMultimodal) for (const name of textFields) dropIfSet(body, name, drops, 'not known to this model');
  const task = textOf(oneOf(body, ['task_type', 'taskType']));
  const title = textOf(body['title']);
  const textSettings = { ...(task === undefined ? {} : { task_type: task }), ...(title === undefined ? {} : { title }) };
  const instances = inputs.map((one, index) => {
    if (!isMultimodal) return { content: plainText(one, index, drops), ...textSettings };
    return typeof one === 'string' ? { text: one } : multimodalInput(one, `input[${index}]`, drops, files);
  });
  const parameters = { ...dimensions(body, isMultimodal ? 'dimension' : 'outputDimensionality'), ...truncation(body) };
  return { method: 'predict', body: { instances, ...(Object.keys(parameters).length === 0 ? {} : { parameters }) }, dropped: drops.list };
}

/** Builds a request for the API-key endpoint: always the batch method, whose requests repeat the model. @throws GatewayError */
export function toDeveloperEmbedding(body: JsonObject, model: string): EmbeddingRequest {
  const task = textOf(oneOf(body, ['task_type', 'taskType']));
  const title = textOf(body['title']);
  const drops = dropsOf(body);
  for (const name of ['auto_truncate', 'autoTruncate']) dropIfSet(body, name, drops);
  const requests = inputsOf(body).map((one, index) => ({
    model: `models/${model}`,
    content: textContent(one, index, drops),
    ...dimensions(body, 'outputDimensionality'),
    ...(task === undefined ? {} : { taskType: task }),
    ...(title === undefined ? {} : { title }),
  }));
  return { method: 'batchEmbedContents', body: { requests }, dropped: drops.list };
}

/** Converts one input to a content. @throws GatewayError for an input without text */
const textContent = (input: string | JsonObject, index: number, drops: Drops): JsonObject => ({
  parts: [{ text: plainText(input, index, drops) }],
});

/** Returns the text of one input. @throws GatewayError for an input without text */
function plainText(input: string | JsonObject, index: number, drops: Drops): string {
  if (typeof input === 'string') return input;
  const text = textOf(input['text']);
  if (text === undefined)
    throw unsupportedParameter(`input[${index}]`, 'Only texts can be sent to this model.', 'Send a text, or an object with one.');
  drops.addUnread(input, textOnly, 'input[].', 'only texts can be sent to this model');
  return text;
}

const textOnly: ReadonlySet<string> = new Set(['text']);

/** Fields that describe the texts of a request. */
const textFields = ['task_type', 'taskType', 'title'] as const;

/** True for `gemini-embedding-2` and later. */
const usesEmbedContent = (model: string): boolean => /^gemini-embedding-(?:[2-9]|[1-9]\d)(?!\d)/.test(model);

function contentRequest(
  inputs: readonly (string | JsonObject)[],
  body: JsonObject,
  drops: Drops,
): { method: EmbeddingMethod; body: JsonObject } {
  const task = textOf(oneOf(body, ['task_type', 'taskType']));
  const title = textOf(body['title']);
  const config = {
    ...dimensions(body, 'outputDimensionality'),
    ...(task === undefined ? {} : { taskType: task }),
    ...(title === undefined ? {} : { title }),
    ...truncation(body),
  };
  const requests = inputs.map((one, index) => ({
    content: textContent(one, index, drops),
    ...(Object.keys(config).length === 0 ? {} : { embedContentConfig: config }),
  }));
  const [only] = requests;
  if (requests.length === 1 && only !== undefined) return { method: 'embedContent', body: only };
  return { method: 'batchEmbedContents', body: { requests } };
}

const dimensions = (body: JsonObject, name: string): JsonObject =>
  typeof body['dimensions'] === 'number' ? { [name]: body['dimensions'] } : {};

function truncation(body: JsonObject): JsonObject {
  const value = oneOf(body, ['auto_truncate', 'autoTruncate']);
  return typeof value === 'boolean' ? { autoTruncate: value } : {};
}

function dropsOf(body: JsonObject): Drops {
  const drops = new Drops();
  for (const key of Object.keys(body)) if (!readFields.has(key)) dropIfSet(body, key, drops);
  const { encoding_format: format } = body;
  if (format !== 'float' && format !== 'base64') dropIfSet(body, 'encoding_format', drops, 'neither float nor base64');
  for (const [name, type] of fieldTypes) if (typeof body[name] !== type) dropIfSet(body, name, drops, `not a ${type}`);
  return drops;
}

function dropIfSet(body: JsonObject, name: string, drops: Drops, reason?: string): void {
  if (body[name] !== undefined && body[name] !== null) drops.add(name, reason);
}

/**
 * Converts the vectors of any of the methods to an OpenAI list.
 *
 * @param asBase64 little-endian 32-bit floats in base64, as OpenAI's libraries request
 * @param inputs number of inputs; undefined if unknown
 * @throws GatewayError `upstream_invalid`
 */
export function fromEmbeddings(text: string, model: string, asBase64: boolean, inputs?: number): JsonObject {
  const answer = parseObject(text);
  const vectors = answer === undefined ? undefined : vectorsOf(answer);
  checkVectors(
    vectors?.map(({ vector }) => vector),
    inputs,
  );
  const { prompt_tokens, total_tokens } = openaiUsage(usageOf(text) ?? { prompt: 0, completion: 0 });
  return {
    object: 'list',
    data: vectors.map(({ vector, ...more }, index) => {
      const encode = (one: readonly number[]) => (asBase64 ? encodeFloats(one) : one);
      return { object: 'embedding', index, embedding: encode(vector), ...extraVectors(more, encode) };
    }),
    model,
    usage: { prompt_tokens, total_tokens },
  };
}

/** The vectors of one input. */
interface Vectors {
  readonly vector: readonly number[];
  /** Of an image next to a text. */
  readonly image?: readonly number[];
  /** Of a video next to text or image, or of a video with several segments: the service's own rows. */
  readonly video?: readonly JsonObject[];
  /** The service has cut the input off. */
  readonly isTruncated?: boolean;
}

/** Writes the vectors that OpenAI's format has no member for, under additional names. */
function extraVectors(
  { image, video, isTruncated = false }: Omit<Vectors, 'vector'>,
  encode: (vector: readonly number[]) => unknown,
): JsonObject {
  const parts = video?.map(({ startOffsetSec, endOffsetSec, embedding }) => ({
    start_offset: startOffsetSec ?? 0,
    end_offset: endOffsetSec ?? null,
    embedding: encode(numbers(embedding)),
  }));
  return {
    ...(image === undefined ? {} : { image_embedding: encode(image) }),
    ...(parts === undefined ? {} : { video_embeddings: parts }),
    ...(isTruncated ? { truncated: true } : {}),
  };
}

function vectorsOf(answer: JsonObject): readonly Vectors[] | undefined {
  const { predictions, embeddings, embedding } = answer;
  if (Array.isArray(predictions)) return (predictions as unknown[]).map(objectOf).map(vectorsOfPrediction);
  if (Array.isArray(embeddings)) return (embeddings as unknown[]).map(objectOf).map(vectorOfEmbedding);
  return isJsonObject(embedding) ? [{ vector: numbers(embedding['values']), isTruncated: answer['truncated'] === true }] : undefined;
}

const vectorOfEmbedding = ({ values, statistics }: JsonObject): Vectors => ({
  vector: numbers(values),
  isTruncated: objectOf(statistics)['truncated'] === true,
});

/** Reads a prediction. It contains `embeddings.values`, or one vector for each of several kinds of input. */
function vectorsOfPrediction(prediction: JsonObject): Vectors {
  const { embeddings, textEmbedding, imageEmbedding, videoEmbeddings } = prediction;
  if (isJsonObject(embeddings)) return vectorOfEmbedding(embeddings);
  const video = objectsIn(videoEmbeddings);
  const main = textEmbedding ?? imageEmbedding;
  const isMore = video.length > (main === undefined ? 1 : 0);
  return {
    vector: numbers(main ?? video[0]?.['embedding']),
    ...(textEmbedding === undefined || imageEmbedding === undefined ? {} : { image: numbers(imageEmbedding) }),
    ...(isMore ? { video } : {}),
  };
}

const numbers = (value: unknown): readonly number[] => (Array.isArray(value) ? (value as number[]) : []);

/**
 * Sums the tokens of all inputs without parsing the vectors, which are most of the text. `promptTokenCount` is used if present,
 * because the counts by modality count the same tokens again. Undefined if there are no counts.
 */
function usageOf(text: string): Usage | undefined {
  const prompt =
    sumOfCounts(text, /"promptTokenCount"\s*:\s*(\d{1,15})/g) ?? sumOfCounts(text, /"(?:token_count|tokenCount)"\s*:\s*(\d{1,15})/g);
  return prompt === undefined ? undefined : { prompt, completion: 0 };
}

function sumOfCounts(text: string, count: RegExp): number | undefined {
  const counts = Array.from(text.matchAll(count), ([, digits]) => Number(digits));
  return counts.length === 0 ? undefined : counts.reduce((sum, one) => sum + one, 0);
}

/** Tap for responses with vectors. */
export class EmbeddingTap extends JsonTap {
  override whole(text: string): ProviderFault | undefined {
    const error = /"(?:predictions|embeddings?)"\s*:/.test(text.slice(0, 200)) ? undefined : errorIn(parseObject(text));
    if (error === undefined) {
      this.complete = true;
      this.usage = usageOf(text);
    } else this.fault = googleFaultInBand(error);
    return this.fault;
  }
}
