import { paramOf } from '../_shared/address.ts';
import { badValue, type Problem } from './problems.ts';

/** A list that is read page by page, newest first. */
export interface PageRules {
  /** Rows of a page where the request doesn't say. */
  readonly usual: number;
  /** The most that may be asked for; some lists state none. */
  readonly most?: number;
  /** The list may be asked for oldest first. */
  readonly ordered?: true;
}

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** One page by `limit` and `after`, or why there is none. `rows` are newest first. */
export function pageOf<Row extends { readonly id: string }>(rows: readonly Row[], query: string, rules: PageRules): Page<Row> | Problem {
  const limit = limitOf(paramOf(query, 'limit'), rules);
  if (typeof limit === 'object') return limit;
  const order = paramOf(query, 'order');
  if (rules.ordered === true && order !== undefined && order !== 'asc' && order !== 'desc') {
    return badValue('invalid_value', 'order', "Invalid value for 'order'. Supported values are: 'asc', 'desc'.");
  }
  const sorted = rules.ordered === true && order === 'asc' ? rows.toReversed() : rows;
  const after = paramOf(query, 'after');
  const from = after === undefined ? 0 : sorted.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && from === 0) return badValue('invalid_value', 'after', `Invalid 'after': the list has no '${after}'.`);
  return { rows: sorted.slice(from, from + limit), hasMore: from + limit < sorted.length };
}

export const isProblem = (value: object): value is Problem => 'status' in value && 'message' in value;

function limitOf(value: string | undefined, { usual, most }: PageRules): number | Problem {
  if (value === undefined) return usual;
  if (!/^[+-]?\d+$/.test(value)) return badValue('invalid_type', 'limit', "Invalid type for 'limit': expected an integer.");
  const limit = Number(value);
  const wrong = (word: string, sign: string, bound: number): Problem =>
    badValue(
      `integer_${word}_value`,
      'limit',
      `Invalid 'limit': integer ${word.replaceAll('_', ' ')} value. Expected a value ${sign} ${bound}, but got ${value} instead.`,
    );
  if (limit < 1) return wrong('below_min', '>=', 1);
  return most !== undefined && limit > most ? wrong('above_max', '<=', most) : limit;
}
