import { parseDuration } from '../core/text/units.ts';
import { CommandError, exitCodes } from './command.ts';

/** Whole number of a flag. @throws CommandError */
export function countOf(flag: string, value: string | undefined, defaultValue: number, min = 1): number {
  if (value === undefined) return defaultValue;
  const count = value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isSafeInteger(count) && count >= min) return count;
  throw new CommandError(exitCodes.usage, `--${flag} is not a whole number from ${min} up: "${value}"`);
}

/** Bounds in milliseconds, and their text for the error. */
interface DurationBounds {
  readonly least: number;
  readonly most: number;
  readonly range: string;
}

/** For a timeout: timers of Node end at once for more than 24 days. */
export const timeoutBounds: DurationBounds = { least: 1, most: 600_000, range: ' from 1ms to 10m' };
const noBounds: DurationBounds = { least: 0, most: Infinity, range: '' };

/** Duration of a flag, in milliseconds. The unit is required, since users who type 30 mean seconds. @throws CommandError */
export function durationOf(flag: string, value: string, { least, most, range } = noBounds): number {
  const ms = /[a-z]\s*$/i.test(value) ? parseDuration(value) : undefined;
  if (ms !== undefined && ms >= least && ms <= most) return ms;
  throw new CommandError(exitCodes.usage, `--${flag} is not a duration${range}: "${value}"`, 'Write a number with a unit, such as 2s.');
}
