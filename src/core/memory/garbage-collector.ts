import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** `minor`: the young generation only. */
type Collection = { readonly type: 'minor' | 'major' };

/** @returns V8's own function, which collects before it returns; one that does nothing where V8 has none */
export function garbageCollector(): (options: Collection) => void {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : undefined');
  setFlagsFromString('--no-expose-gc');
  return typeof found === 'function' ? (found as (options: Collection) => void) : () => {};
}
