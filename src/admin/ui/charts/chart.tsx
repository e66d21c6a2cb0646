import { useEffect, useRef, useState } from 'preact/hooks';
import { clock, day } from '../browser/format.ts';
import { scheme } from '../browser/theme.ts';
import { type Series, plot } from './plot.ts';

interface ChartProps {
  /** Label for the table and for screen readers. */
  readonly name: string;
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly kind: 'bars' | 'lines';
  readonly format: (value: number) => string;
  readonly height?: number;
  readonly onRange?: (since: number, until: number) => void;
  /** Called after a click without dragging, with the start of the bucket. */
  readonly onBucket?: (at: number, step: number) => void;
  readonly hideLegend?: boolean;
  /** Shown in place of axes if there is no value except 0. */
  readonly empty?: string;
}

/** A chart over time with a legend, values on hover, and the same values as a table. */
export function Chart({ name, times, series, kind, format, height = 160, onRange, onBucket, hideLegend = false, empty }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const [hover, setHover] = useState<{ readonly index: number; readonly left: number } | null>(null);
  const step = times.length > 1 ? (times[1] ?? 0) - (times[0] ?? 0) : 60_000;
  // Always call the function of the latest render, because the filter may have changed since the bars were drawn.
  const drag = useRef(onRange);
  drag.current = onRange;
  const isEmpty = empty !== undefined && series.every(({ values }) => values.every((value) => value === null || value === 0));
  useEffect(() => {
    if (box.current === null || width === 0 || isEmpty) return undefined;
    const onHover = (index: number | null, left: number): void => setHover(index === null || left < 0 ? null : { index, left });
    const select = onRange === undefined ? undefined : (since: number, until: number): void => drag.current?.(since, until);
    return plot(box.current, { times, series, kind, format, width, height, onRange: select, onHover });
  }, [times, series, kind, width, height, isEmpty, scheme.value]);
  const click = (): void => {
    const at = hover === null ? undefined : times[hover.index];
    if (at !== undefined) onBucket?.(at, step);
  };
  const showsDate = times.length > 0 && (times.at(-1) ?? 0) - (times[0] ?? 0) > 86_400_000;
  return (
    <figure class="chart stack tight">
      {!hideLegend && <Legend series={series} />}
      <div
        class={isEmpty ? 'plot empty-plot' : 'plot'}
        ref={box}
        style={{ minHeight: `${height}px` }}
        onClick={onBucket === undefined || isEmpty ? undefined : click}
        aria-hidden={!isEmpty}
      >
        {isEmpty && <p class="muted">{empty}</p>}
      </div>
      {hover !== null && !isEmpty && (
        <Tip
          at={times[hover.index] ?? 0}
          index={hover.index}
          series={series}
          format={format}
          left={hover.left}
          width={width}
          showsDate={showsDate}
        />
      )}
      <ValuesTable name={name} times={times} series={series} format={format} showsDate={showsDate} />
    </figure>
  );
}

function useWidth(box: { readonly current: HTMLDivElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return width;
}

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <div class="legend">
      {series.map(({ name, colour, href }) => {
        const content = (
          <>
            <i class="swatch" style={{ background: `var(${colour})` }} />
            <span class="cut">{name}</span>
          </>
        );
        return href === undefined ? (
          <span key={name} class="row">
            {content}
          </span>
        ) : (
          <a key={name} class="row" href={href}>
            {content}
          </a>
        );
      })}
    </div>
  );
}

interface TipProps {
  readonly at: number;
  readonly index: number;
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly left: number;
  readonly width: number;
  readonly showsDate: boolean;
}

const tipWidth = 180;

function Tip({ at, index, series, format, left, width, showsDate }: TipProps) {
  const rightOfCursor = left + 72;
  const x = rightOfCursor + tipWidth > width ? Math.max(0, left + 56 - tipWidth - 12) : rightOfCursor;
  return (
    <div class="chart-tip" style={{ left: `${x}px` }} aria-hidden="true">
      <div class="muted">{showsDate ? `${day(at)} ${clock(at)}` : clock(at)}</div>
      <dl>
        {series.map(({ name, colour, values }) => {
          const value = values[index] ?? null;
          return (
            <>
              <dt key={`${name}.s`}>
                <i class="swatch" style={{ background: `var(${colour})`, display: 'block' }} />
              </dt>
              <dt key={`${name}.n`} class="cut">
                {name}
              </dt>
              <dd key={`${name}.v`}>{value === null ? '–' : format(value)}</dd>
            </>
          );
        })}
      </dl>
    </div>
  );
}

/** The values as a table, for screen readers and for copying. Rendered when it is opened. */
function ValuesTable({
  name,
  times,
  series,
  format,
  showsDate,
}: Pick<ChartProps, 'name' | 'times' | 'series' | 'format'> & { showsDate: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="chart-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Table<span class="hidden-text"> of {name}</span>
      </summary>
      {open && (
        <div class="table-box" tabIndex={0} role="group" aria-label={name}>
          <table class="table">
            <caption class="hidden-text">{name}</caption>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map((one) => (
                  <th key={one.name} scope="col" class="num">
                    {one.name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((at, i) => (
                <tr key={at}>
                  <th scope="row">{showsDate ? `${day(at)} ${clock(at)}` : clock(at)}</th>
                  {series.map((one) => {
                    const value = one.values[i] ?? null;
                    return (
                      <td key={one.name} class="num">
                        {value === null ? '–' : format(value)}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
