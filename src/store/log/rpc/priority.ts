import { readdirSync, readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** The priority of a process that runs only when no other process needs the processor. */
const lowest = constants.priority.PRIORITY_LOW;

/**
 * Lowers the priority of this thread below that of the thread that serves requests. Works on Linux only, where each
 * thread has a priority of its own; elsewhere, or without permission, it has no effect.
 *
 * @param steps 1 to 19, added to the priority that the process was started with
 */
export function lowerPriority(steps: number): void {
  try {
    const thread = Number(/\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self'))?.[1]);
    // The main thread has the process id as its number.
    if (Number.isInteger(thread) && thread !== process.pid) setPriority(thread, Math.min(lowest, getPriority(thread) + steps));
  } catch {
    // The priority stays unchanged.
  }
}

/**
 * Lowers the priority of this process and all its threads. On Linux, each thread has a priority of its own, and a new thread
 * inherits that of its creator.
 *
 * @param steps 1 to 19, added to the priority that the process was started with; 19: the lowest
 */
export function lowerAllPriorities(steps: number): void {
  try {
    const priority = Math.min(lowest, getPriority() + steps);
    setPriority(priority);
    for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), priority);
  } catch {
    // Not Linux, or not permitted.
  }
}
