import { readdirSync, readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** Of what gets a processor when nobody else wants it. */
const lowest = constants.priority.PRIORITY_LOW;

/**
 * Lets this thread stand back behind the one that serves requests, where processors are short. On Linux alone, where a thread has a
 * priority of its own; elsewhere, and where it is not allowed, nothing happens.
 *
 * @param steps 1 to 19, added to what the process was started with
 */
export function lowerPriority(steps: number): void {
  try {
    const thread = Number(/\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self'))?.[1]);
    // The process itself has the number of its first thread.
    if (Number.isInteger(thread) && thread !== process.pid) setPriority(thread, Math.min(lowest, getPriority(thread) + steps));
  } catch {
    // As it was.
  }
}

/** Lets this process stand back behind all others, with every thread: on Linux each has a priority of its own, which those that it starts get too. */
export function lowerAllPriorities(): void {
  try {
    setPriority(lowest);
    for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), lowest);
  } catch {
    // Not Linux, or not allowed.
  }
}
