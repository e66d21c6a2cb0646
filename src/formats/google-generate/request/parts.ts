import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { chatContent } from '../../anthropic-messages/to-hub/parts.ts';
import { objectsIn, textOf } from '../../shared/json.ts';
import { storedUri } from '../../shared/media/stored-uri.ts';
import { typeOfPath as typeOfName } from '../../shared/media/mime.ts';
import { textOfPart, unsupportedParameter } from '../../shared/request/parameter-errors.ts';
import { type GenerateConversion, oneOf, type Part, signatureIn, signatureKeys, signed } from './conversion.ts';
import { standardBase64 } from '../../shared/media/data-uri.ts';
import { fileDataUri } from '../../shared/media/file-data.ts';
import { audioType } from '../../shared/media/media-types.ts';
import { inline, mediaPart, type ReferencedFile } from './media/index.ts';

/** Part types that refer to a file by URL. The URL is in the member of the same name. */
const urlParts: ReadonlySet<string> = new Set(['image_url', 'video_url', 'audio_url', 'document_url', 'file_url', 'input_image']);

/**
 * Converts the content of a message to parts, in order: a text, a list of parts, or an object, which becomes the text of its
 * JSON. Empty texts are dropped, because the service rejects them, unless they have a signature.
 *
 * @throws GatewayError for parts that cannot be converted
 */
export function toParts(content: unknown, conversion: GenerateConversion): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }];
  if (isJsonObject(content)) return [{ text: JSON.stringify(content) }];
  return partsIn(content, conversion).flatMap((part, index) => {
    if (typeof part === 'string') return part === '' ? [] : [{ text: part }];
    conversion.position.toPart(index);
    return toPart(part, conversion);
  });
}

/** Blocks of Anthropic's API with a file or a source, which some clients write in chat completions. */
const blockTypes: ReadonlySet<string> = new Set(['image', 'document', 'search_result']);

/** @throws GatewayError for content that is neither a list of parts nor empty */
function partsIn(content: unknown, { position }: GenerateConversion): readonly (string | JsonObject)[] {
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content))
    throw unsupportedParameter('messages[].content', `The content is a ${typeof content}.`, 'Send a text or a list of parts.');
  return content.map((part: unknown, index) => {
    if (typeof part === 'string' || isJsonObject(part)) return part;
    position.toPart(index);
    throw unsupportedParameter('messages[].content[]', 'The content part is not an object.', 'Send a text or a list of parts.');
  });
}

const cachesItself = 'this service caches by itself';

/** Like `toParts`, for roles that support only text. */
export function toTexts(content: unknown, conversion: GenerateConversion): string[] {
  const { drops } = conversion;
  if (typeof content === 'string') return content === '' ? [] : [content];
  if (isJsonObject(content)) return [JSON.stringify(content)];
  return partsIn(content, conversion).flatMap((part) => {
    const text = typeof part === 'string' ? part : isJsonObject(part) ? part['text'] : undefined;
    if (isJsonObject(part)) {
      if (typeof text !== 'string')
        drops.add(`messages[].content[].${textOf(part['type']) ?? 'type'}`, 'system messages can contain only text');
      if ((part['cache_control'] ?? undefined) !== undefined) drops.add('messages[].content[].cache_control', cachesItself);
      drops.addUnread(part, textMembers, 'messages[].content[].');
    }
    return typeof text === 'string' && text !== '' ? [text] : [];
  });
}

export function toPart(part: JsonObject, conversion: GenerateConversion): Part[] {
  const type = textOf(part['type']) ?? (typeof part['text'] === 'string' ? 'text' : '');
  if ((part['cache_control'] ?? undefined) !== undefined) conversion.drops.add('messages[].content[].cache_control', cachesItself);
  if (type === 'text' || type === 'input_text' || type === 'output_text' || type === 'refusal') {
    conversion.drops.addUnread(part, textMembers, 'messages[].content[].');
    return textPart(part);
  }
  if (blockTypes.has(type)) return objectsIn(chatContent([part], conversion.drops)).flatMap((one) => toPart(one, conversion));
  reportLosses(part, type, conversion);
  if (urlParts.has(type)) return [urlPart(part, type, conversion)];
  if (type === 'input_audio') return [audioPart(part, conversion)];
  if (type === 'file' || type === 'input_file') {
    const file = isJsonObject(part['file']) ? part['file'] : part;
    return [{ ...filePart(file, conversion), ...besideFile(file, part, conversion) }];
  }
  const step = nativePart(part, type);
  if (step !== undefined) return [{ ...step, ...signed(signatureIn(part)) }];
  if (type === 'thinking' || type === 'redacted_thinking' || type === 'reasoning') {
    conversion.drops.add(`messages[].content[].${type}`, 'thinking is not sent back to Gemini models');
    return [];
  }
  throw unsupportedParameter(
    'messages[].content[]',
    `Content of type "${type}" cannot be sent to this provider.`,
    'Use text, image_url, input_audio or file.',
  );
}

const textMembers: ReadonlySet<string> = new Set(['type', 'text', 'refusal', 'cache_control', ...signatureKeys]);
const besideFiles = [
  'type',
  'cache_control',
  'input_audio',
  'video_metadata',
  'videoMetadata',
  'media_resolution',
  'mediaResolution',
  ...signatureKeys,
];
const fileMembers = [
  'url',
  'file_data',
  'file_url',
  'file_uri',
  'file_id',
  'filename',
  'mime_type',
  'mimeType',
  'media_type',
  'format',
  'detail',
  'data',
];
const inFiles: ReadonlySet<string> = new Set([...besideFiles, ...fileMembers]);

