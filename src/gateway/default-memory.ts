import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/**
 * What requests may hold where `server.memory` is not set, in bytes: a quarter of the memory that the process may use,
 * that of its container where it has a limit. At most half of the engine's heap: texts are held there.
 */
export function defaultMemory(): number {
  const contained = process.constrainedMemory();
  const total = totalmem();
  const memory = contained > 0 && contained < total ? contained : total;
  return Math.floor(Math.min(memory / 4, getHeapStatistics().heap_size_limit / 2));
}
