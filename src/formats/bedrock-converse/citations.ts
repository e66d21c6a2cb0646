import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { textOf } from '../shared/json.ts';

/** Locations in documents: Converse's name, the type in the messages API, and its members for start and end. */
const ranges = [
  ['documentChar', 'char_location', 'start_char_index', 'end_char_index'],
  ['documentPage', 'page_location', 'start_page_number', 'end_page_number'],
  ['documentChunk', 'content_block_location', 'start_block_index', 'end_block_index'],
] as const;

/** Converts a citation to the form of the hub, which is that of the messages API. Undefined if it has no known location. */
export function toHubCitation({ title, source, sourceContent, location }: JsonObject): JsonObject | undefined {
  if (!isJsonObject(location)) return undefined;
  const cited = textsIn(sourceContent);
  const text = cited === '' ? {} : { cited_text: cited };
  for (const [name, type, first, last] of ranges) {
    const range = location[name];
    if (isJsonObject(range))
      return {
        type,
        ...text,
        document_index: range['documentIndex'],
        document_title: title ?? null,
        [first]: range['start'],
        [last]: range['end'],
      };
  }
  const { web, searchResultLocation: found } = location;
  if (isJsonObject(web)) return { type: 'web_search_result_location', ...text, url: web['url'], title: title ?? null };
  if (!isJsonObject(found)) return undefined;
  const { searchResultIndex, start, end } = found;
  const position = { search_result_index: searchResultIndex, start_block_index: start, end_block_index: end };
  return { type: 'search_result_location', ...text, source, title: title ?? null, ...position };
}

/** Converts a citation back to Converse's form; undefined if Converse has no equivalent. */
export function fromHubCitation(citation: JsonObject): JsonObject | undefined {
  const location = locationOf(citation);
  if (location === undefined) return undefined;
  const title = textOf(citation['document_title']) ?? textOf(citation['title']);
  const text = textOf(citation['cited_text']);
  const source = textOf(citation['source']);
  return {
    ...(title === undefined ? {} : { title }),
    ...(source === undefined ? {} : { source }),
    ...(text === undefined ? {} : { sourceContent: [{ text }] }),
    location,
  };
}

function locationOf(citation: JsonObject): JsonObject | undefined {
  const { type } = citation;
  for (const [name, own, first, last] of ranges) {
    if (own === type) return { [name]: { documentIndex: citation['document_index'], start: citation[first], end: citation[last] } };
  }
  if (type === 'web_search_result_location') return { web: { url: citation['url'] } };
  if (type !== 'search_result_location') return undefined;
  const { search_result_index: searchResultIndex, start_block_index: start, end_block_index: end } = citation;
  return { searchResultLocation: { searchResultIndex, start, end } };
}

const textsIn = (list: unknown): string =>
  Array.isArray(list)
    ? list
        .filter(isJsonObject)
        .map((one) => textOf(one['text']) ?? '')
        .join('')
    : '';
