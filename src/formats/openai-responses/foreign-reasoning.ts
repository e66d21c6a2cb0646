import type { JsonBody } from '../../core/json/body.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import { isKept, keptMark } from '../history/kept-content.ts';

/**
 * Removes reasoning items of other services from a client's request. The API could not decrypt them and would reject the request.
 * Returns the same body if there are none, which takes one search of the text.
 */
export function withoutForeignReasoning(body: JsonBody): JsonBody {
  const input = body.mentions(`"${keptMark}`) ? body.exact('input') : undefined;
  if (!Array.isArray(input)) return body;
  const kept = input.filter((item: unknown) => !isJsonObject(item) || item['type'] !== 'reasoning' || !isKept(item['encrypted_content']));
  return kept.length === input.length ? body : body.edit(new Map([['input', kept]]));
}
