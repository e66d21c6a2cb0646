import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { textOf } from '../../shared/json.ts';
import { textOfPart, unsupportedParameter, unsupportedPart } from '../../shared/request/parameter-errors.ts';
import { type Block, cacheControlOf, type MessagesConversion, textBlock } from './conversion.ts';
import { fileDataUri } from '../../shared/media/file-data.ts';
import { typeOfPath } from '../../shared/media/mime.ts';
import { storedUri } from '../../shared/media/stored-uri.ts';
import { fileBlock, type MessageFile } from './media/files.ts';
import { storedBlock } from './media/stored-files.ts';

/**
 * Converts content of a user or tool message to blocks. Blank texts are dropped, and an object becomes the text of its JSON.
 *
 * @throws GatewayError
 */
export function partBlocks(content: unknown, conversion: MessagesConversion): Block[] {
  if (typeof content === 'string') return listOf(textBlock(content));
  if (isJsonObject(content)) return listOf(textBlock(JSON.stringify(content)));
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content))
    throw unsupportedParameter('messages[].content', `The content is a ${typeof content}.`, 'Send a text or a list of parts.');
  return content.flatMap((part: unknown, index) => {
    conversion.position.toInnerPart(index);
    return listOf(partBlock(part, conversion));
  });
}

const listOf = (block: Block | undefined): Block[] => (block === undefined ? [] : [block]);

/** Converts one part; undefined for blank text. @throws GatewayError */
export function partBlock(given: unknown, conversion: MessagesConversion): Block | undefined {
  if (typeof given === 'string') return textBlock(given);
  if (!isJsonObject(given))
    throw unsupportedParameter('messages[].content[]', 'A content part is not an object.', 'Send a text or a list of parts.');
  const part = chatPart(given);
  if (part['type'] === 'text' || part['type'] === undefined) {
    conversion.drops.addUnread(part, textMembers, 'messages[].content[].');
    return textBlock(textOfPart(part), part);
  }
  reportLosses(part, conversion);
  const own = conversion.convertPart?.(part);
  if (own !== undefined) return { ...own, ...cacheControlOf(part) };
  // Clients may write the id of a stored file in place of an image URL.
  const file = part['type'] === 'image_url' && storedBlock(part, conversion) !== undefined ? undefined : fileIn(part);
  if (file !== undefined) return { ...fileBlock(file, conversion), ...retainedMembers(part) };
  const stored = storedBlock(part, conversion);
  if (stored !== undefined) return { ...stored, ...cacheControlOf(part) };
  if (part['type'] === 'file')
    throw unsupportedParameter('messages[].content[].file', 'The part names no file.', 'Send the file as a data URI in file_data.');
  // The API's own blocks are passed unchanged.
  if (conversion.surface !== 'converse' && nativeTypes.has(part['type'])) return part;
  const served =
    conversion.surface === 'converse'
      ? 'It reads text, images, documents, video and audio.'
      : 'It reads text, images, PDF and plain text files.';
  throw unsupportedPart('Content parts', part['type'], 'service', served);
}

/** Names of parts in the responses API, which some clients write in chat completions. Their members may be next to `type` here too. */
const responsesTypes: ReadonlyMap<unknown, string> = new Map([
  ['input_text', 'text'],
  ['output_text', 'text'],
  ['input_image', 'image_url'],
  ['input_file', 'file'],
]);

function chatPart(part: JsonObject): JsonObject {
  const type = responsesTypes.get(part['type']);
  return type === undefined ? part : { ...part, type };
}

/** Blocks of the API for user messages and for results of tools. */
const nativeTypes: ReadonlySet<unknown> = new Set(['image', 'document', 'search_result', 'tool_reference', 'browser_state']);

const textMembers: ReadonlySet<string> = new Set(['type', 'text', 'cache_control']);
const partMembers: ReadonlySet<string> = new Set(['type', 'image_url', 'file', 'cache_control', 'title', 'context', 'citations']);
const fileMembers: ReadonlySet<string> = new Set(['url', 'file_data', 'file_url', 'file_id', 'filename', 'mime_type', 'format']);

/** Reports the members of a file part that are lost. The service itself chooses the resolution of images. */
function reportLosses(part: JsonObject, { drops }: MessagesConversion): void {
  const type = part['type'];
  if (type !== 'image_url' && type !== 'file') return;
  const inner = part[type];
  const beside = isJsonObject(inner) ? partMembers : new Set([...partMembers, ...fileMembers]);
  drops.addUnread(part, beside, 'messages[].content[].');
  if (!isJsonObject(inner)) return;
  const { detail, ...others } = inner;
  if ((detail ?? 'auto') !== 'auto') drops.add(`messages[].content[].${type}.detail`, 'this service chooses the resolution');
  drops.addUnread(others, fileMembers, `messages[].content[].${type}.`);
}

/** Members of the API's own file blocks that are kept when their file is inlined. */
export function retainedMembers(part: JsonObject): Block {
  const kept: Block = cacheControlOf(part);
  for (const key of ['title', 'context', 'citations']) if (part[key] !== undefined) kept[key] = part[key];
  return kept;
}

/**
 * Returns the file that a part contains by URL or by value: `image_url`, `file` with `file_data` or `file_url`, and the API's own
 * blocks with a URL, which Vertex AI cannot fetch. Undefined for any other part.
 */
export function fileIn(given: JsonObject): MessageFile | undefined {
  const part = chatPart(given);
  const type = part['type'];
  if (type === 'image_url') {
    const image = part['image_url'];
    const from = isJsonObject(image) ? image : part;
    return messageFile(isJsonObject(image) ? image['url'] : image, from, 'image', 'messages[].content[].image_url');
  }
  if (type === 'file') {
    const from = isJsonObject(part['file']) ? part['file'] : part;
    const stored = textOf(from['file_id']);
    const data = textOf(from['file_data']);
    const byValue = data === undefined ? undefined : fileDataUri(data, textOf(from['filename']), declaredType(from));
    const url = byValue ?? from['file_url'] ?? (stored !== undefined && storedUri(stored).includes('://') ? stored : undefined);
    return messageFile(url, from, 'document', 'messages[].content[].file');
  }
  const source = part['source'];
  if ((type !== 'image' && type !== 'document') || !isJsonObject(source) || source['type'] !== 'url') return undefined;
  return messageFile(source['url'], {}, type, 'messages[].content[].source');
}

function messageFile(url: unknown, from: JsonObject, defaultKind: MessageFile['defaultKind'], param: string): MessageFile | undefined {
  if (typeof url !== 'string' || url === '') {
    if (defaultKind === 'image') throw unsupportedParameter(param, 'The part names no image.', 'Set image_url.url.');
    return undefined;
  }
  return {
    url: storedUri(url),
    mimeType: declaredType(from),
    name: textOf(from['filename']),
    defaultKind,
    param,
  };
}

/** Returns the media type given by the client. `format` is a media type, or only the extension. */
function declaredType(from: JsonObject): string | undefined {
  const declared = textOf(from['mime_type']) ?? textOf(from['format']);
  return declared === undefined || declared.includes('/') ? declared : typeOfPath(`.${declared}`);
}
