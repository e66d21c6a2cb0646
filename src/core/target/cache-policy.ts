/** Default of `cache.max_age`, in seconds: a week. */
export const defaultMaxAge = 604_800;

/** Compiled `cache`. */
export interface CachePolicy {
  /** A stored response is used for this time, in milliseconds. */
  readonly maxAgeMs: number;
}
