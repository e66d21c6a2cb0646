import { fileIn } from '../../anthropic-messages/request/parts.ts';
import type { MessageFile } from '../../anthropic-messages/request/media/files.ts';
import type { Block, MessagesConversion } from '../../anthropic-messages/request/conversion.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { MediaNeed } from '../../../core/provider.ts';
import { unsupportedParameter } from '../../shared/request/parameter-errors.ts';
import { looksLikeBase64, parseDataUri, shownType, typeByBytesOrJpeg, standardBase64 } from '../../shared/media/data-uri.ts';
import { audioType, normalizeMediaType } from '../../shared/media/media-types.ts';
import { typeOfPath, typeOfUrl } from '../../shared/media/mime.ts';
import { objectOf, objectsIn, stringOf } from '../../shared/json.ts';

type Kind = 'image' | 'document' | 'video' | 'audio';

/** Media types that Converse accepts, with its own kind and format names. */
const formats: Readonly<Record<string, readonly [kind: Kind, format: string]>> = {
  'image/png': ['image', 'png'],
  'image/jpeg': ['image', 'jpeg'],
  'image/gif': ['image', 'gif'],
  'image/webp': ['image', 'webp'],
  'application/pdf': ['document', 'pdf'],
  'text/csv': ['document', 'csv'],
  'application/msword': ['document', 'doc'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['document', 'docx'],
  'application/vnd.ms-excel': ['document', 'xls'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['document', 'xlsx'],
  'text/html': ['document', 'html'],
  'text/markdown': ['document', 'md'],
  'text/plain': ['document', 'txt'],
  'video/x-matroska': ['video', 'mkv'],
  'video/matroska': ['video', 'mkv'],
  'video/quicktime': ['video', 'mov'],
  'video/mp4': ['video', 'mp4'],
  'video/webm': ['video', 'webm'],
  'video/x-flv': ['video', 'flv'],
  'video/mpeg': ['video', 'mpeg'],
  'video/mpg': ['video', 'mpg'],
  'video/x-ms-wmv': ['video', 'wmv'],
  'video/wmv': ['video', 'wmv'],
  'video/3gpp': ['video', 'three_gp'],
  'audio/mp3': ['audio', 'mp3'],
  'audio/mpeg': ['audio', 'mp3'],
  'audio/wav': ['audio', 'wav'],
  'audio/x-wav': ['audio', 'wav'],
  'audio/flac': ['audio', 'flac'],
  'audio/ogg': ['audio', 'ogg'],
  'audio/aac': ['audio', 'aac'],
  'audio/m4a': ['audio', 'm4a'],
  'audio/mp4': ['audio', 'mp4'],
  'audio/webm': ['audio', 'webm'],
  'audio/pcm': ['audio', 'pcm'],
};

/** In bytes: the service's limit for one video. Images and documents have lower limits, which the service enforces. */
const maxFileBytes = 25 * 1024 * 1024;

/** Additional part types that refer to a file by URL. The URL is in the member of the same name. */
const urlParts: ReadonlySet<unknown> = new Set(['video_url', 'audio_url', 'document_url', 'file_url']);

/** Marks a finished Converse block that passes through the conversion of a messages request. */
export const converseType = 'converse';
const block = (made: JsonObject): Block => ({ type: converseType, block: made });

/** How often each document name occurs in a request: the service requires unique names. */
export type DocumentNames = Map<string, number>;

/** Converts files, sources and guarded content to Converse blocks; undefined for parts of other kinds. @throws GatewayError */
export function converseBlockOf(part: JsonObject, conversion: Pick<MessagesConversion, 'media'>, names: DocumentNames): Block | undefined {
  const file = namedFile(part);
  if (file !== undefined) return block(fileBlock(file, part, conversion, names));
  switch (part['type']) {
    case 'input_audio':
      return block(audioBlock(part));
    case 'image':
    case 'document':
      return nativeFile(part, names);
    case 'search_result':
      return block({ searchResult: searchResult(part) });
    case 'guard_content':
      return isJsonObject(part['guard_content']) ? block({ guardContent: part['guard_content'] }) : undefined;
    default:
      return undefined;
  }
}

function namedFile(part: JsonObject): MessageFile | undefined {
  const type = stringOf(part['type']);
  if (!urlParts.has(type)) return fileIn(part);
  const inner = part[type];
  const url = isJsonObject(inner) ? inner['url'] : inner;
  if (typeof url !== 'string' || url === '') throw unsupportedParameter(`messages[].content[].${type}`, 'The part names no file.');
  const mimeType = isJsonObject(inner) && typeof inner['mime_type'] === 'string' ? inner['mime_type'] : undefined;
  return { url, mimeType, name: undefined, defaultKind: 'document', param: `messages[].content[].${type}` };
}

/** Lists the files to download and inline, each once. The service itself can only read S3 addresses. */
export function mediaNeeds(body: JsonObject): readonly MediaNeed[] {
  const urls = new Set<string>();
  for (const message of objectsIn(body['messages'])) {
    const { content, role } = message;
    if (role === 'assistant' || !Array.isArray(content)) continue;
    for (const part of content.filter(isJsonObject)) {
      const inner = part['type'] === 'tool_result' && Array.isArray(part['content']) ? part['content'].filter(isJsonObject) : [part];
      for (const one of inner) {
        const url = namedFile(one)?.url;
        if (url !== undefined && /^https?:\/\//i.test(url)) urls.add(url);
      }
    }
  }
  return [...urls].map((url) => ({ url, maxBytes: maxFileBytes }));
}

function fileBlock(file: MessageFile, part: JsonObject, { media }: Pick<MessagesConversion, 'media'>, names: DocumentNames): JsonObject {
  const { url, mimeType, param } = file;
  const data = parseDataUri(url);
  if (data !== undefined) return fileOf(mimeType ?? data.mimeType, { bytes: data.base64 }, file, part, names);
  const fetched = media.get(url);
  if (fetched !== undefined) {
    const served = fetched.mimeType === 'application/octet-stream' ? '' : fetched.mimeType;
    return fileOf(mimeType ?? (served || typeOfAddress(file)), { bytes: fetched.base64 }, file, part, names);
  }
  if (/^s3:\/\//i.test(url)) return fileOf(mimeType ?? typeOfAddress(file), { s3Location: { uri: url } }, file, part, names);
  if (!url.includes('://') && looksLikeBase64(url)) {
    const type = mimeType ?? (file.name === undefined ? undefined : typeOfPath(file.name)) ?? typeByBytesOrJpeg(url);
    return fileOf(type, { bytes: standardBase64(url) }, file, part, names);
  }
  throw unsupportedParameter(
    param,
    'The service cannot read this file: it accepts bytes, and addresses of S3.',
    'Send a data URI, https:// or s3://.',
  );
}

/** Media type by the extension of the address or the name. */
function typeOfAddress({ url, name, param, defaultKind }: MessageFile): string {
  const type = typeOfUrl(url) ?? typeOfPath(name ?? '');
  if (type !== undefined) return type;
  if (defaultKind === 'image') return 'image/jpeg';
  throw unsupportedParameter(param, 'The media type of the file is not known.', 'Set mime_type, or use a name with an extension.');
}

function fileOf(type: string, source: JsonObject, { param, name }: MessageFile, part: JsonObject, names: DocumentNames): JsonObject {
  const { bytes } = source;
  const [kind, format] = formatOf(typeof bytes === 'string' ? shownType(type, bytes) : type, param);
  if (kind !== 'document') return { [kind]: { format, source } };
  return { document: { format, name: documentName(name ?? part['title'], names), source, ...documentExtras(part) } };
}

function formatOf(type: string, param: string): readonly [Kind, string] {
  const bare = (type.split(';', 1)[0] ?? '').trim().toLowerCase();
  const found = formatOfType(bare) ?? formatOfType(normalizeMediaType(bare, param));
  if (found !== undefined) return found;
  throw unsupportedParameter(
    param,
    `Files of type ${bare} are not read by this service.`,
    'It reads images, PDF, office documents, text, video and audio.',
  );
}

const formatOfType = (type: string): readonly [Kind, string] | undefined => (Object.hasOwn(formats, type) ? formats[type] : undefined);

function audioBlock(part: JsonObject): JsonObject {
  const audio = objectOf(part['input_audio']);
  const param = 'messages[].content[].input_audio';
  const [, format] = formatOf(audioType(audio['format'], param), param);
  return { audio: { format, source: { bytes: standardBase64(stringOf(audio['data'])) } } };
}

/** Converts blocks of the messages API that contain the file itself. */
function nativeFile(part: JsonObject, names: DocumentNames): Block | undefined {
  const { source, type, title } = part;
  if (!isJsonObject(source)) return undefined;
  const param = `messages[].content[].${stringOf(type)}.source`;
  const file: MessageFile = { url: '', mimeType: undefined, name: undefined, defaultKind: 'document', param };
  switch (source['type']) {
    case 'base64':
      return block(fileOf(stringOf(source['media_type']), { bytes: source['data'] }, file, part, names));
    case 'text':
      return block({
        document: { format: 'txt', name: documentName(title, names), source: { text: source['data'] }, ...documentExtras(part) },
      });
    case 'content': {
      const content = listOf(source['content']).map(({ text }) => ({ text }));
      if (content.some(({ text }) => typeof text !== 'string'))
        throw unsupportedParameter(param, 'Documents can contain only text here.', 'Send pictures in blocks of their own.');
      return block({ document: { format: 'txt', name: documentName(title, names), source: { content }, ...documentExtras(part) } });
    }
    default:
      throw unsupportedParameter(param, 'Files by id are not read by this service.', 'Send the file as base64, or as a data URI.');
  }
}

const listOf = (value: unknown): readonly JsonObject[] => (typeof value === 'string' ? [{ text: value }] : objectsIn(value));

function documentExtras({ context, citations }: JsonObject): JsonObject {
  return {
    ...(typeof context === 'string' && context !== '' ? { context } : {}),
    ...(isJsonObject(citations) ? { citations: { enabled: citations['enabled'] === true } } : {}),
  };
}

function searchResult({ source, title, content, citations }: JsonObject): JsonObject {
  return {
    source,
    title,
    content: listOf(content).map(({ text }) => ({ text })),
    ...(isJsonObject(citations) ? { citations: { enabled: citations['enabled'] === true } } : {}),
  };
}

/** Limits a name to letters, digits, single spaces, hyphens and brackets (Converse API, DocumentBlock), and makes it unique. */
function documentName(given: unknown, names: DocumentNames): string {
  const text = stringOf(given);
  const fitting =
    text
      .replaceAll(/[^A-Za-z0-9()[\]-]+/g, ' ')
      .trim()
      .slice(0, 190) || 'document';
  let count = (names.get(fitting) ?? 0) + 1;
  let name = count === 1 ? fitting : `${fitting} (${count})`;
  for (; count > 1 && names.has(name); name = `${fitting} (${count})`) count += 1;
  names.set(fitting, count);
  if (name !== fitting) names.set(name, 1);
  return name;
}
