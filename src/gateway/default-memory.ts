import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/**
 * Default of `server.memory`, the memory that requests may use, in bytes: a quarter of the memory available to the
 * process (the container limit, if there is one), and at most half of the V8 heap limit, because texts are kept on the
 * heap.
 */
export function defaultMemory(): number {
  const contained = process.constrainedMemory();
  const total = totalmem();
  const memory = contained > 0 && contained < total ? contained : total;
  return Math.floor(Math.min(memory / 4, getHeapStatistics().heap_size_limit / 2));
}
