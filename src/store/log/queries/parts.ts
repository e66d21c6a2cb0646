import type { Window } from '../../../query/sql/condition.ts';
import type { SqlSource } from '../log-store.ts';

/** Maximum parts of a long query, so that no part takes much of its time. */
const most = 16n;
/** Number range of one hour's rows. Shorter parts would cost more than they save. */
const least = 3_600_000n * 1000n;

/** The longest range for one statement. The whole range if the database itself ends long statements. */
export function partOf({ between }: SqlSource, { from, to }: Window): bigint {
  if (between === undefined) return to - from + 1n;
  const part = (to - from) / most + 1n;
  return part > least ? part : least;
}

/** Splits a range into parts for one statement each, oldest first. */
export function partsOf(source: SqlSource, window: Window): Window[] {
  const part = partOf(source, window);
  const parts: Window[] = [];
  for (let { from } = window; from < window.to; from += part) parts.push({ from, to: from + part < window.to ? from + part : window.to });
  return parts;
}
