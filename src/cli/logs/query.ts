import { parseFilter } from '../../query/parse.ts';
import type { AdminFlags } from '../admin/target.ts';
import { CommandError, exitCodes } from '../command.ts';
import { durationOf } from '../flag-values.ts';

/** Flags of commands that search for records. */
export interface QueryFlags extends AdminFlags {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly errors?: boolean | undefined;
  readonly slow?: string | undefined;
}

/**
 * Combines the words of the command line and the flags into one filter.
 * @throws CommandError
 */
export function queryText(terms: readonly string[], { since, until, errors, slow }: QueryFlags): string {
  return [
    ...terms,
    ...(errors === true ? ['error:*'] : []),
    ...(slow === undefined ? [] : [`latency:>${durationOf('slow', slow)}ms`]),
    ...timeTerm('since', since),
    ...timeTerm('until', until),
  ].join(' ');
}

/** Checks the time here: an error of the filter would name a position in a text that the user did not write. */
function timeTerm(flag: 'since' | 'until', value: string | undefined): string[] {
  if (value === undefined) return [];
  const term = `${flag}:"${value}"`;
  if (value.includes('"') || 'problem' in parseFilter(term, Date.now()))
    throw new CommandError(
      exitCodes.usage,
      `--${flag} is not a time: "${value}"`,
      'Write a duration before now, such as 1h or 7d, or a time such as 2026-11-21 or 2026-11-21T09:31Z.',
    );
  return [term];
}

/**
 * Share such as `10%`, as a number from 0 to 1.
 * @throws CommandError
 */
export function shareOf(flag: string, value: string | undefined): number {
  if (value === undefined) return 1;
  const percent = /^(\d{1,3}(?:\.\d+)?)%?$/.exec(value)?.[1];
  if (percent !== undefined && Number(percent) <= 100) return Number(percent) / 100;
  throw new CommandError(exitCodes.usage, `--${flag} is not a percentage: "${value}"`, 'Write 10%.');
}
