import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Stats } from '../../../../../core/logs/reader.ts';
import { get } from '../../../browser/api.ts';
import { clock, compact, day, percent, plural } from '../../../browser/format.ts';
import { gatewayNow } from '../../../browser/gateway-state.ts';
import { useDelayedTrue } from '../../../browser/use-delayed-true.ts';
import { type Loaded, useLoad } from '../../../browser/load.ts';
import { Chart } from '../../../charts/chart.tsx';
import { Skeleton } from '../../../components/display.tsx';
import { fixedRange, type TimeRange } from '../../../log/terms.ts';
import { statusSeries } from '../../overview/status-series.ts';
import { stepOf } from './time-span.ts';

const height = 72;
const every = 30_000;
/** Delay in milliseconds after a new row. */
const reloadDelayMs = 2500;

interface HistogramProps {
  readonly query: string;
  readonly isValid: boolean;
  /** Id of the first row of the list. */
  readonly newest: string | undefined;
  /** Unix milliseconds of the oldest record, for a filter without a start; undefined: not known yet. */
  readonly oldest: number | null | undefined;
  /** True if the list already shows the error. */
  readonly isErrorShown: boolean;
  readonly onRange: (range: TimeRange) => void;
}

/** Counts again after a new row, when it is stored. Rows that arrive in the meantime are part of the same count. */
function useReloadOnNewRow(newest: string | undefined, stats: Pick<Loaded<unknown>, 'loading' | 'reload'>): void {
  const known = useRef(newest);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef(stats);
  latest.current = stats;
  const countAgain = (): void => {
    const { loading, reload } = latest.current;
    // A reload would abort the running call: with new rows all the time, a slow one would never end.
    timer.current = loading ? setTimeout(countAgain, reloadDelayMs) : undefined;
    if (!loading) reload();
  };
  useEffect(() => {
    const isNew = known.current !== undefined && newest !== undefined && newest !== known.current;
    known.current = newest;
    if (!isNew) return;
    timer.current ??= setTimeout(countAgain, reloadDelayMs);
  }, [newest]);
  useEffect(() => () => clearTimeout(timer.current), []);
}

/** Number of requests by status over time. Dragging selects a time range. */
export function Histogram({ query, isValid, newest, oldest, isErrorShown, onRange }: HistogramProps) {
  const isKnown = isValid && oldest !== undefined;
  const step = useMemo(() => stepOf(query, oldest ?? null, gatewayNow()), [query, oldest]);
  const loaded: Loaded<{ readonly query: string; readonly stats: Stats } | undefined> = useLoad(
    async (signal) => (isKnown ? { query, stats: await get<Stats>('/api/stats', { q: query, by: 'status', step }, signal) } : undefined),
    [query, step, isKnown],
    every,
  );
  // Keep the chart if the gateway is briefly unreachable. After other errors it may belong to another filter.
  const problem = loaded.error?.code === 'unreachable' ? undefined : loaded.error;
  const data = problem === undefined ? loaded.data?.stats : undefined;
  const isOld = useDelayedTrue(loaded.loading && loaded.data !== undefined && loaded.data.query !== query);
  useReloadOnNewRow(newest, loaded);
  // When the list has recovered from an error, load the bars again.
  useEffect(() => {
    if (!isErrorShown && loaded.error !== undefined) loaded.reload();
  }, [isErrorShown]);
  const times = useMemo(() => data?.series.map(({ at }) => at) ?? [], [data]);
  const series = useMemo(() => statusSeries(data?.series ?? []), [data]);
  return (
    <section class={isOld ? 'histogram old' : 'histogram'} aria-label="Volume">
      <p class="muted small nowrap cut">
        {data === undefined
          ? ((isErrorShown ? undefined : problem?.message) ?? ' ')
          : `${plural(data.total.requests, 'request')} · ${percent(data.total.errors, data.total.requests)} errors ${data.uncounted_since === null ? '' : ` · counted only since ${day(data.since)} ${clock(data.since)}, because the older ones take too long to read`} · drag to choose a time range`}
      </p>
      {data === undefined ? (
        isValid && problem === undefined ? (
          <Skeleton lines={1} height={`${height}px`} />
        ) : (
          <div style={{ minHeight: `${height}px` }} />
        )
      ) : (
        <Chart
          name="Requests by status"
          times={times}
          series={series}
          kind="bars"
          format={compact}
          height={height}
          hideLegend
          onRange={(since, until) => onRange(fixedRange(since, until))}
          onBucket={(at, width) => onRange(fixedRange(at, at + width))}
        />
      )}
    </section>
  );
}
