import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Dimension, Figures, Stats } from '../../../../core/logs/reader.ts';
import { compact, count, duration, usd } from '../../browser/format.ts';
import type { Loaded } from '../../browser/load.ts';
import { navigate } from '../../browser/route.ts';
import { Chart } from '../../charts/chart.tsx';
import type { Series } from '../../charts/plot.ts';
import { Skeleton } from '../../components/display.tsx';
import { Panel } from '../../components/surface.tsx';
import { Choice } from '../../components/tabs.tsx';
import { type TimeRange, fixedRange, requestsHref } from '../../log/terms.ts';
import { GroupTable, costByGroup, requestsByReason } from './groups.tsx';
import { statusSeries } from './status-series.ts';

export const dimensions: readonly (readonly [Dimension, string])[] = [
  ['model', 'Model'],
  ['config', 'Config'],
  ['key', 'Key'],
  ['provider', 'Provider'],
];

interface ChartsProps {
  readonly stats: Stats;
  readonly reasons: Loaded<Stats>;
  readonly groups: Loaded<Stats>;
  readonly by: Dimension;
  readonly onBy: (by: Dimension) => void;
  readonly range: TimeRange;
}

const noRequests = 'No requests in this range';

/** Charts of all requests over time, one per row. */
const overTime: readonly {
  readonly title: string;
  readonly kind: 'bars' | 'lines';
  readonly format: (value: number) => string;
  readonly filter: string;
  readonly empty: string;
  readonly series: (stats: Stats, range: TimeRange) => readonly Series[];
}[] = [
  { title: 'Requests by status', kind: 'bars', format: compact, filter: '', empty: noRequests, series: byStatus },
  {
    title: 'Duration',
    kind: 'lines',
    format: duration,
    filter: '',
    empty: noRequests,
    series: (stats) => [line(stats, 'p50', '--c-2'), line(stats, 'p95', '--c-1'), line(stats, 'p99', '--c-4')],
  },
  {
    title: 'Time to first token',
    kind: 'lines',
    format: duration,
    filter: 'ttft:*',
    empty: 'No streamed responses in this range',
    series: (stats) => [line(stats, 'ttft_p50', '--c-2', 'p50'), line(stats, 'ttft_p95', '--c-1', 'p95')],
  },
  {
    title: 'Tokens',
    kind: 'bars',
    format: compact,
    filter: '',
    empty: 'No tokens in this range',
    series: (stats) => [line(stats, 'tokens_in', '--c-1', 'in'), line(stats, 'tokens_out', '--c-2', 'out')],
  },
  {
    title: 'Fallbacks, retries and cache hits',
    kind: 'lines',
    format: count,
    filter: 'attempts:>1',
    empty: 'No fallbacks, retries or cache hits in this range',
    series: (stats, range) => [
      { ...line(stats, 'fallbacks', '--c-3'), href: requestsHref('fallback:true', range) },
      { ...line(stats, 'retries', '--c-1'), href: requestsHref('retries:>0', range) },
      { ...line(stats, 'cache_hits', '--c-2', 'cache hits'), href: requestsHref('cache:HIT', range) },
    ],
  },
  {
    title: 'Overhead of the gateway',
    kind: 'lines',
    format: duration,
    filter: '',
    empty: noRequests,
    series: (stats) => [line(stats, 'overhead_p50', '--c-2', 'p50'), line(stats, 'overhead_p95', '--c-1', 'p95')],
  },
];

export function Charts({ stats, reasons, groups, by, onBy, range }: ChartsProps) {
  return (
    <div class="charts">
      {overTime.map(({ title, series, ...chart }) => (
        <Panel key={title} title={title}>
          <OverTime {...chart} stats={stats} name={title} series={series(stats, range)} />
        </Panel>
      ))}
      <Panel title="Fallbacks and retries by reason">
        <WhenLoaded stats={reasons}>
          {(data) => (
            <OverTime
              stats={data}
              name="Requests with fallbacks or retries, by the result of their first attempt"
              kind="bars"
              format={count}
              filter="reason:*"
              empty="No fallbacks or retries in this range"
              series={requestsByReason(data, range)}
            />
          )}
        </WhenLoaded>
      </Panel>
      <Panel title="Cost" aside={<Choice label="Group by" options={dimensions} value={by} onChange={onBy} />}>
        <WhenLoaded stats={groups}>
          {(data) => (
            <OverTime
              stats={data}
              name={`Cost by ${by}`}
              kind="bars"
              format={dollars}
              filter="cost:>0"
              empty={data.total.unpriced > 0 ? 'No known cost in this range' : 'No cost in this range'}
              series={costByGroup(data, by, range)}
            />
          )}
        </WhenLoaded>
      </Panel>
      <Panel title={`By ${by}`} flush>
        <WhenLoaded stats={groups}>
          {(data) => <GroupTable stats={data} by={by} title={dimensions.find(([id]) => id === by)?.[1] ?? by} range={range} />}
        </WhenLoaded>
      </Panel>
    </div>
  );
}

const dollars = (value: number): string => (value < 1000 ? usd(value.toFixed(9)) : `$${compact(value)}`);

function WhenLoaded({ stats: { data, error }, children }: { stats: Loaded<Stats>; children: (stats: Stats) => ComponentChildren }) {
  if (data !== undefined) return <>{children(data)}</>;
  return error === undefined ? <Skeleton lines={1} height="13rem" /> : <p class="muted not-available">Not available</p>;
}

interface OverTimeProps {
  readonly stats: Stats;
  readonly name: string;
  readonly kind: 'bars' | 'lines';
  readonly format: (value: number) => string;
  readonly series: readonly Series[];
  /** Filter terms that a click on a bucket adds to its time. */
  readonly filter: string;
  readonly empty: string;
}

function OverTime({ stats, name, kind, format, series, filter, empty }: OverTimeProps) {
  const times = useMemo(() => stats.series.map(({ at }) => at), [stats]);
  const kept = useMemo(() => series, [stats]);
  return (
    <Chart
      name={name}
      times={times}
      series={kept}
      kind={kind}
      format={format}
      empty={empty}
      onRange={(since, until) => navigate(requestsHref(filter, fixedRange(since, until)))}
      onBucket={(at, step) => navigate(requestsHref(filter, fixedRange(at, at + step)))}
    />
  );
}

type Measured = Exclude<{ [K in keyof Figures]: Figures[K] extends number | null ? K : never }[keyof Figures], undefined>;

function line(stats: Stats, member: Measured, colour: string, name: string = member): Series {
  return {
    name,
    colour,
    values: stats.series.map((bucket) => bucket[member]),
  };
}

function byStatus(stats: Stats, range: TimeRange): Series[] {
  return statusSeries(stats.series, (filter) => requestsHref(filter, range));
}
