import type { SeqWindow } from '../../../query/sql/statement.ts';
import type { SqlSource } from '../log-store.ts';
import { QueryTimeoutError } from '../query-timeout-error.ts';
import { seqStep } from '../schema.ts';

/** Maximum parts of a long query, so that no part takes much of its time. */
const maxParts = 16n;
const minuteLength = BigInt(60_000 * seqStep);
/** Number range of one hour's rows. Shorter parts would cost more than they save. */
const minPartLength = 60n * minuteLength;

/** The longest range for one statement. The whole range if the database itself ends long statements. */
export function partLength({ checkTimeLimit }: SqlSource, window: SeqWindow): bigint {
  return checkTimeLimit === undefined ? window.to - window.from + 1n : shareOf(window);
}

const shareOf = ({ from, to }: SeqWindow): bigint => {
  const part = (to - from) / maxParts + 1n;
  return part > minPartLength ? part : minPartLength;
};

/** Splits a range into parts for one statement each, oldest first. */
export function splitWindow(source: SqlSource, window: SeqWindow): SeqWindow[] {
  const part = partLength(source, window);
  const parts: SeqWindow[] = [];
  for (let { from } = window; from < window.to; from += part) parts.push({ from, to: from + part < window.to ? from + part : window.to });
  return parts;
}

/**
 * Splits a range, newest first: an hour, then parts that are four times as long each, up to the longest. They begin with a
 * whole minute.
 *
 * @param longest undefined: a share of the range
 */
export function newestParts(window: SeqWindow, longest = shareOf(window)): SeqWindow[] {
  const parts: SeqWindow[] = [];
  let length = minPartLength;
  for (let { to } = window; to > window.from; ) {
    const start = ((to - length) / minuteLength) * minuteLength;
    const from = start < window.from ? window.from : start;
    parts.push({ from, to });
    to = from;
    length = length * 4n < longest ? length * 4n : longest;
  }
  return parts;
}

/** A part of what a query reads. */
export interface Part {
  /** Unix milliseconds. */
  readonly until: number;
  /** Adds what it reads only if it has read all of the part. */
  read(): Promise<void>;
}

/**
 * Reads parts until the time of the query is over.
 *
 * @returns the first part that was not read; undefined if all were
 * @throws QueryTimeoutError if the first part already takes too long
 */
export async function readInTime(source: SqlSource, parts: readonly Part[]): Promise<Part | undefined> {
  for (const [i, part] of parts.entries()) {
    try {
      if (i > 0) await source.checkTimeLimit?.();
      await part.read();
    } catch (error) {
      if (i > 0 && error instanceof QueryTimeoutError) return part;
      throw error;
    }
  }
  return undefined;
}
