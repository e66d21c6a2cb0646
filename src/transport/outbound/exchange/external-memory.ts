import { garbageCollector } from '../../../core/memory/garbage-collector.ts';

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
  let transferred = 0;
  let collect: ReturnType<typeof garbageCollector> | undefined;
  return (bytes) => {
    transferred += bytes;
    if (transferred < everyBytes) return;
    transferred = 0;
    collect ??= garbageCollector();
    collect({ type: 'minor' });
  };
}
