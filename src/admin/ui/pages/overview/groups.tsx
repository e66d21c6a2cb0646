import type { Bucket, Dimension, Figures, GroupFigures, Stats } from '../../../../core/logs/reader.ts';
import { compact, count, duration, percent, usd } from '../../browser/format.ts';
import type { Series } from '../../charts/plot.ts';
import { Empty } from '../../components/display.tsx';
import { Table } from '../../components/table.tsx';
import { type TimeRange, anyError, joinTerms, requestsHref, term } from '../../log/terms.ts';

const palette = ['--c-1', '--c-2', '--c-3', '--c-4', '--c-6', '--c-7'];
const colourOfRest = '--c-5';

interface Group {
  readonly label: string;
  readonly colour: string;
  readonly figures: Figures;
  /** Undefined for the rest. */
  readonly filter: string | undefined;
  readonly within: (bucket: Bucket) => GroupFigures | null | undefined;
}

/** The groups by number of requests, then the rest. A group without a name contains the requests without such a value. */
function groupsOf({ groups, rest }: Stats, by: Dimension): Group[] {
  const named = groups.map(({ name, ...figures }, i) => ({
    label: name ?? `no ${by}`,
    colour: palette[i] ?? colourOfRest,
    figures,
    filter: name === null ? `${by}:""` : term(by, name),
    within: (bucket: Bucket) => bucket.by[name ?? ''],
  }));
  if (rest === null) return named;
  return [...named, { label: 'all others', colour: colourOfRest, figures: rest, filter: undefined, within: (bucket) => bucket.rest }];
}

export function costByGroup(stats: Stats, by: Dimension, range: TimeRange): Series[] {
  return seriesOf(stats, groupsOf(stats, by), range, ({ cost_usd: cost }) => Number(cost));
}

/** The requests with more than one attempt, by the result of the first. */
export function requestsByReason(stats: Stats, range: TimeRange): Series[] {
  const groups = stats.groups.filter(({ name }) => name !== null);
  return seriesOf(stats, groupsOf({ ...stats, groups }, 'reason'), range, ({ requests }) => requests);
}

function seriesOf(stats: Stats, groups: readonly Group[], range: TimeRange, value: (figures: GroupFigures) => number): Series[] {
  return groups.map(({ label, colour, filter, within }) => ({
    name: label,
    colour,
    values: stats.series.map((bucket) => {
      const figures = within(bucket);
      return figures === null || figures === undefined ? 0 : value(figures);
    }),
    href: filter === undefined ? undefined : requestsHref(filter, range),
  }));
}

export function GroupTable({ stats, by, title, range }: { stats: Stats; by: Dimension; title: string; range: TimeRange }) {
  const groups = groupsOf(stats, by);
  if (groups.length === 0) return <Empty icon="requests" title="No requests in this range" />;
  return (
    <Table
      caption={`Figures by ${by}`}
      rows={groups}
      rowKey={({ filter }) => filter ?? ''}
      columns={[
        {
          name: title,
          cell: ({ label, filter }) =>
            filter === undefined ? (
              label
            ) : (
              <a class="group-name" href={requestsHref(filter, range)} title={label}>
                {label}
              </a>
            ),
        },
        { name: 'Requests', isNumber: true, cell: ({ figures }) => count(figures.requests) },
        {
          name: 'Errors',
          isNumber: true,
          cell: ({ filter, figures: { errors, requests } }) =>
            filter === undefined ? (
              percent(errors, requests)
            ) : (
              <a href={requestsHref(joinTerms(filter, anyError), range)}>{percent(errors, requests)}</a>
            ),
        },
        { name: 'p95', isNumber: true, cell: ({ figures }) => duration(figures.p95) },
        { name: 'Tokens', isNumber: true, cell: ({ figures }) => compact(figures.tokens_in + figures.tokens_out) },
        {
          name: 'Cost',
          isNumber: true,
          cell: ({ figures: { cost_usd: cost, unpriced, requests } }) => (unpriced === requests ? 'unknown price' : usd(cost)),
        },
      ]}
    />
  );
}
