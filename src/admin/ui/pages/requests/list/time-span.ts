import { parseFilter } from '../../../../../query/parse.ts';
import { stepFor } from '../../../log/terms.ts';

/** The time limits of a filter in Unix milliseconds; null if there are none. */
interface TimeSpan {
  readonly since: number | null;
  readonly until: number | null;
}

function spanOf(query: string, now: number): TimeSpan {
  const parsed = parseFilter(query, now);
  return 'filter' in parsed ? parsed.filter : { since: null, until: null };
}

/** True if no request that ends from now on matches. */
export function isRangeOver(query: string, now: number): boolean {
  const { until } = spanOf(query, now);
  return until !== null && until <= now;
}

/**
 * Length of a histogram bar in seconds, for the time that a filter covers.
 *
 * @param oldest Unix milliseconds of the oldest record, for a filter without a start; null if there is none
 */
export function stepOf(query: string, oldest: number | null, now: number): number {
  const { since, until } = spanOf(query, now);
  return stepFor(Math.max(0, (until ?? now) - (since ?? oldest ?? now)));
}
