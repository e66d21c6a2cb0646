/** Calls a function after this many milliseconds. Returns a function that cancels the call. */
export type Later = (ms: number, run: () => void) => () => void;

/** For a dry run, which only reports waits. */
export const atOnce: Later = (_ms, run) => {
  queueMicrotask(run);
  return () => undefined;
};

/** Waits in real time. */
export const later: Later = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};