/** Reports members of a file part that are lost. */
function reportLosses(part: JsonObject, type: string, { drops }: GenerateConversion): void {
  const inner = part[type] ?? part['image_url'];
  const { [type]: _inner, image_url: _url, ...beside } = part;
  drops.addUnread(beside, inFiles, 'messages[].content[].');
  if (isJsonObject(inner)) drops.addUnread(inner, inFiles, `messages[].content[].${type}.`);
}

function textPart(part: JsonObject): Part[] {
  const text = textOfPart(part) ?? textOf(part['refusal']);
  const signature = signatureIn(part);
  if (signature !== undefined) return [{ text: text ?? '', thoughtSignature: signature }];
  return text === undefined || text === '' ? [] : [{ text }];
}

/**
 * Converts `{type: 'image_url', image_url: {url, mime_type?, detail?}}`. The inner object may also be the URL itself, or contain
 * `file_id` in its place.
 */
function urlPart(part: JsonObject, type: string, conversion: GenerateConversion): Part {
  const inner = part[type] ?? part['image_url'];
  const file = isJsonObject(inner) ? inner : { url: inner };
  const url = textOf(file['url']) ?? textOf(file['file_id']) ?? textOf(part['file_id']);
  if (url === undefined) throw unsupportedParameter(`messages[].content[].${type}.url`, 'The part names no URL.');
  const out = mediaPart(referencedFile(url, file, `messages[].content[].${type}.url`), conversion);
  return { ...out, ...besideFile(file, part, conversion) };
}

const videoKeys = ['video_metadata', 'videoMetadata'] as const;
const resolutionKeys = ['media_resolution', 'mediaResolution'] as const;

/** Converts what describes a file, from its object or next to it. */
function besideFile(file: JsonObject, part: JsonObject, conversion: GenerateConversion): Part {
  const video = oneOf(file, videoKeys) ?? oneOf(part, videoKeys);
  const level = oneOf(file, resolutionKeys) ?? oneOf(part, resolutionKeys);
  return {
    ...(level === undefined
      ? resolution(file['detail'] ?? part['detail'], conversion)
      : { mediaResolution: isJsonObject(level) ? level : { level } }),
    ...(isJsonObject(video) ? { videoMetadata: video } : {}),
    ...signed(signatureIn(part)),
  };
}

/** Converts `detail`: from the third generation on it is set per part, before that per request. */
function resolution(detail: unknown, { traits, details, drops }: GenerateConversion): Part {
  if (detail === undefined || detail === null || detail === 'auto') return {};
  if (detail !== 'low' && detail !== 'high') {
    drops.add('messages[].content[].image_url.detail');
    return {};
  }
  if (traits.major >= 3) return { mediaResolution: { level: `MEDIA_RESOLUTION_${detail.toUpperCase()}` } };
  details.add(detail);
  return {};
}

function audioPart(part: JsonObject, conversion: GenerateConversion): Part {
  const audio = part['input_audio'];
  const data = isJsonObject(audio) ? textOf(audio['data']) : undefined;
  if (!isJsonObject(audio) || data === undefined)
    throw unsupportedParameter('messages[].content[].input_audio.data', 'The part contains no audio.');
  const type = audioType(audio['format'], 'messages[].content[].input_audio.format');
  return { ...inline(type, standardBase64(data), 'messages[].content[].input_audio'), ...besideFile(audio, part, conversion) };
}

/** Converts the file of `{type: 'file', file: {file_data | file_id | file_url, filename?}}`. Its members may also be next to `type`. */
function filePart(file: JsonObject, conversion: GenerateConversion): Part {
  const name = textOf(file['filename']);
  if (name !== undefined) conversion.drops.add('messages[].content[].file.filename', 'this service does not support file names');
  const data = textOf(file['file_data']);
  if (data !== undefined)
    return mediaPart(referencedFile(fileDataUri(data, name), file, 'messages[].content[].file.file_data'), conversion);
  const url = textOf(file['file_url']) ?? textOf(file['file_uri']) ?? textOf(file['file_id']);
  if (url === undefined) throw unsupportedParameter('messages[].content[].file', 'The part contains neither file_data nor file_id.');
  const stored = referencedFile(url, file, 'messages[].content[].file.file_id');
  if (/^(?:gs:\/\/|https?:\/\/|data:|files\/)/i.test(stored.url)) return mediaPart(stored, conversion);
  throw unsupportedParameter(
    'messages[].content[].file.file_id',
    `The file id "${url}" is not known to this provider.`,
    'Use a gs:// or https:// address, or file_data.',
  );
}

const referencedFile = (url: string, file: JsonObject, param: string): ReferencedFile => ({
  url: storedUri(url),
  mimeType: mimeIn(file),
  param,
});

/** Returns the media type given by the client. `format` may also be a bare extension. */
function mimeIn(file: JsonObject): string | undefined {
  const declaredType = textOf(oneOf(file, ['mime_type', 'mimeType', 'media_type', 'format']));
  return declaredType === undefined || declaredType.includes('/') ? declaredType : typeOfName(`.${declaredType}`);
}

/** Members for steps of the service's own tools, by the type of their block. */
const native: Readonly<Record<string, string>> = {
  executable_code: 'executableCode',
  code_execution_result: 'codeExecutionResult',
  tool_call: 'toolCall',
  tool_response: 'toolResponse',
};

/** Converts a step of the service's own tools, in the form of responses with strict compliance off, without its signature. */
export function nativePart(part: JsonObject, type: string): Part | undefined {
  const member = Object.hasOwn(native, type) ? native[type] : undefined;
  if (member === undefined || !isJsonObject(part[type])) return undefined;
  return { [member]: part[type], ...(part['thought'] === true ? { thought: true } : {}) };
}
