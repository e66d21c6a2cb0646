import { GatewayError } from '../../../../core/error.ts';
import { looksLikeBase64, parseDataUri, shownType, typeByBytesOrJpeg, standardBase64 } from '../../../shared/media/data-uri.ts';
import { normalizeMediaType } from '../../../shared/media/media-types.ts';
import { typeOfPath, typeOfUrl, shownUrl } from '../../../shared/media/mime.ts';
import { unsupportedParameter } from '../../../shared/request/parameter-errors.ts';
import type { Block, MessagesConversion, ClaudeSurface } from '../conversion.ts';

/** A file that a message refers to. */
export interface MessageFile {
  /** A data URI, a URL, or bare base64. */
  readonly url: string;
  /** Media type given by the client. */
  readonly mimeType: string | undefined;
  /** File name, shown to the model as the document's title. */
  readonly name: string | undefined;
  /** The kind assumed for an address without a known extension. */
  readonly defaultKind: 'image' | 'document';
  /** Its path in the body, for error messages. */
  readonly param: string;
}

const images: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** Returns the kind of block for a media type; undefined if the API does not accept it. */
function kindOf(type: string): 'image' | 'pdf' | 'text' | undefined {
  if (images.has(type)) return 'image';
  if (type === 'application/pdf') return 'pdf';
  return type === 'text/plain' ? 'text' : undefined;
}

/**
 * True if the file must be sent by value: the API itself fetches images and PDF files by https, but no text, and on Vertex AI
 * nothing at all.
 */
export function needsDownload(file: MessageFile, surface: ClaudeSurface): boolean {
  if (!/^(?:https?|gs):\/\//i.test(file.url)) return false;
  if (surface === 'vertex' || !/^https:/i.test(file.url)) return !/^gs:/i.test(file.url) || surface === 'vertex';
  return kindOf(declaredType(file) ?? '') === 'text';
}

/**
 * Converts a file to a block: by value if the client or a download provided the bytes, otherwise by URL.
 *
 * @throws GatewayError `missing_file_extension`, `unsupported_parameter`
 */
export function fileBlock(file: MessageFile, { media }: Pick<MessagesConversion, 'media'>): Block {
  const { url, param } = file;
  const data = parseDataUri(url);
  if (data !== undefined) return byValue(normalizeMediaType(file.mimeType ?? data.mimeType, param), data.base64, file);
  const fetched = media.get(url);
  if (fetched !== undefined) return byValue(typeOfDownload(fetched.mimeType, file), fetched.base64, file);
  if (/^https:\/\//i.test(url)) return byAddress(file);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) {
    throw unsupportedParameter(
      param,
      `The service cannot read files at "${url.slice(0, url.indexOf(':'))}" addresses.`,
      'Send a data URI or an https URL.',
    );
  }
  if (looksLikeBase64(url))
    return byValue(normalizeMediaType(file.mimeType ?? typeOfName(file.name) ?? typeByBytesOrJpeg(url), param), standardBase64(url), file);
  throw unsupportedParameter(param, 'The file is neither a data URI nor a URL that can be read.', 'Use data:… or https://….');
}

function byValue(declared: string, base64: string, { name, param }: MessageFile): Block {
  const type = shownType(declared, base64);
  const title = name === undefined ? {} : { title: name };
  switch (kindOf(type)) {
    case 'image':
      return { type: 'image', source: { type: 'base64', media_type: type, data: base64 } };
    case 'pdf':
      return { type: 'document', source: { type: 'base64', media_type: type, data: base64 }, ...title };
    case 'text':
      return {
        type: 'document',
        source: { type: 'text', media_type: type, data: Buffer.from(base64, 'base64').toString('utf8') },
        ...title,
      };
    default:
      throw unsupportedParameter(
        param,
        `Files of type ${type} are not read by this service.`,
        'It reads JPEG, PNG, GIF, WebP, PDF and plain text.',
      );
  }
}

function byAddress(file: MessageFile): Block {
  const kind = kindOf(declaredType(file) ?? '');
  const source = { type: 'url', url: file.url };
  if (kind === 'image' || (kind === undefined && file.defaultKind === 'image')) return { type: 'image', source };
  return { type: 'document', source, ...(file.name === undefined ? {} : { title: file.name }) };
}

/** Media type given by the client, or by the extension of the URL path (without query and fragment) or file name. */
function declaredType(file: MessageFile): string | undefined {
  const type = file.mimeType ?? typeOfUrl(file.url) ?? typeOfName(file.name);
  return type === undefined ? undefined : normalizeMediaType(type, file.param);
}

/** Media type of a download: from the client, then from the server if the API supports its type, then from the address. */
function typeOfDownload(type: string, file: MessageFile): string {
  if (file.mimeType !== undefined) return normalizeMediaType(file.mimeType, file.param);
  const served = type === '' ? '' : normalizeMediaType(type, file.param);
  if (kindOf(served) === 'image' || kindOf(served) === 'pdf') return served;
  const declared = declaredType(file);
  if (declared !== undefined) return declared;
  if (served !== '' && served !== 'application/octet-stream') return served;
  throw new GatewayError('missing_file_extension', {
    message: `Neither the address nor the server of "${shownUrl(file.url)}" shows its media type.`,
    param: file.param,
    hint: 'Use a URL whose path ends in .png, .pdf or the like, or send the file itself. Chat completions can also set mime_type next to it.',
  });
}

const typeOfName = (name: string | undefined): string | undefined => (name === undefined ? undefined : typeOfPath(name));
