/** Calls a function after this many milliseconds. Returns a function that cancels the call. */
export type Later = (ms: number, run: () => void) => () => void;

/** Waits in real time. */
export const later: Later = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};
