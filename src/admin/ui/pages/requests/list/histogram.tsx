import { useMemo } from 'preact/hooks';
import type { Stats } from '../../../../../core/logs/reader.ts';
import { get } from '../../../browser/api.ts';
import { compact, count, percent } from '../../../browser/format.ts';
import { type Loaded, useLoad } from '../../../browser/load.ts';
import { Chart } from '../../../charts/chart.tsx';
import { Skeleton } from '../../../components/display.tsx';
import { boundsOf, fixedRange, type Range, stepFor } from '../../../log/terms.ts';
import { statusSeries } from '../../overview/status-series.ts';

const height = 72;
const every = 30_000;

interface HistogramProps {
  readonly query: string;
  readonly range: Range;
  readonly isValid: boolean;
  /** Unix milliseconds of the oldest record, for a range without a beginning. */
  readonly oldest: number | null;
  readonly onRange: (range: Range) => void;
}

/** Volume by status; a drag chooses a time range. */
export function Histogram({ query, range, isValid, oldest, onRange }: HistogramProps) {
  const step = useMemo(() => {
    const bounds = boundsOf(range, Date.now()) ?? { since: oldest ?? Date.now() - 3_600_000, until: Date.now() };
    return stepFor(bounds.until - bounds.since);
  }, [range, oldest]);
  const stats: Loaded<Stats | undefined> = useLoad(
    async (signal) => (isValid ? get<Stats>('/api/stats', { q: query, by: 'status', step }, signal) : undefined),
    [query, step, isValid],
    every,
  );
  const { data } = stats;
  const times = useMemo(() => data?.series.map(({ at }) => at) ?? [], [data]);
  const series = useMemo(() => statusSeries(data?.series ?? []), [data]);
  return (
    <section class="histogram" aria-label="Volume">
      <p class="muted small nowrap cut">
        {data === undefined
          ? ' '
          : `${count(data.total.requests)} ${data.total.requests === 1 ? 'request' : 'requests'} · ${percent(data.total.errors, data.total.requests)} errors · drag to choose a time range`}
      </p>
      {data === undefined ? (
        isValid ? (
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
