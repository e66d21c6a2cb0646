import uPlot from 'uplot';
import { clock, day, withoutZeros } from '../browser/format.ts';

export interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** Name of a CSS custom property: `--c-1`. */
  readonly colour: string;
  /** Address that a click opens. */
  readonly href?: string | undefined;
}

export interface PlotOptions {
  /** Start of each bucket in Unix milliseconds. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** True for stacked bars. */
  readonly kind: 'bars' | 'lines';
  readonly format: (value: number) => string;
  readonly width: number;
  readonly height: number;
  /** Called with a range that was selected by dragging. */
  readonly onRange?: ((since: number, until: number) => void) | undefined;
  readonly onHover: (index: number | null, left: number) => void;
}

/** Stacks each layer on the previous ones. */
function stacked(series: readonly Series[], length: number): number[][] {
  const sum = Array.from({ length }, () => 0);
  return series.map(({ values }) =>
    sum.map((before, i) => {
      sum[i] = before + (values[i] ?? 0);
      return sum[i] ?? 0;
    }),
  );
}

/** Draws into `target`; returns a function that removes the chart. */
export function plot(target: HTMLElement, options: PlotOptions): () => void {
  const { times, series, kind, width, height, onRange, onHover } = options;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const step = times.length > 1 ? (times[1] ?? 0) - (times[0] ?? 0) : 60_000;
  // Bars are centred on their value, but the time of a bucket is its start.
  const shift = kind === 'bars' ? step / 2000 : 0;
  const x = times.map((at) => at / 1000 + shift);
  // The highest layer is drawn first, so that lower ones cover it.
  const layers = kind === 'bars' ? stacked(series, times.length).toReversed() : series.map(({ values }) => [...values]);
  const order = kind === 'bars' ? series.toReversed() : series;
  const font = `11px ${colour('--font')}`;
  const axis = { stroke: colour('--muted'), font, grid: { stroke: colour('--c-grid'), width: 1 }, ticks: { show: false } };
  const chart = new uPlot(
    {
      width,
      height,
      // Leave space for half of a label at the right edge.
      padding: [8, 24, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: kind === 'lines' }, drag: { x: onRange !== undefined, y: false, setScale: false } },
      scales: { x: { time: true, range: xRange(times, step, kind) }, y: { range: (_u, _min, max) => [0, max > 0 ? max * 1.08 : 1] } },
      axes: [
        { ...axis, grid: { show: false }, size: 28, gap: 8, space: 80, values: (_u, splits) => timesOf(splits) },
        {
          ...axis,
          ...stepsOf(series),
          size: 56,
          gap: 4,
          space: height < lowHeight ? 14 : 28,
          values: (_u, splits) => splits.map((value) => withoutZeros(options.format(value))),
        },
      ],
      series: [{}, ...order.map((one) => seriesOf(one, kind, colour))],
      hooks: {
        setCursor: [(u) => onHover(u.cursor.idx ?? null, u.cursor.left ?? 0)],
        setSelect: [(u) => select(u, onRange)],
      },
    },
    [x, ...layers] as uPlot.AlignedData,
    target,
  );
  return () => chart.destroy();
}

/** Minimum distance of labels in pixels. In low charts it is smaller, so that there is at least one label next to 0. */
const lowHeight = 100;

/** Numbers of requests have no fractional labels. */
const wholeSteps = Array.from({ length: 15 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power)).flat();

function stepsOf(series: readonly Series[]): { readonly incrs?: number[] } {
  const isWhole = series.every(({ values }) => values.every((value) => value === null || Number.isInteger(value)));
  return isWhole ? { incrs: wholeSteps } : {};
}

function xRange(times: readonly number[], step: number, kind: 'bars' | 'lines'): uPlot.Range.Function {
  const first = (times[0] ?? 0) / 1000;
  const last = ((times.at(-1) ?? 0) + (kind === 'bars' ? step : 0)) / 1000;
  return () => [first, last > first ? last : first + 1];
}

/** Maximum number of empty buckets that a line spans. Longer gaps are shown as gaps. */
const maxSpannedBuckets = 6;

/** Isolated values, which are not part of a line. */
function isolatedIndexes(values: Series['values']): number[] {
  const indexes = values.flatMap((value, i) => (value === null ? [] : [i]));
  return indexes.filter(
    (at, n) => at - (indexes[n - 1] ?? -Infinity) > maxSpannedBuckets && (indexes[n + 1] ?? Infinity) - at > maxSpannedBuckets,
  );
}

function seriesOf(one: Series, kind: 'bars' | 'lines', colour: (name: string) => string): uPlot.Series {
  const stroke = colour(one.colour);
  if (kind === 'lines') {
    // A line needs two values, so an isolated value is drawn as a point.
    const isolated = isolatedIndexes(one.values);
    return {
      stroke,
      width: 1.75,
      points: { show: isolated.length > 0, filter: () => isolated, size: 6, fill: stroke },
      gaps: (u, _series, _from, _to, found) =>
        found.filter(([from, to]) => to - from > (maxSpannedBuckets * u.bbox.width) / one.values.length),
    };
  }
  const paths = uPlot.paths.bars?.({ size: [0.85, 40], radius: 0 });
  return { stroke, fill: stroke, width: 0, points: { show: false }, ...(paths === undefined ? {} : { paths }) };
}

function select(u: uPlot, onRange: PlotOptions['onRange']): void {
  const { left, width } = u.select;
  if (width < 4 || onRange === undefined) return;
  onRange(1000 * u.posToVal(left, 'x'), 1000 * u.posToVal(left + width, 'x'));
  u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
}

/** Midnight is labelled with its date. */
function timesOf(splits: readonly number[]): string[] {
  return splits.map((at) => {
    const text = clock(at * 1000);
    if (text === '00:00:00') return day(at * 1000).slice(5);
    return text.endsWith(':00') ? text.slice(0, 5) : text;
  });
}
