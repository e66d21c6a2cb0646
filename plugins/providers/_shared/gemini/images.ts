import { GatewayError } from '#core/error.ts';
import { isPlain, type Plain } from '#core/merge.ts';
import type { Call, Dropped } from '#core/provider.ts';
import { parseObject, textOf } from '../json.ts';
import { cannotCarry } from '../cannot-carry.ts';
import { oneOf, type Surface } from './conversion.ts';
import { Drops } from '../drops.ts';
import { finishWord } from './finish.ts';
import { camelKeys } from './generation-config.ts';
import { chatRatios, nearestRatio, predictRatios } from './image-size.ts';
import { piecesOf } from './pieces.ts';
import { geminiUsage } from './usage.ts';

/** An image request in the service's form, and the method that it goes to. */
export interface ServedImages {
  readonly method: 'predict' | 'generateContent';
  readonly body: Plain;
  readonly dropped: readonly Dropped[];
  /** How often the request is sent: models that paint in a chat make one image a time. */
  readonly calls: number;
}

/** Requests of one call in all (core/provider.ts, `Operation.then`). */
const mostCalls = 4;

/** Fields of the service's own that go along in either spelling. */
const own: Readonly<Record<string, readonly string[]>> = {
  aspectRatio: ['aspect_ratio', 'aspectRatio'],
  sampleImageSize: ['image_size', 'sample_image_size', 'sampleImageSize'],
  negativePrompt: ['negative_prompt', 'negativePrompt'],
  personGeneration: ['person_generation', 'personGeneration'],
  safetySetting: ['safety_setting', 'safetySetting'],
  enhancePrompt: ['enhance_prompt', 'enhancePrompt'],
  addWatermark: ['add_watermark', 'addWatermark'],
  includeRaiReason: ['include_rai_reason', 'includeRaiReason'],
  language: ['language'],
  storageUri: ['storage_uri', 'storageUri'],
  seed: ['seed'],
};

const handled: ReadonlySet<string> = new Set([
  'model',
  'prompt',
  'n',
  'size',
  'quality',
  'response_format',
  'output_format',
  'output_compression',
  'image_config',
  'labels',
  ...Object.values(own).flat(),
]);

/** True for models that paint in a chat (`gemini-2.5-flash-image`). */
export const paintsInChat = (model: string): boolean => model.startsWith('gemini');

/** A request of `/images/generations`. @throws GatewayError without a prompt */
export function toImages(body: Plain, model: string, surface: Surface): ServedImages {
  const prompt = textOf(body['prompt']);
  if (prompt === undefined) throw cannotCarry('prompt', 'The request has no prompt.');
  const drops = new Drops();
  for (const [key, value] of Object.entries(body)) if (value !== null && !handled.has(key)) drops.add(key, 'not supported by this service');
  const parameters = ownParameters(body);
  if (body['response_format'] === 'url' && parameters['storageUri'] === undefined)
    drops.add('response_format', 'images come inline without storage_uri');
  const isChat = paintsInChat(model);
  const made = isChat ? chatImages(prompt, body, parameters, drops) : predictImages(prompt, body, parameters, drops);
  const labels = labelsFor(body, surface, drops);
  return {
    method: made.method,
    body: { ...made.body, ...labels },
    dropped: drops.list,
    calls: isChat ? Math.min(countOf(body), mostCalls) : 1,
  };
}

/** How many images are asked for. */
const countOf = ({ n }: Plain): number => (typeof n === 'number' && n >= 1 ? Math.trunc(n) : 1);

/** Both methods take labels for the bill, at one of the two services. */
function labelsFor({ labels }: Plain, surface: Surface, drops: Drops): Plain {
  if (!isPlain(labels) || Object.keys(labels).length === 0) return {};
  if (surface === 'vertex') return { labels };
  drops.add('labels', 'rejected by this service');
  return {};
}

