import type { JsonBody } from '../../core/json/body.ts';
import type { JsonObject } from '../../core/json/merge.ts';
import { hasLongNumbers } from '../../core/json/scan.ts';

/**
 * Replaces one member of an object that was read from a body by a copy whose long numbers keep all digits. Returns the same
 * object if the member has no long numbers.
 */
export function withExact(object: JsonObject, body: JsonBody, key: string): JsonObject {
  if (object[key] === undefined) return object;
  for (const member of body.members())
    if (member.key === key) return hasLongNumbers(body.textOf(member.index)) ? { ...object, [key]: body.exact(key) } : object;
  return object;
}
