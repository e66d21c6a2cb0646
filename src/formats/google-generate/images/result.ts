import { faultError, GatewayError } from '../../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { Call } from '../../../core/provider.ts';
import type { Usage } from '../../../core/model/usage.ts';
import { objectOf, objectsIn, parseObject, textOf } from '../../shared/json.ts';
import { sumOfUsages } from '../../shared/usage.ts';
import { nativeFinishReason } from '../response/finish.ts';
import { piecesOf } from '../response/pieces.ts';
import { geminiUsage } from '../response/usage.ts';

/**
 * Converts images of either method to OpenAI's list, from one response or several. Filtered images have no bytes and are omitted.
 *
 * @throws GatewayError with status 400 and the provider's reason if no image is left
 */
export function fromImages(texts: readonly string[], call: Pick<Call, 'createdAt'>): JsonObject {
  const answers = texts.map((text) => {
    const answer = parseObject(text);
    if (answer !== undefined) return answer;
    throw new GatewayError('upstream_invalid', { message: 'The response of the provider is not a JSON object.', source: 'provider' });
  });
  const images = answers.flatMap((answer) =>
    Array.isArray(answer['predictions']) ? answer['predictions'].filter(isJsonObject).flatMap(predicted) : imagesIn(answer),
  );
  const data = images.map(({ row }) => row);
  if (data.length === 0) throw filtered(answers);
  const usages = answers.flatMap((answer) => geminiUsage(answer['usageMetadata']) ?? []);
  return {
    created: call.createdAt,
    data,
    ...(usages.length === 0 ? {} : { usage: imageUsage(usages.reduce(sumOfUsages)) }),
    ...formatOf(images),
  };
}

/** An image in OpenAI's list, and its media type. */
interface Image {
  readonly row: JsonObject;
  readonly mimeType: unknown;
}

/** The list names one format for all images. */
function formatOf([first, ...others]: readonly Image[]): JsonObject {
  const format = typeof first?.mimeType === 'string' ? /^image\/(png|jpeg|webp)$/.exec(first.mimeType)?.[1] : undefined;
  return format === undefined || others.some(({ mimeType }) => mimeType !== first?.mimeType) ? {} : { output_format: format };
}

function imageUsage({ prompt, completion, details }: Usage): JsonObject {
  const images = details?.image_in ?? 0;
  return {
    input_tokens: prompt,
    input_tokens_details: { image_tokens: images, text_tokens: Math.max(0, prompt - images) },
    output_tokens: completion,
    total_tokens: prompt + completion,
  };
}

function predicted({ bytesBase64Encoded, gcsUri, prompt, mimeType }: JsonObject): Image[] {
  const revised = typeof prompt === 'string' && prompt !== '' ? { revised_prompt: prompt } : {};
  const [base64, url] = [textOf(bytesBase64Encoded), textOf(gcsUri)];
  if (base64 !== undefined) return [{ row: { b64_json: base64, ...revised }, mimeType }];
  return url === undefined ? [] : [{ row: { url, ...revised }, mimeType }];
}

const candidatesOf = (answer: JsonObject): readonly JsonObject[] => objectsIn(answer['candidates']);

const imagesIn = (answer: JsonObject): Image[] =>
  candidatesOf(answer).flatMap((candidate) =>
    piecesOf(candidate).flatMap((piece) => (piece.kind === 'media' ? [{ row: { b64_json: piece.base64 }, mimeType: piece.mimeType }] : [])),
  );

/** Explains why no response contains an image. */
function filtered(answers: readonly JsonObject[]): GatewayError {
  const message = answers.map(reasonIn).find((reason) => reason !== undefined) ?? 'The provider sent no reason.';
  const fault = { message, code: 'content_filter', type: 'invalid_request_error', status: 400 };
  return faultError(fault, { message: `No image was generated: ${message}` });
}

/** Returns the message of the filter or of the model, or the finish reason. */
function reasonIn(answer: JsonObject): string | undefined {
  const predictions = objectsIn(answer['predictions']);
  const [candidate] = candidatesOf(answer);
  const feedback = objectOf(answer['promptFeedback']);
  const modelText =
    candidate === undefined
      ? ''
      : piecesOf(candidate)
          .flatMap((piece) => (piece.kind === 'text' ? [piece.text] : []))
          .join('');
  return (
    textOf(predictions.find((one) => one['raiFilteredReason'] !== undefined)?.['raiFilteredReason']) ??
    textOf(candidate?.['finishMessage']) ??
    textOf(feedback['blockReasonMessage']) ??
    textOf(feedback['blockReason']) ??
    textOf(modelText) ??
    nativeFinishReason(candidate?.['finishReason'])
  );
}
