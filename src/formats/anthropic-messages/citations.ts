import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { textOf } from '../shared/json.ts';

/**
 * Converts cited web pages to OpenAI's form, which has no other sources. The API cites for a whole text block, which begins at
 * `start` of the response text and has `length` characters.
 */
export function annotationsOf(citations: unknown, start: number, length: number): JsonObject[] {
  const pages = Array.isArray(citations) ? citations.filter(isJsonObject).filter((one) => textOf(one['url']) !== undefined) : [];
  return pages.map(({ url, title }) => ({
    type: 'url_citation',
    url_citation: { url, title: textOf(title) ?? '', start_index: start, end_index: start + length },
  }));
}
