import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { objectsIn, textOf } from '../../shared/json.ts';

/**
 * Returns the web pages that some services list beside the choices, in OpenAI's form: `citations` (Perplexity, xAI) are addresses
 * in the order in which the text refers to them, `search_results` (Perplexity) have their titles.
 */
export function sourcesBeside({ citations, search_results: results }: JsonObject): readonly JsonObject[] {
  if (citations === undefined && results === undefined) return none;
  const titles = new Map(objectsIn(results).map(({ url, title }) => [textOf(url), textOf(title)]));
  const cited = Array.isArray(citations) ? citations.map((one: unknown) => textOf(isJsonObject(one) ? one['url'] : one)) : [];
  const urls = new Set([...cited, ...titles.keys()]);
  urls.delete(undefined);
  return [...urls].map((url) => ({ type: 'url_citation', url_citation: { url, title: titles.get(url) ?? null } }));
}

const none: readonly JsonObject[] = Object.freeze([]);
