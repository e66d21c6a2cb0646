import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Dropped } from '../../../core/provider.ts';
import { textOf } from '../../shared/json.ts';
import { missingParameter } from '../../shared/request/parameter-errors.ts';
import { Drops } from '../../shared/request/drops.ts';
import { storedUri } from '../../shared/media/stored-uri.ts';
import type { FileRules, Part, GeminiSurface } from '../request/conversion.ts';
import { ImageMembers, aliasesOf } from './members.ts';
import { chatRatios, isExactSize, nearestRatio, predictRatios } from './size.ts';

/** An image request in the service's form, and the method that it is sent to. */
export interface ImageRequest {
  readonly method: 'predict' | 'generateContent';
  readonly body: JsonObject;
  readonly dropped: readonly Dropped[];
  /** Number of requests: models that generate images in a chat create one image per request. */
  readonly calls: number;
}

/** Maximum number of requests per call (core/provider.ts, `Translation.then`). */
const maxRequests = 4;

/** Maximum number of images per `predict` request: eight for `imagegeneration` models, four for later ones (Vertex AI, Imagen API). */
const maxSamples = (model: string): number => (model.startsWith('imagegeneration') ? 8 : 4);

/** Settings of `predict`, which clients may write in either spelling, and whether the Gemini API supports them too. */
const predictSettings: readonly (readonly [name: string, isEverywhere: boolean])[] = [
  ['negativePrompt', false],
  ['personGeneration', true],
  ['safetySetting', true],
  ['enhancePrompt', false],
  ['addWatermark', false],
  ['includeRaiReason', true],
  ['language', true],
  ['seed', false],
];

/** True for models that generate images in a chat (`gemini-2.5-flash-image`). */
export const generatesInChat = (model: string): boolean => model.startsWith('gemini');

interface ImageInput {
  readonly prompt: string;
  readonly members: ImageMembers;
  readonly model: string;
  readonly isVertex: boolean;
  /** Images to edit. */
  readonly sources: readonly Part[];
  readonly outputs: FileRules | undefined;
}

/** What an image request depends on besides its body. */
export interface ImageContext {
  readonly surface: GeminiSurface;
  /** The images to edit, for models that generate images in a chat. */
  readonly sources?: readonly Part[];
  /** Rules for the addresses at which the service stores images; undefined if all are allowed. */
  readonly outputs?: FileRules | undefined;
}

/**
 * Converts a request of `/images/generations`, or of `/images/edits` without its images.
 *
 * @throws GatewayError without a prompt, or if the request may not store images at its address
 */
export function toImages(body: JsonObject, model: string, { surface, sources = [], outputs }: ImageContext): ImageRequest {
  const prompt = textOf(body['prompt']);
  if (prompt === undefined) throw missingParameter('prompt');
  const drops = new Drops();
  const members = new ImageMembers(body, drops);
  members.take('model');
  members.take('prompt');
  // The whole response is written as a stream, which has no partial images.
  for (const value of [true, false]) members.takeIf('stream', value);
  members.takeIf('partial_images', 0);
  const request: ImageInput = { prompt, members, model, isVertex: surface === 'vertex', sources, outputs };
  const labels = labelsOf(request);
  const converted = generatesInChat(model) ? chatImages(request) : predictImages(request);
  // `auto` is what the service does anyway.
  for (const name of ['background', 'moderation', 'quality']) members.takeIf(name, 'auto');
  members.dropRest();
  return { ...converted, body: { ...converted.body, ...labels }, dropped: drops.list };
}

/** Returns the requested number of images within the limit. */
function countOf({ members }: ImageInput, maxCount: number, reason: string): number {
  const n = members.take('n');
  if (n === undefined) return 1;
  const isCount = typeof n === 'number' && Number.isInteger(n) && n >= 1;
  const count = isCount ? Math.min(n, maxCount) : 1;
  if (count !== n) members.drop('n', isCount ? reason : 'not a positive integer: one image is generated');
  return count;
}

/** Both methods accept billing labels, but only on Vertex AI. */
function labelsOf({ members, isVertex }: ImageInput): JsonObject {
  const labels = members.take('labels');
  if (labels === undefined) return {};
  if (isVertex && isJsonObject(labels)) return { labels };
  members.drop('labels', isVertex ? 'not an object with string values' : 'rejected by this service');
  return {};
}

/** Returns the service's own aspect ratio if it is set, otherwise the ratio nearest to `size`. */
function ratioOf({ members }: ImageInput, ratios: readonly string[], hasImageSize: boolean): unknown {
  const aspectRatio = members.take(...aliasesOf('aspectRatio'));
  const size = members.take('size');
  if (size === undefined || (size === 'auto' && aspectRatio === undefined)) return aspectRatio;
  const ratio = nearestRatio(size, ratios);
  if (aspectRatio !== undefined) members.drop('size', 'the aspect ratio is used');
  else if (ratio === undefined) members.drop('size', 'not a size of the form 1024x1024');
  else if (hasImageSize || !isExactSize(size)) members.drop('size', `changed to the aspect ratio ${ratio}`);
  return aspectRatio ?? ratio;
}

