import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { LogRow } from '../../../../../core/logs/row.ts';
import { chosenColumns, fitColumns, shownColumns } from './columns.tsx';
import { HeaderRow } from './header-row.tsx';
import { Row } from './row.tsx';

/** Maximum number of rows in the document. */
const maxRenderedRows = 80;
const overscanRows = 8;
const rowHeight = 36;
const cardHeight = 112;

interface GridProps {
  readonly rows: readonly LogRow[];
  readonly selected: string | undefined;
  readonly onOpen: (row: LogRow) => void;
  /** Called near the end of the loaded rows. */
  readonly onEnd: () => void;
  /** True while the first row is in view. */
  readonly onTop: (isTop: boolean) => void;
  readonly footer: ComponentChildren;
  readonly loading: boolean;
  /** True if the rows belong to another filter. */
  readonly isOld: boolean;
}

/** Only visible rows are rendered; the others are empty space. Below 40 rem each row is a card. */
export function Grid({ rows, selected, onOpen, onEnd, onTop, footer, loading, isOld }: GridProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600, width: 1000 });
  const isCards = view.width < 640;
  const height = isCards ? cardHeight : rowHeight;
  const first = Math.max(0, Math.min(Math.floor(view.top / height) - overscanRows, rows.length - 1));
  const last = Math.min(rows.length, first + Math.min(maxRenderedRows, Math.ceil(view.height / height) + 2 * overscanRows));
  useView(box, setView);
  useEffect(() => onTop(view.top < height), [view.top < height]);
  useEffect(() => {
    if (last >= rows.length - 20 && rows.length > 0) onEnd();
  }, [last, rows.length]);
  // Opening or closing a request can turn rows into cards and back. Keep the same ones in view.
  const drawnHeight = useRef(height);
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollTop *= height / drawnHeight.current;
    drawnHeight.current = height;
  }, [height]);
  // Also if the row of the request in the address is loaded later.
  const isListed = selected !== undefined && rows.some(({ id }) => id === selected);
  useEffect(() => {
    const at = rows.findIndex(({ id }) => id === selected);
    if (at >= 0) scrollIntoView(box.current, at * height, height);
  }, [selected, isListed, height]);
  // Cards show all columns.
  const { columns, minWidth } = fitColumns(shownColumns(), isCards ? Number.POSITIVE_INFINITY : view.width);
  const longest = useMemo(() => scaleOf(rows), [rows.length, rows[0]?.id]);
  return (
    <div class={isOld ? 'grid-box old' : 'grid-box'} ref={box} tabIndex={0} role="region" aria-label="Requests" aria-busy={loading}>
      <table
        class={isCards ? 'grid cards' : 'grid'}
        role="table"
        aria-label="Requests"
        aria-rowcount={rows.length + 1}
        style={isCards ? { width: '100%' } : { minWidth: `${minWidth}px` }}
      >
        <colgroup>
          {columns.map(({ id, width }) => (
            <col key={id} style={{ width: width === undefined ? 'auto' : `${width}px` }} />
          ))}
        </colgroup>
        <HeaderRow columns={columns} key={chosenColumns.value.join()} />
        <tbody role="rowgroup">
          <SpacerRow height={first * height} span={columns.length} />
          {rows.slice(first, last).map((row, i) => (
            <Row
              key={row.id}
              row={row}
              index={first + i}
              columns={columns}
              isSelected={row.id === selected}
              isCard={isCards}
              longest={longest}
              onOpen={onOpen}
            />
          ))}
          <SpacerRow height={(rows.length - last) * height} span={columns.length} />
        </tbody>
      </table>
      <div class="grid-foot" key={rows.length === 0 ? 'alone' : 'below'}>
        {footer}
      </div>
    </div>
  );
}

const SpacerRow = ({ height, span }: { height: number; span: number }) =>
  height <= 0 ? null : (
    <tr class="space" aria-hidden="true">
      <td colSpan={span} style={{ height: `${height}px` }} />
    </tr>
  );

type View = { top: number; height: number; width: number };

function useView(box: { readonly current: HTMLDivElement | null }, set: (view: View) => void): void {
  // Measured before the first paint, because a later change to cards would shift the content below.
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    let frame = 0;
    const measure = (): void => set({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth });
    const read = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(measure);
    };
    measure();
    const observer = new ResizeObserver(read);
    observer.observe(element);
    element.addEventListener('scroll', read, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      element.removeEventListener('scroll', read);
    };
  }, []);
}

const headHeight = 32;

/** Scrolls as little as needed. */
function scrollIntoView(box: HTMLDivElement | null, top: number, height: number): void {
  if (box === null) return;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + height + headHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + height + headHeight - box.clientHeight;
}

/** 95 % of the bars fit; longer ones are truncated, so that one slow request does not flatten the others. */
function scaleOf(rows: readonly LogRow[]): number {
  const sorted = rows.slice(0, 1000).map(({ latency }) => latency);
  sorted.sort((a, b) => a - b);
  return Math.max(1, sorted[Math.floor(0.95 * (sorted.length - 1))] ?? 1);
}
