/** Time comes in through this, so that tests and dry runs can set it. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Milliseconds that only go forward, for durations. */
  monotonic(): number;
}
