import { type Collection, garbageCollector } from '../../../core/memory/garbage-collector.ts';

/** Bytes that pass between two collections. */
const everyBytes = 8 * 1024 * 1024;

/**
 * Keeps the memory of a process flat while files pass. The chunks of a file lie outside of the engine's heap, which
 * hardly grows by them, so that up to 64 MB of chunks that were sent long ago wait for a collection; here the young
 * generation, a fraction of a millisecond of work, is collected for every few megabytes.
 *
 * @returns to be told of bytes that have passed; it does nothing where the engine offers no such collection
 */
export function createYoungCollector(): (bytes: number) => void {
  let passed = 0;
  let collect: ((options: Collection) => void) | undefined;
  return (bytes) => {
    passed += bytes;
    if (passed < everyBytes) return;
    passed = 0;
    collect ??= garbageCollector();
    collect({ type: 'minor' });
  };
}
