import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * Lets this thread stand back behind the one that serves requests, where processors are short. On Linux alone, where a thread has a
 * priority of its own; elsewhere, and where it is not allowed, nothing happens.
 *
 * @param steps 1 to 19, added to what the process was started with
 */
export function standBack(steps: number): void {
  try {
    const thread = Number(/\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self'))?.[1]);
    // The process itself has the number of its first thread.
    if (Number.isInteger(thread) && thread !== process.pid) setPriority(thread, Math.min(19, getPriority(thread) + steps));
  } catch {
    // As it was.
  }
}
