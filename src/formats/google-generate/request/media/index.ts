import { GatewayError } from '../../../../core/error.ts';
import { typeOfUrl, shownUrl } from '../../../shared/media/mime.ts';
import { unsupportedParameter } from '../../../shared/request/parameter-errors.ts';
import type { GenerateConversion, GeminiOptions, Part } from '../conversion.ts';
import { looksLikeBase64, parseDataUri, shownType, typeByBytesOrJpeg, standardBase64 } from '../../../shared/media/data-uri.ts';
import { normalizeMediaType } from '../../../shared/media/media-types.ts';

/** A file that a message refers to. */
export interface ReferencedFile {
  readonly url: string;
  /** Media type given by the client (`mime_type`, `format`). */
  readonly mimeType: string | undefined;
  /** Its path in the body, for error messages. */
  readonly param: string;
}

/** What determines how a file is sent. */
export interface MediaContext {
  readonly options: Pick<GeminiOptions, 'surface' | 'files'>;
  readonly media: GenerateConversion['media'];
}

const filesApi = /^https:\/\/generativelanguage\.googleapis\.com\/(?:[\w.]+\/)?files\/[\w.-]+/i;
const youtube = /^https?:\/\/(?:(?:www|m)\.)?(?:youtube\.com\/(?:watch|shorts|live|embed)|youtu\.be\/)/i;

/** True for URLs that the service resolves itself, whatever their file type. */
const isOwn = (url: string): boolean => filesApi.test(url) || youtube.test(url);

const isHttp = (url: string): boolean => /^https?:\/\//i.test(url);

/** True for files that the API-key endpoint cannot fetch: it reads only its own file storage and video links. */
export const needsDownload = (url: string): boolean => isHttp(url) && !isOwn(url);

/**
 * Converts a file to a part: inline if the client or a download provided the bytes, otherwise by reference.
 *
 * @throws GatewayError `missing_file_extension`, `unsupported_parameter`
 */
export function mediaPart(file: ReferencedFile, conversion: MediaContext): Part {
  const { url, param } = file;
  const data = parseDataUri(url);
  if (data !== undefined) return inline(file.mimeType ?? data.mimeType, data.base64, param);
  const fetched = conversion.media.get(url);
  if (fetched !== undefined) return inline(file.mimeType ?? typeOf(url) ?? downloadedType(fetched.mimeType, file), fetched.base64, param);
  if (isHttp(url) || /^gs:\/\//i.test(url)) return byReference(file, conversion);
  if (/^files\/[\w.-]+$/.test(url))
    return byReference({ ...file, url: `https://generativelanguage.googleapis.com/v1beta/${url}` }, conversion);
  if (looksLikeBase64(url)) return inline(file.mimeType ?? typeByBytesOrJpeg(url), standardBase64(url), param);
  throw unsupportedParameter(param, 'The file is neither a data URI nor a URL that can be read.', 'Use data:…, https://… or gs://….');
}

/** Converts bytes to a part. @throws GatewayError `unsupported_parameter` */
export const inline = (type: string, base64: string, param: string): Part => ({
  inlineData: { mimeType: shownType(normalizeMediaType(type, param), base64), data: base64 },
});

function byReference(file: ReferencedFile, conversion: MediaContext): Part {
  const { url, param } = file;
  if (conversion.options.surface === 'developer' && /^gs:/i.test(url)) {
    throw unsupportedParameter(
      param,
      'gs:// files are read by Vertex AI only, not with an API key.',
      'Send a data URI, or upload the file first.',
    );
  }
  if (/^gs:/i.test(url)) conversion.options.files?.check(url, param);
  const type = file.mimeType ?? typeOf(url);
  if (type !== undefined) return { fileData: { mimeType: normalizeMediaType(type, param), fileUri: url } };
  if (youtube.test(url)) return { fileData: { mimeType: 'video/mp4', fileUri: url } };
  if (filesApi.test(url)) return { fileData: { fileUri: url } };
  throw noExtension(file);
}

const typeOf = (url: string): string | undefined => (isOwn(url) ? undefined : typeOfUrl(url));

function downloadedType(type: string, file: ReferencedFile): string {
  if (type !== '' && type !== 'application/octet-stream') return type;
  throw noExtension(file);
}

const noExtension = ({ url, param }: ReferencedFile): GatewayError =>
  new GatewayError('missing_file_extension', {
    message: `The path of "${shownUrl(url)}" has no known file extension, so its media type is not known.`,
    param,
    hint: 'Use a URL whose path ends in .png, .pdf, .mp4 or the like, or send the file itself. Chat completions can also set mime_type next to it.',
  });
