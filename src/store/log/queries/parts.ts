import type { SeqWindow } from '../../../query/sql/condition.ts';
import type { SqlSource } from '../log-store.ts';

/** Maximum parts of a long query, so that no part takes much of its time. */
const maxParts = 16n;
/** Number range of one hour's rows. Shorter parts would cost more than they save. */
const minPartLength = 3_600_000n * 1000n;

/** The longest range for one statement. The whole range if the database itself ends long statements. */
export function partLength({ checkTimeLimit }: SqlSource, { from, to }: SeqWindow): bigint {
  if (checkTimeLimit === undefined) return to - from + 1n;
  const part = (to - from) / maxParts + 1n;
  return part > minPartLength ? part : minPartLength;
}

/** Splits a range into parts for one statement each, oldest first. */
export function splitWindow(source: SqlSource, window: SeqWindow): SeqWindow[] {
  const part = partLength(source, window);
  const parts: SeqWindow[] = [];
  for (let { from } = window; from < window.to; from += part) parts.push({ from, to: from + part < window.to ? from + part : window.to });
  return parts;
}
