import { GatewayError } from '../../../core/error.ts';
import type { EmptyBody, JsonBody } from '../../../core/json/body.ts';
import type { JsonObject } from '../../../core/json/merge.ts';
import type { MediaNeed } from '../../../core/provider.ts';
import { type ImageReference, referencesOf } from '../../openai-objects/edit-form.ts';
import { storedUri } from '../../shared/media/stored-uri.ts';
import { missingParameter, unsupportedParameter } from '../../shared/request/parameter-errors.ts';
import type { Part } from '../request/conversion.ts';
import { type MediaContext, mediaPart, needsDownload } from '../request/media/index.ts';
import { generatesInChat, type ImageRequest, toImages } from './request.ts';

/** In bytes. More than the service accepts for any image, so the service itself enforces its limit. */
const maxBytes = 100 * 1024 * 1024;

/**
 * Converts a JSON request of `/images/edits`: the images precede the prompt in one message (Vertex AI, "Edit images with
 * Gemini").
 *
 * @throws GatewayError for a mask, for files that are not images, and for models that do not generate images in a chat
 */
export function toImageEdits(body: JsonObject, model: string, context: MediaContext): ImageRequest {
  if (!generatesInChat(model)) {
    throw new GatewayError('unsupported_endpoint', {
      message: `The gateway does not send edits of images to the model "${model}".`,
      hint: 'Use a Gemini model that generates images, such as gemini-2.5-flash-image.',
    });
  }
  const { image, images, mask, ...rest } = body;
  if ((mask ?? '') !== '') {
    throw unsupportedParameter('mask', 'Gemini models have no mask.', 'Describe in the prompt which part of the image is to change.');
  }
  const references = referencesOf({ image, images });
  if (references.length === 0) throw missingParameter('image');
  const sources = references.map((reference, at) => imagePart(reference, `images[${at}]`, context));
  return toImages(rest, model, { surface: context.options.surface, sources });
}

function imagePart({ url, fileId }: ImageReference, param: string, context: MediaContext): Part {
  const uri = url ?? fileId;
  if (uri === undefined) throw unsupportedParameter(param, 'The image has neither an image_url nor a file_id.');
  const part = mediaPart({ url: storedUri(uri), mimeType: undefined, param }, context);
  const { mimeType } = (part['inlineData'] ?? part['fileData'] ?? {}) as { mimeType?: string };
  if (mimeType?.startsWith('image/') === false)
    throw unsupportedParameter(param, `The file has the type ${mimeType.slice(0, 100)}, which is not an image type.`);
  return part;
}

/** Lists the images that the API-key endpoint cannot fetch itself. */
export function editMedia(body: JsonBody | EmptyBody): readonly MediaNeed[] {
  if (body.kind !== 'json' || !body.mayContainUrl()) return [];
  const references = referencesOf({ image: body.value('image'), images: body.value('images') });
  const urls = references.flatMap(({ url }) => (url !== undefined && needsDownload(url) ? [url] : []));
  return [...new Set(urls)].map((url) => ({ url, maxBytes }));
}
