import { parseFilter } from '../../../../../query/parse.ts';
import { stepFor } from '../../../log/terms.ts';

/** The times of a filter, in Unix milliseconds; null: it has none. */
interface Span {
  readonly since: number | null;
  readonly until: number | null;
}

function spanOf(query: string, now: number): Span {
  const parsed = parseFilter(query, now);
  return 'filter' in parsed ? parsed.filter : { since: null, until: null };
}

/** Nothing that ends from now on is part of it. */
export function isOver(query: string, now: number): boolean {
  const { until } = spanOf(query, now);
  return until !== null && until <= now;
}

/**
 * Seconds of one bar of what a filter covers.
 *
 * @param oldest Unix milliseconds of the oldest record, where a filter has no beginning; null: there is none
 */
export function stepOf(query: string, oldest: number | null, now: number): number {
  const { since, until } = spanOf(query, now);
  return stepFor(Math.max(0, (until ?? now) - (since ?? oldest ?? now)));
}
