import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { unsupportedParameter, unsupportedPart } from '../../shared/request/parameter-errors.ts';
import type { Drops } from '../../shared/request/drops.ts';
import { objectsIn, stringOf, textOf } from '../../shared/json.ts';
import { cacheOf } from './cache.ts';

type Part = Record<string, unknown>;

/** Converts content of a user message or of a tool result: a text stays as it is, blocks become parts. @throws GatewayError */
export function chatContent(content: unknown, drops: Drops): string | readonly Part[] {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.filter(isJsonObject).flatMap((block) => partsOf(block, drops)) : '';
}

/** @throws GatewayError for blocks of an unknown type */
function partsOf(block: JsonObject, drops: Drops): readonly Part[] {
  switch (block['type']) {
    case 'text':
      drops.addUnread(block, textMembers, 'messages[].content[].');
      return [{ type: 'text', text: block['text'], ...cacheOf(block) }];
    case 'image':
      drops.addUnread(block, imageMembers, 'messages[].content[].image.');
      return [{ type: 'image_url', image_url: { url: imageUrl(block['source'], drops) }, ...cacheOf(block) }];
    case 'document':
      return documentParts(block, drops);
    case 'search_result':
      return [{ type: 'text', text: searchText(block, drops), ...cacheOf(block) }];
    case 'container_upload':
    case 'tool_reference':
    case 'browser_state':
      drops.add(`messages[].content[].${block['type']}`, 'only the API itself knows what it refers to');
      return [];
    case 'tool_addition':
    case 'tool_removal':
      drops.add(`messages[].content[].${block['type']}`, 'other services offer the same tools throughout a conversation');
      return [];
    default:
      throw unsupportedPart(
        'Content blocks',
        block['type'],
        'provider',
        'Its content may be text, image, document, search_result, tool_use or tool_result.',
      );
  }
}

/** Members of a text block. `citations` are converted only in assistant messages. */
const textMembers: ReadonlySet<string> = new Set(['type', 'text', 'citations', 'cache_control']);
const imageMembers: ReadonlySet<string> = new Set(['type', 'source', 'cache_control']);
const sourceMembers: ReadonlySet<string> = new Set(['type', 'media_type', 'data', 'url', 'file_id']);
const foundMembers: ReadonlySet<string> = new Set(['type', 'text', 'citations']);
const searchMembers: ReadonlySet<string> = new Set(['type', 'source', 'title', 'content', 'citations', 'cache_control']);

/** @throws GatewayError `unsupported_parameter` */
function imageUrl(source: unknown, drops: Drops): string {
  if (isJsonObject(source)) drops.addUnread(source, sourceMembers, 'messages[].content[].image.source.');
  const url = isJsonObject(source) ? urlOf(source) : undefined;
  if (url !== undefined) return url;
  throw unsupportedParameter('messages[].content[].image.source', 'The block names no image.', 'Send a source of type base64 or url.');
}

/** Returns a data URI, a URL, or the id of a stored file. */
function urlOf(source: JsonObject): string | undefined {
  const { type, media_type: mime, data, url, file_id: id } = source;
  if (type === 'base64') return typeof data === 'string' ? `data:${stringOf(mime)};base64,${data}` : undefined;
  return textOf(type === 'file' ? id : url);
}

const documentSourceMembers: ReadonlySet<string> = new Set([...sourceMembers, 'content']);

/** Known members of a document block. */
const documentMembers: ReadonlySet<string> = new Set(['type', 'source', 'title', 'context', 'citations', 'cache_control']);

/**
 * Converts a document block. Files stay files; documents that consist of text become text, because hardly any other service
 * accepts them as files.
 *
 * @throws GatewayError `unsupported_parameter`
 */
function documentParts(block: JsonObject, drops: Drops): readonly Part[] {
  const { source } = block;
  drops.addUnread(block, documentMembers, 'messages[].content[].document.');
  if (!isJsonObject(source)) throw noSource();
  drops.addUnread(source, documentSourceMembers, 'messages[].content[].document.source.');
  if (source['type'] === 'text' || source['type'] === 'content') return textDocument(block, source, drops);
  const url = urlOf(source);
  if (url === undefined) throw noSource();
  const name = textOf(block['title']);
  const filename = name === undefined ? {} : { filename: name };
  const member = source['type'] === 'base64' ? 'file_data' : source['type'] === 'file' ? 'file_id' : 'file_url';
  return [{ type: 'file', file: { [member]: url, ...filename }, ...besides(block), ...cacheOf(block) }];
}

const noSource = (): Error =>
  unsupportedParameter(
    'messages[].content[].document.source',
    'The block names no document.',
    'Send a source of type base64, url, text or content.',
  );

/** Members that are kept for services of this format. Other services report them as dropped. */
function besides({ context, citations }: JsonObject): Part {
  const isCited = isJsonObject(citations) && citations['enabled'] === true;
  return { ...(typeof context === 'string' ? { context } : {}), ...(isCited ? { citations } : {}) };
}

function textDocument(block: JsonObject, source: JsonObject, drops: Drops): readonly Part[] {
  const { citations } = besides(block);
  if (citations !== undefined)
    drops.add('messages[].content[].document.citations', 'other services do not cite the documents of a request');
  const inner = source['type'] === 'text' ? source['data'] : source['content'];
  const parts = typeof inner === 'string' ? [{ type: 'text', text: inner }] : chatContent(inner, drops);
  const head = openingTag('document', { title: block['title'], context: block['context'] });
  const lines = typeof parts === 'string' ? [{ type: 'text', text: parts }] : parts;
  return inDocumentTags(head, lines).map((part, at, all) => (at === all.length - 1 ? { ...part, ...cacheOf(block) } : part));
}

function searchText(block: JsonObject, drops: Drops): string {
  drops.addUnread(block, searchMembers, 'messages[].content[].search_result.');
  if (besides(block)['citations'] !== undefined)
    drops.add('messages[].content[].search_result.citations', 'other services do not cite the documents of a request');
  const content = objectsIn(block['content']);
  for (const one of content) {
    if (one['type'] === 'text') drops.addUnread(one, foundMembers, 'messages[].content[].search_result.');
    else drops.add(`messages[].content[].search_result.${stringOf(one['type'])}`);
  }
  const texts = content.map(({ text }) => stringOf(text));
  return `${openingTag('search_result', { title: block['title'], source: block['source'] })}\n${texts.join('\n')}\n</search_result>`;
}

/** Builds a tag such as `<document title="…">`, a form that models understand, with the facts about the text as attributes. */
function openingTag(name: string, facts: JsonObject): string {
  const attributes = Object.entries(facts).flatMap(([key, value]) =>
    typeof value === 'string' ? [` ${key}=${JSON.stringify(value)}`] : [],
  );
  return `<${name}${attributes.join('')}>`;
}

/** Adds the tags around parts. A single text stays one text, and files keep their position. */
function inDocumentTags(head: string, parts: readonly Part[]): readonly Part[] {
  const tail = '</document>';
  const [only] = parts;
  if (parts.length === 1 && only?.['type'] === 'text') return [{ ...only, text: `${head}\n${stringOf(only['text'])}\n${tail}` }];
  return [{ type: 'text', text: head }, ...parts, { type: 'text', text: tail }];
}
