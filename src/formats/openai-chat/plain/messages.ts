import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { unsupportedParameter } from '../../shared/request/parameter-errors.ts';
import type { Drops } from '../../shared/request/drops.ts';
import { withFilesAfterResults } from '../../history/result-files.ts';
import { objectsIn } from '../../shared/json.ts';
import { withFileName } from './files.ts';

/**
 * Converts messages. Text-only content becomes a string, since many services accept nothing else. Results can hold only text, so
 * their files move to a user message. @param caches the service reads `cache_control` of texts @throws GatewayError
 */
export const plainMessages = (messages: readonly JsonObject[], drops: Drops, caches: boolean): readonly JsonObject[] =>
  objectsIn(withFilesAfterResults(messages)).map((message) => {
    if (message['role'] === 'tool') return resultOf(message, drops, caches);
    return message['role'] === 'assistant'
      ? withText(message, drops, caches)
      : { ...message, content: contentOf(message['content'], drops, caches) };
  });

function resultOf(message: JsonObject, drops: Drops, caches: boolean): JsonObject {
  if (message['is_error'] === true) drops.add('messages[].is_error', 'this service does not support is_error');
  const texts = partsOf(message['content'], drops, caches).filter(({ text }) => text !== '');
  return { role: 'tool', tool_call_id: message['tool_call_id'], content: resultText(texts, message, drops, caches) };
}

/** A mark of the whole result moves to its last text: this format has marks only in parts. */
function resultText(texts: readonly JsonObject[], message: JsonObject, drops: Drops, caches: boolean): unknown {
  const { cache_control: mark } = message;
  const last = texts.at(-1);
  const isMarked = caches && mark !== undefined && last !== undefined;
  if (!isMarked) nameMarks(message, drops);
  const marked = isMarked ? [...texts.slice(0, -1), { ...last, cache_control: mark }] : texts;
  return marked.some(({ cache_control: kept }) => kept !== undefined) ? marked : joined(marked);
}

/** Converts content that consists only of text without cache marks to a string. */
function contentOf(content: unknown, drops: Drops, caches: boolean): unknown {
  if (!Array.isArray(content)) return content;
  const parts = partsOf(content, drops, caches);
  return parts.every(({ type, cache_control: mark }) => type === 'text' && mark === undefined) ? joined(parts) : parts;
}

/** Blocks and calls are left to the rules for the history. */
function withText(message: JsonObject, drops: Drops, caches: boolean): JsonObject {
  const { content } = message;
  if (!Array.isArray(content) || !content.filter(isJsonObject).every(({ type }) => type === 'text')) return message;
  return { ...message, content: contentOf(content, drops, caches) };
}

const joined = (parts: readonly JsonObject[]): string => parts.map(({ text }) => String(text ?? '')).join('\n\n');

function partsOf(content: unknown, drops: Drops, caches: boolean): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject).map((part) => partOf(part, drops, caches)) : [];
}

const partMembers: ReadonlySet<string> = new Set(['type', 'text', 'image_url', 'file', 'input_audio', 'cache_control']);

/** @throws GatewayError `unsupported_parameter` */
function partOf(part: JsonObject, drops: Drops, caches: boolean): JsonObject {
  const isMarked = caches && part['type'] === 'text' && part['cache_control'] !== undefined;
  if (!isMarked) nameMarks(part, drops);
  drops.addUnread(part, partMembers, 'messages[].content[].');
  const { type, text, image_url: image, file, input_audio: sound } = part;
  if (type === 'text') return { type, text, ...(isMarked ? { cache_control: part['cache_control'] } : {}) };
  if (type === 'image_url') return { type, image_url: imageOf(image) };
  return isJsonObject(file) ? { type, file: fileOf(file) } : { type, ...(sound === undefined ? {} : { input_audio: sound }) };
}

function imageOf(image: unknown): unknown {
  const url = isJsonObject(image) ? image['url'] : image;
  if (typeof url === 'string' && /^(?:data:|https?:\/\/)/i.test(url)) return image;
  throw unsupportedParameter(
    'messages[].content[].image.source',
    'This service cannot read images that are stored at another service.',
    'Send a source of type base64 or url.',
  );
}

/** @throws GatewayError `unsupported_parameter` */
function fileOf(file: JsonObject): JsonObject {
  if (file['file_url'] !== undefined) {
    throw unsupportedParameter(
      'messages[].content[].document.source',
      'This service does not accept documents by URL.',
      'Send the document in a source of type base64.',
    );
  }
  return withFileName(file);
}

function nameMarks(object: JsonObject, drops: Drops): void {
  if (object['cache_control'] !== undefined) drops.add('messages[].content[].cache_control', 'this service caches by itself');
}
