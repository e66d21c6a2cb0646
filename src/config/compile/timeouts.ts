import type { Clocks, PartialClocks } from '../../core/snapshot.ts';
import { parseDuration } from '../../core/text/units.ts';
import type { TimeoutsEntry } from '../schema/index.ts';
import { invalid } from './invalid.ts';

/** Default timeouts in milliseconds. */
export const defaultClocks: Clocks = Object.freeze({
  connect: 5000,
  firstByte: undefined,
  idle: 60_000,
  total: 600_000,
  request: undefined,
});

/** Compiles `timeouts` and `request_timeout` (a number without unit is milliseconds). Only timeouts that are set are present. */
export function compileClocks(timeouts: TimeoutsEntry | undefined, requestTimeout?: string | number): PartialClocks {
  const written: Record<keyof Clocks, string | number | undefined> = {
    connect: timeouts?.connect,
    firstByte: timeouts?.first_byte,
    idle: timeouts?.idle,
    total: timeouts?.total,
    request: requestTimeout,
  };
  const clocks: Partial<Record<keyof Clocks, number>> = {};
  for (const [name, value] of Object.entries(written) as [keyof Clocks, string | number | undefined][]) {
    if (value !== undefined) clocks[name] = needDuration(value);
  }
  return Object.freeze(clocks);
}

/** Milliseconds of a duration that passed the checks. */
export function needDuration(value: string | number): number {
  const ms = parseDuration(value);
  if (ms === undefined) throw invalid(`"${value}" is not a duration`, 'Write a number with a unit, such as 30s.');
  return ms;
}
