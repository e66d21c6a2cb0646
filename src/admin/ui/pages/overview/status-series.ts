import type { Bucket } from '../../../../core/logs/reader.ts';
import type { Series } from '../../charts/plot.ts';

const classes: readonly (readonly [name: string, colour: string])[] = [
  ['1xx', '--c-5'],
  ['2xx', '--c-ok'],
  ['3xx', '--c-5'],
  ['4xx', '--c-warn'],
  ['5xx', '--c-bad'],
];

/** One layer per status class; classes without requests are omitted. */
export function statusSeries(buckets: readonly Bucket[], hrefOf?: (filter: string) => string): Series[] {
  const seen = classes.filter(([name]) => name === '2xx' || buckets.some(({ by }) => (by[name]?.requests ?? 0) > 0));
  return seen.map(([name, colour]) => ({
    name,
    colour,
    values: buckets.map(({ by }) => by[name]?.requests ?? 0),
    href: hrefOf?.(`status:${name}`),
  }));
}