/** Returns the address at which the service stores the images. @throws GatewayError if the request may not store them there */
function storageAddress({ members, outputs }: ImageInput): string | undefined {
  const aliases = aliasesOf('storageUri');
  const name = members.nameOf(...aliases);
  if (name === undefined) return undefined;
  const value = members.take(...aliases);
  if (typeof value !== 'string') {
    members.drop(name, 'not a string');
    return undefined;
  }
  const uri = storedUri(value);
  outputs?.check(uri, name);
  return uri;
}

function responseFormat({ members }: ImageInput, isStored: boolean): void {
  const format = members.take('response_format');
  if (format === undefined || format === (isStored ? 'url' : 'b64_json')) return;
  members.drop('response_format', isStored ? 'the response has the addresses of the stored images' : 'the response contains the images');
}

function predictImages(request: ImageInput): Omit<ImageRequest, 'dropped'> {
  const { prompt, members, model, isVertex } = request;
  const maxCount = maxSamples(model);
  const sampleCount = countOf(request, maxCount, `this model generates at most ${maxCount} images per request`);
  const imageSize = members.take(...aliasesOf('imageSize'), ...aliasesOf('sampleImageSize'));
  const aspectRatio = ratioOf(request, predictRatios, imageSize !== undefined);
  const settings: Record<string, unknown> = {};
  for (const [name, isOnGeminiApi] of predictSettings) {
    if (isOnGeminiApi || isVertex) settings[name] = members.take(...aliasesOf(name));
  }
  const storageUri = isVertex ? storageAddress(request) : undefined;
  responseFormat(request, storageUri !== undefined);
  return {
    method: 'predict',
    calls: 1,
    body: {
      instances: [{ prompt }],
      parameters: defined({
        sampleCount,
        aspectRatio,
        sampleImageSize: imageSize,
        ...settings,
        storageUri,
        // The service rejects a seed together with its watermark.
        addWatermark: settings['addWatermark'] ?? (settings['seed'] === undefined ? undefined : false),
        outputOptions: outputOptions(request),
      }),
    },
  };
}

function chatImages(request: ImageInput): Omit<ImageRequest, 'dropped'> {
  const { prompt, members, isVertex, sources } = request;
  const calls = countOf(request, maxRequests, `this model generates one image per request, and at most ${maxRequests} requests are sent`);
  const imageSize = members.take(...aliasesOf('imageSize'), ...aliasesOf('sampleImageSize'));
  const aspectRatio = ratioOf(request, chatRatios, imageSize !== undefined);
  // The Gemini API rejects both in `imageConfig` (Google Gen AI SDK).
  const personGeneration = isVertex ? members.take(...aliasesOf('personGeneration')) : undefined;
  const imageOutputOptions = isVertex ? outputOptions(request) : undefined;
  responseFormat(request, false);
  const seed = members.take('seed');
  const imageConfig = defined({ aspectRatio, imageSize, personGeneration, imageOutputOptions, ...members.takeGroup() });
  return {
    method: 'generateContent',
    calls,
    body: {
      contents: [{ role: 'user', parts: [...sources, { text: prompt }] }],
      generationConfig: defined({
        responseModalities: ['TEXT', 'IMAGE'],
        seed,
        imageConfig: Object.keys(imageConfig).length === 0 ? undefined : imageConfig,
      }),
    },
  };
}

/** Builds the output options. The service generates PNG and JPEG. Only JPEG has a quality; `hd` sets the maximum. */
function outputOptions({ members }: ImageInput): JsonObject | undefined {
  const options = members.take(...aliasesOf('imageOutputOptions'), ...aliasesOf('outputOptions'));
  if (options !== undefined) return options as JsonObject;
  const format = members.take('output_format');
  if (format === undefined) return undefined;
  if (format === 'png') return { mimeType: 'image/png' };
  if (format !== 'jpeg' && format !== 'jpg') {
    members.drop('output_format', 'this service generates png and jpeg');
    return undefined;
  }
  const compression = members.take('output_compression');
  const isUsable = typeof compression === 'number' && compression >= 0 && compression <= 100;
  if (compression !== undefined && !isUsable) members.drop('output_compression', 'not a number from 0 to 100');
  const compressionQuality = isUsable ? compression : members.takeIf('quality', 'hd') ? 100 : undefined;
  return defined({ mimeType: 'image/jpeg', compressionQuality });
}

const defined = (object: JsonObject): JsonObject => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
