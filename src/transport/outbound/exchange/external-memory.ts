import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes transferred between two collections. */
const everyBytes = 8 * 1024 * 1024;

/**
 * Keeps the memory of the process flat while files pass through. The chunks of a file are outside the V8 heap, which
 * hardly grows, so up to 64 MB of chunks that were already sent would wait for a garbage collection. This function
 * collects the young generation (a fraction of a millisecond) every few megabytes.
 *
 * @returns a function to call with the size of each transferred chunk; it has no effect if the engine offers no such
 * collection
 */
export function createYoungCollector(): (bytes: number) => void {
  let passed = 0;
  let collect: ((options: { type: 'minor' }) => void) | undefined;
  return (bytes) => {
    passed += bytes;
    if (passed < everyBytes) return;
    passed = 0;
    collect ??= collector();
    collect({ type: 'minor' });
  };
}

function collector(): (options: { type: 'minor' }) => void {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('typeof gc === "function" ? gc : undefined');
  setFlagsFromString('--no-expose-gc');
  return typeof found === 'function' ? (found as (options: { type: 'minor' }) => void) : () => {};
}
