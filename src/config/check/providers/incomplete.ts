import { type Entry, traverse } from '../../read/node.ts';
import type { CheckContext } from '../context.ts';

/** True when a value of the entry is unknown, which makes the type's own check meaningless. */
export function isIncomplete(entry: Entry, { unresolved, missingSecrets }: CheckContext): boolean {
  let found = Object.hasOwn(missingSecrets, entry.key);
  traverse(entry.value, (node) => {
    found ||= unresolved.has(node.at);
    return !found;
  });
  return found;
}
