/** Work in steps: the generator yields between steps and returns the result. */
export type Steps<T> = Generator<undefined, T>;

/** Runs all steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Longest time that one slice of the work blocks requests, in milliseconds. */
const sliceMs = 4;

/**
 * Runs the steps in slices and yields to the event loop between them: compiling or comparing a configuration of thousands of
 * targets takes longer than an open stream may be delayed.
 *
 * @param now monotonic milliseconds
 */
export async function runInSlices<T>(steps: Steps<T>, now: () => number): Promise<T> {
  let end = now() + sliceMs;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (now() < end) continue;
    await new Promise((resolve) => setImmediate(resolve));
    end = now() + sliceMs;
  }
}
