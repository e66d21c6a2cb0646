import { GatewayError } from '../core/error.ts';
import type { Filter, FilterProblem } from './filter.ts';
import { parseFilter } from './parse.ts';

/**
 * Parses a filter for a request handler.
 * @throws GatewayError `invalid_filter` with the position of the error
 */
export function readFilter(text: string, now: number): Filter {
  const parsed = parseFilter(text, now);
  if ('problem' in parsed) throw invalidFilter(parsed.problem);
  return parsed.filter;
}

function invalidFilter({ message, hint, from }: FilterProblem): GatewayError {
  return new GatewayError('invalid_filter', {
    message: `Character ${from + 1} of the filter: ${message}`,
    hint: hint ?? undefined,
    param: 'q',
  });
}
