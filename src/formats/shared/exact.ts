import type { JsonBody } from '../../core/json/body.ts';
import type { Plain } from '../../core/json/merge.ts';
import { hasLongNumbers } from '../../core/json/scan.ts';

/**
 * An object that was read from a body, with one member whose numbers keep their digits: the same object where they are
 * short.
 */
export function withExact(object: Plain, body: JsonBody, key: string): Plain {
  if (object[key] === undefined) return object;
  for (const member of body.members())
    if (member.key === key) return hasLongNumbers(body.textOf(member.place)) ? { ...object, [key]: body.exact(key) } : object;
  return object;
}
