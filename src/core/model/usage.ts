import type { UsageDetails } from '../records/record.ts';

/**
 * Tokens of one response. `prompt` includes cached tokens, `completion` includes reasoning. All counts are tokens,
 * except some in `details`.
 */
export interface Usage {
  readonly prompt: number;
  readonly completion: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
  readonly audioIn?: number;
  readonly audioOut?: number;
  /** Parts and units that are priced separately. */
  readonly details?: UsageDetails;
}
