/** Calls a function after this many milliseconds. Returns a function that cancels the call. */
export type Later = (ms: number, run: () => void) => () => void;

/** For a dry run, which only reports waits. */
export const atOnce: Later = (_ms, run) => {
  queueMicrotask(run);
  return () => undefined;
};

/** Longest time that a timer of Node can wait, in milliseconds: 24.8 days. With a longer one it ends at once. */
const longest = 2 ** 31 - 1;

/** Waits in real time. */
export const later: Later = (ms, run) => {
  const timer = setTimeout(run, Math.min(ms, longest));
  return () => clearTimeout(timer);
};
