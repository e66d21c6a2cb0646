import type { Timeouts, PartialTimeouts } from '../../core/snapshot.ts';
import { parseDuration } from '../../core/text/units.ts';
import type { TimeoutsEntry } from '../schema/index.ts';
import { invalidConfig } from './invalid.ts';

/** Default timeouts in milliseconds. */
export const defaultTimeouts: Timeouts = Object.freeze({
  connect: 5000,
  firstByte: undefined,
  idle: 60_000,
  total: 600_000,
  request: undefined,
});

/** Compiles `timeouts` and `request_timeout` (a number without unit is milliseconds). Only timeouts that are set are present. */
export function compileTimeouts(timeouts: TimeoutsEntry | undefined, requestTimeout?: string | number): PartialTimeouts {
  const written: Record<keyof Timeouts, string | number | undefined> = {
    connect: timeouts?.connect,
    firstByte: timeouts?.first_byte,
    idle: timeouts?.idle,
    total: timeouts?.total,
    request: requestTimeout,
  };
  const compiled: Partial<Record<keyof Timeouts, number>> = {};
  for (const [name, value] of Object.entries(written) as [keyof Timeouts, string | number | undefined][]) {
    if (value !== undefined) compiled[name] = requireDuration(value);
  }
  return Object.freeze(compiled);
}

/** Milliseconds of a duration that passed the checks. */
export function requireDuration(value: string | number): number {
  const ms = parseDuration(value);
  if (ms === undefined) throw invalidConfig(`"${value}" is not a duration`, 'Write a number with a unit, such as 30s.');
  return ms;
}
