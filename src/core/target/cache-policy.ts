/** Default of `cache.max_age`, in seconds: a week. */
export const defaultMaxAge = 604_800;

/** Maximum of `cache.max_age`, in seconds: 90 days. */
export const longestMaxAge = 7_776_000;

/** Compiled `cache`. */
export interface CachePolicy {
  /** A stored response is used for this time, in milliseconds. */
  readonly maxAgeMs: number;
}
