import { errorMessage, GatewayError } from '../../core/error.ts';
import type { Figures, LogReader } from '../../core/logs/reader.ts';
import type { Mask } from '../../core/secrets/mask.ts';
import { toStorable } from '../../query/text.ts';
import { noFigures } from '../health.ts';

/** Maximum number of values per filter, and of characters of all of them. */
const maxNames = 60;
const maxFilterLength = 1800;

/** What was read from the request log, or the reason why it could not be. */
export interface LogResult<T> {
  readonly found: T | undefined;
  readonly fault: string | null;
}

/** Reads a part of a page that is shown without it, too. */
export async function readLog<T>(
  subject: { logs(): LogReader | undefined; mask(): Mask },
  read: (logs: LogReader) => Promise<T>,
): Promise<LogResult<T>> {
  const reader = subject.logs();
  if (reader === undefined) return { found: undefined, fault: 'The request log is switched off.' };
  try {
    return { found: await read(reader), fault: null };
  } catch (error) {
    return { found: undefined, fault: subject.mask().text(errorMessage(error)) };
  }
}

/**
 * Returns the figures of the given values of a dimension. The query names the values, because unnamed ones beyond the
 * first hundred of a day are combined.
 *
 * @param since in filter syntax
 * @param terms further terms of the filter, at most 100 characters and 3 values
 * @throws GatewayError `log_unavailable` also if only a part of them could be counted
 */
export async function figuresOf(
  logs: Pick<LogReader, 'stats'>,
  by: 'key' | 'provider',
  names: readonly string[],
  since: string,
  terms = '',
): Promise<(name: string) => Figures> {
  const found = new Map<string, Figures>();
  // One after another: a page must not fill the queue of the store.
  for (const values of chunksOf(names.map((name) => `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`))) {
    const { groups, uncounted_since } = await logs.stats({
      query: `since:${since} ${by}:${values.join(',')} ${terms}`.trimEnd(),
      by,
      top: values.length,
    });
    if (uncounted_since !== null)
      throw new GatewayError('log_unavailable', { message: `Counting all requests since ${since} takes too long.` });
    for (const { name, ...figures } of groups) found.set(name ?? '', figures);
  }
  return (name) => found.get(toStorable(name)) ?? noFigures;
}

function chunksOf(values: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let length = 0;
  for (const value of values) {
    const last = chunks.at(-1);
    length += value.length + 1;
    if (last !== undefined && last.length < maxNames && length <= maxFilterLength) last.push(value);
    else {
      chunks.push([value]);
      length = value.length + 1;
    }
  }
  return chunks;
}
