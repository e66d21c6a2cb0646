import type { Figures, LogReader } from '../../core/logs/reader.ts';
import { toStorable } from '../../query/text.ts';
import { noFigures } from '../health.ts';

/** Maximum number of values per filter, and of characters of all of them. */
const maxNames = 60;
const maxFilterLength = 1800;

/**
 * Returns the figures of the given values of a dimension. The query names the values, because unnamed ones beyond the
 * first hundred of a day are combined.
 *
 * @param since in filter syntax
 * @returns undefined if the request log is not available
 */
export async function figuresOf(
  logs: Pick<LogReader, 'stats'> | undefined,
  by: 'key' | 'provider',
  names: readonly string[],
  since: string,
): Promise<((name: string) => Figures) | undefined> {
  if (logs === undefined) return undefined;
  const found = new Map<string, Figures>();
  try {
    // One after another: a page must not fill the queue of the store.
    for (const values of chunksOf(names.map((name) => `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`))) {
      const { groups } = await logs.stats({ query: `since:${since} ${by}:${values.join(',')}`, by, top: values.length });
      for (const { name, ...figures } of groups) found.set(name ?? '', figures);
    }
  } catch {
    return undefined;
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
