/** Work that can be interrupted: it yields between its pieces and returns the result. */
export type Steps<T> = Generator<undefined, T>;

/** Does the work at once. */
export function complete<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The longest time that requests wait for a piece of the work, in milliseconds. */
const sliceMs = 4;

/**
 * Does the work in slices, with a turn of the event loop between them: a configuration of thousands of targets takes
 * longer to compile than an open stream may wait for its next event.
 *
 * @param now monotonic milliseconds
 */
export async function inSlices<T>(steps: Steps<T>, now: () => number): Promise<T> {
  let end = now() + sliceMs;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (now() < end) continue;
    await new Promise((resolve) => setImmediate(resolve));
    end = now() + sliceMs;
  }
}
