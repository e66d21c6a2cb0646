import { type Entry, walk } from '../../read/node.ts';
import type { CheckContext } from '../context.ts';

/** A value is not known: what the type would say about the entry means nothing. */
export function isIncomplete(entry: Entry, { unresolved, missing }: CheckContext): boolean {
  let found = Object.hasOwn(missing, entry.key);
  walk(entry.value, (node) => {
    found ||= unresolved.has(node.at);
    return !found;
  });
  return found;
}
