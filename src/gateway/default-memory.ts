import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/** Memory limit of the container in bytes (cgroup); undefined if there is none below the memory of the machine. */
export function containerMemory(): number | undefined {
  const contained = process.constrainedMemory();
  return contained > 0 && contained < totalmem() ? contained : undefined;
}

/**
 * Default of `server.memory`, the memory that requests may use, in bytes: a quarter of the memory available to the
 * process (the container limit, if there is one), and at most half of the V8 heap limit, because texts are kept on the
 * heap.
 */
export function defaultMemory(available = containerMemory() ?? totalmem()): number {
  return Math.floor(Math.min(available / 4, getHeapStatistics().heap_size_limit / 2));
}
