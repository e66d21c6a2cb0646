import type { Window } from '../../../query/sql/condition.ts';
import type { SqlSource } from '../log-store.ts';

/** So many parts at most, of which no one takes much of a long question's time. */
const most = 16n;
/** Numbers of an hour's rows: shorter parts would cost more than they spare. */
const least = 3_600_000n * 1000n;

/** The longest part of a range that one statement should look at: all of it where the database ends one that takes too long. */
export function partOf({ between }: SqlSource, { from, to }: Window): bigint {
  if (between === undefined) return to - from + 1n;
  const part = (to - from) / most + 1n;
  return part > least ? part : least;
}

/** A range in parts that one statement each looks at, oldest first. */
export function partsOf(source: SqlSource, window: Window): Window[] {
  const part = partOf(source, window);
  const parts: Window[] = [];
  for (let { from } = window; from < window.to; from += part) parts.push({ from, to: from + part < window.to ? from + part : window.to });
  return parts;
}