function ownParameters(body: Plain): Plain {
  return Object.fromEntries(
    Object.entries(own).flatMap(([name, spellings]) => {
      const value = oneOf(body, spellings);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function predictImages(prompt: string, body: Plain, parameters: Plain, drops: Drops): Pick<ServedImages, 'method' | 'body'> {
  const ratio = nearestRatio(body['size'], predictRatios);
  const output = outputOptions(body, drops);
  return {
    method: 'predict',
    body: {
      instances: [{ prompt }],
      parameters: {
        sampleCount: typeof body['n'] === 'number' ? body['n'] : 1,
        ...(ratio === undefined ? {} : { aspectRatio: ratio }),
        // The service refuses a seed together with its watermark.
        ...(parameters['seed'] === undefined ? {} : { addWatermark: false }),
        ...parameters,
        ...(output === undefined ? {} : { outputOptions: output }),
      },
    },
  };
}

function outputOptions(body: Plain, drops: Drops): Plain | undefined {
  const format = textOf(body['output_format']);
  const compression = body['output_compression'];
  const isJpeg = format === 'jpeg' || format === 'jpg';
  if (body['quality'] !== undefined && body['quality'] !== null && body['quality'] !== 'hd')
    drops.add('quality', 'not supported by this service');
  const quality = typeof compression === 'number' ? compression : body['quality'] === 'hd' ? 100 : undefined;
  if (format === undefined) return undefined;
  return {
    mimeType: isJpeg ? 'image/jpeg' : `image/${format}`,
    ...(isJpeg && quality !== undefined ? { compressionQuality: quality } : {}),
  };
}

function chatImages(prompt: string, body: Plain, parameters: Plain, drops: Drops): Pick<ServedImages, 'method' | 'body'> {
  if (countOf(body) > mostCalls) drops.add('n', `this model generates one image per request, and ${mostCalls} requests are sent at most`);
  if (body['quality'] !== undefined && body['quality'] !== null) drops.add('quality', 'not supported by this service');
  const { aspectRatio, sampleImageSize, personGeneration, seed } = parameters;
  const ratio = aspectRatio ?? nearestRatio(body['size'], chatRatios);
  const imageConfig = {
    ...(ratio === undefined ? {} : { aspectRatio: ratio }),
    ...(sampleImageSize === undefined ? {} : { imageSize: sampleImageSize }),
    ...(personGeneration === undefined ? {} : { personGeneration }),
    ...camelKeys(body['image_config']),
  };
  return {
    method: 'generateContent',
    body: {
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      generationConfig: {
        responseModalities: ['TEXT', 'IMAGE'],
        ...(seed === undefined ? {} : { seed }),
        ...(Object.keys(imageConfig).length === 0 ? {} : { imageConfig }),
      },
    },
  };
}

/**
 * Images of either method as OpenAI's list, of one answer or several. Filtered ones have no bytes and are left out.
 *
 * @throws GatewayError when none is left: the provider's reason, as 400
 */
export function fromImages(texts: readonly string[], call: Pick<Call, 'createdAt'>): Plain {
  const answers = texts.map((text) => {
    const answer = parseObject(text);
    if (answer !== undefined) return answer;
    throw new GatewayError('upstream_invalid', { message: 'The response of the provider is not a JSON object.', source: 'provider' });
  });
  const data = answers.flatMap((answer) =>
    Array.isArray(answer['predictions']) ? answer['predictions'].filter(isPlain).flatMap(predicted) : painted(answer),
  );
  if (data.length === 0) throw filtered(answers[0] ?? {});
  const usages = answers.flatMap((answer) => geminiUsage(answer['usageMetadata']) ?? []);
  const sum = (key: 'prompt' | 'completion'): number => usages.reduce((total, usage) => total + usage[key], 0);
  return { created: call.createdAt, data, ...(usages.length === 0 ? {} : { usage: imageUsage(sum('prompt'), sum('completion')) }) };
}

const imageUsage = (input: number, output: number): Plain => ({ input_tokens: input, output_tokens: output, total_tokens: input + output });

function predicted({ bytesBase64Encoded, gcsUri, prompt }: Plain): Plain[] {
  const revised = typeof prompt === 'string' && prompt !== '' ? { revised_prompt: prompt } : {};
  if (typeof bytesBase64Encoded === 'string') return [{ b64_json: bytesBase64Encoded, ...revised }];
  return typeof gcsUri === 'string' ? [{ url: gcsUri, ...revised }] : [];
}

const candidatesOf = (answer: Plain): readonly Plain[] => (Array.isArray(answer['candidates']) ? answer['candidates'].filter(isPlain) : []);

const painted = (answer: Plain): Plain[] =>
  candidatesOf(answer).flatMap((candidate) =>
    piecesOf(candidate).flatMap((piece) => (piece.kind === 'media' ? [{ b64_json: piece.base64 }] : [])),
  );

/** Why there is no image: the filter's words, the model's own, or the word it stopped with. */
function filtered(answer: Plain): GatewayError {
  const predictions = Array.isArray(answer['predictions']) ? answer['predictions'].filter(isPlain) : [];
  const [candidate] = candidatesOf(answer);
  const feedback = isPlain(answer['promptFeedback']) ? answer['promptFeedback'] : {};
  const said =
    candidate === undefined
      ? ''
      : piecesOf(candidate)
          .flatMap((piece) => (piece.kind === 'text' ? [piece.text] : []))
          .join('');
  const message =
    textOf(predictions.find((one) => one['raiFilteredReason'] !== undefined)?.['raiFilteredReason']) ??
    textOf(candidate?.['finishMessage']) ??
    textOf(feedback['blockReasonMessage']) ??
    textOf(feedback['blockReason']) ??
    textOf(said) ??
    finishWord(candidate?.['finishReason']) ??
    'The provider sent no reason.';
  return new GatewayError('provider_error', {
    message: `No image was generated: ${message}`,
    status: 400,
    source: 'provider',
    provider: { message, code: 'content_filter', type: 'invalid_request_error' },
  });
}
