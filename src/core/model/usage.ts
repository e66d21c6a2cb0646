import type { UsageDetails } from '../records/record.ts';

/** Tokens of one answer. `prompt` includes cached tokens, `completion` includes reasoning; all counts are tokens but those in `details` that say otherwise. */
export interface Usage {
  readonly prompt: number;
  readonly completion: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
  readonly audioIn?: number;
  readonly audioOut?: number;
  /** Parts and kinds that have prices of their own. */
  readonly details?: UsageDetails;
}
