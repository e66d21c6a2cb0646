import type { Figures } from '../core/logs/reader.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { ProviderHealth } from './api-types.ts';
import type { Attempts } from './attempts.ts';

export const noFigures: Figures = {
  requests: 0,
  errors: 0,
  fallbacks: 0,
  retries: 0,
  cache_hits: 0,
  p50: null,
  p95: null,
  p99: null,
  ttft_p50: null,
  ttft_p95: null,
  overhead_p50: null,
  overhead_p95: null,
  tokens_in: 0,
  tokens_out: 0,
  tokens_cached: 0,
  cost_usd: '0',
  unpriced: 0,
};

/** Error rate from which a provider counts as degraded. */
const degradedFrom = 0.1;
/** Number of failures without a success from which it counts as down, because a single failure is not significant. */
const downFrom = 3;
/** Length of the evaluated period, in minutes. */
const windowMinutes = 5;

/**
 * Health of each provider over the last five minutes, based on attempts, including failed ones after which a fallback
 * succeeded. @param now Unix milliseconds
 */
export function healthOf({ providers }: Snapshot, attempts: Attempts, now: number): readonly ProviderHealth[] {
  return [...providers].map(([slug, { unusable }]) => {
    const { attempts: requests, failed: errors, p50, p95, p99 } = attempts.figures(slug, now, windowMinutes);
    const figures = { ...noFigures, requests, errors, p50, p95, p99 };
    return { slug, state: unusable === undefined ? stateOf(figures) : 'off', figures, last_error: attempts.lastError(slug) };
  });
}

function stateOf({ requests, errors }: Figures): ProviderHealth['state'] {
  if (requests === 0) return 'idle';
  if (errors === requests && errors >= downFrom) return 'down';
  return errors / requests >= degradedFrom ? 'degraded' : 'ok';
}
