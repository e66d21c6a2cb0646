/** Calls a function after this many milliseconds. Returns a function that cancels the call. */
export type Schedule = (ms: number, run: () => void) => () => void;

/** For a dry run, which only reports waits. */
export const scheduleNow: Schedule = (_ms, run) => {
  queueMicrotask(run);
  return () => undefined;
};

/** Longest time that a timer of Node can wait, in milliseconds: 24.8 days. With a longer one it ends at once. */
const maxTimerMs = 2 ** 31 - 1;

/** Waits in real time. */
export const schedule: Schedule = (ms, run) => {
  const timer = setTimeout(run, Math.min(ms, maxTimerMs));
  return () => clearTimeout(timer);
};
