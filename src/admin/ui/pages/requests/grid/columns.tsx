import type { ComponentChildren } from 'preact';
import type { LogRow } from '../../../../../core/logs/row.ts';
import { gatewayNow } from '../../../browser/gateway-state.ts';
import { bytes, clock, count, day, duration, moment } from '../../../browser/format.ts';
import { isTexts, storedSignal } from '../../../browser/stored-signal.ts';
import { Cost, Duration, Route, Status, Tokens } from '../../../log/cells.tsx';
import { requestHref } from '../../../log/terms.ts';

export interface CellContext {
  /** Duration of a full bar, in milliseconds. */
  readonly longest: number;
}

export interface GridColumn {
  readonly id: string;
  readonly name: string;
  /** Width in pixels; undefined: the remaining width. */
  readonly width: number | undefined;
  /** Width in pixels for the full name, used in wide windows. */
  readonly wideWidth?: number;
  readonly isNumber?: boolean;
  readonly cell: (row: LogRow, context: CellContext) => ComponentChildren;
}

/** A text from right to left is cut at its end, which is on the left. */
const text = (value: string | null): ComponentChildren =>
  value === null || value === '' ? (
    <span class="muted">–</span>
  ) : (
    <span class="cut" dir="auto" title={value}>
      {value}
    </span>
  );

/** Time of today's requests; date and time of others. */
function time({ id, at }: LogRow): ComponentChildren {
  const isToday = day(at) === day(gatewayNow());
  return (
    <a class="cut" href={requestHref(id)} title={moment(at)} tabIndex={-1}>
      {isToday ? clock(at) : `${day(at).slice(5)} ${clock(at).slice(0, 5)}`}
    </a>
  );
}

const speed = (row: LogRow): string => {
  const seconds = (row.latency - (row.ttft ?? 0)) / 1000;
  return row.tokens_out === 0 || seconds <= 0.05 ? '–' : `${count(Math.round(row.tokens_out / seconds))}/s`;
};

const column = (id: string, name: string, width: number, of: (row: LogRow) => string | null): GridColumn => ({
  id,
  name,
  width,
  cell: (row) => text(of(row)),
});
const number = (id: string, name: string, width: number, of: (row: LogRow) => string): GridColumn => ({
  id,
  name,
  width,
  isNumber: true,
  cell: of,
});

export const fixedColumns: readonly GridColumn[] = [
  { id: 'time', name: 'Time', width: 104, cell: time },
  { id: 'status', name: 'Status', width: 140, wideWidth: 170, cell: (row) => <Status {...row} /> },
  { ...column('config', 'Config', 80, (row) => row.config), wideWidth: 180 },
  { id: 'route', name: 'Route', width: 180, wideWidth: 420, cell: (row) => <Route row={row} /> },
  { ...column('key', 'Key', 76, (row) => row.key), wideWidth: 180 },
  {
    id: 'duration',
    name: 'Duration',
    width: 100,
    isNumber: true,
    cell: ({ latency, ttft }, { longest }) => <Duration latency={latency} ttft={ttft} of={longest} />,
  },
  { id: 'tokens', name: 'Tokens', width: 112, isNumber: true, cell: (row) => <Tokens row={row} /> },
  { id: 'cost', name: 'Cost', width: 116, isNumber: true, cell: (row) => <Cost {...row} /> },
  { id: 'preview', name: 'Preview', width: undefined, cell: (row) => text(row.error === null ? row.preview : (row.message ?? row.error)) },
  column('id', 'Request id', 290, (row) => row.id),
  column('trace', 'Trace id', 290, (row) => row.trace),
  column('span_name', 'Span', 140, (row) => row.span_name),
  column('upstream_id', 'Upstream id', 180, (row) => row.upstream_id),
  column('endpoint', 'Endpoint', 130, (row) => row.endpoint),
  column('finish', 'Finish', 80, (row) => row.finish),
  column('stream', 'Stream', 72, (row) => (row.stream ? 'yes' : 'no')),
  column('cache', 'Cache', 88, (row) => row.cache),
  number('attempts', 'Attempts', 80, (row) => count(row.attempts)),
  column('reason', 'Retry reason', 104, (row) => row.reason),
  number('overhead', 'Overhead', 84, (row) => duration(row.overhead)),
  number('ttft', 'First token', 92, (row) => duration(row.ttft)),
  number('speed', 'Tokens/s', 84, speed),
  column('error', 'Error', 130, (row) => row.error),
  column('guardrail', 'Guardrail', 100, (row) => row.guardrail),
  column('virtual_key', 'Virtual key', 110, (row) => row.virtual_key),
  column('prompt', 'Prompt', 110, (row) => row.prompt),
  column('agent', 'User agent', 180, (row) => row.agent),
  number('bytes_in', 'Request size', 110, (row) => bytes(row.bytes_in)),
  number('bytes_out', 'Response size', 110, (row) => bytes(row.bytes_out)),
  column('revision', 'Revision', 90, (row) => row.revision),
  column('labels', 'Labels', 160, (row) =>
    Object.entries(row.label)
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
  ),
];

const defaultColumns: readonly string[] = ['time', 'status', 'config', 'route', 'key', 'duration', 'tokens', 'cost', 'preview'];

/** Selected columns in order, and changed widths. */
export const chosenColumns = storedSignal<readonly string[]>('columns', defaultColumns, isTexts);
export const resetColumns = (): void => {
  chosenColumns.value = defaultColumns;
  columnWidths.value = {};
};

type Widths = Readonly<Record<string, number>>;
const isWidths = (value: unknown): value is Widths =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((width) => typeof width === 'number' && width >= 40 && width <= 1000);
export const columnWidths = storedSignal<Widths>('column-widths', {}, isWidths);

/** A column by its id: fixed ones, `meta.<key>` and `label.<name>`. */
export function columnOf(id: string): GridColumn | undefined {
  const found = fixedColumns.find((entry) => entry.id === id);
  if (found !== undefined) return found;
  const dot = id.indexOf('.');
  const [kind, key] = [id.slice(0, dot), id.slice(dot + 1)];
  if (key === '' || (kind !== 'meta' && kind !== 'label')) return undefined;
  return column(id, id, 110, (row) => (Object.hasOwn(row[kind], key) ? (row[kind][key] ?? null) : null));
}

export const shownColumns = (): readonly GridColumn[] => chosenColumns.value.map(columnOf).filter((entry) => entry !== undefined);

/** Default columns that are hidden in a narrow window, in this order. Columns that a user selected are never hidden. */
const hideableColumns: readonly string[] = ['key', 'config', 'preview', 'tokens'];
/** Names of the columns that may be hidden; empty if the user selected the columns. */
export const hideableColumnNames = (): readonly string[] =>
  hasDefaultColumns() ? hideableColumns.map((id) => columnOf(id)?.name ?? id) : [];
const hasDefaultColumns = (): boolean => chosenColumns.value.join() === defaultColumns.join();

/** Minimum width in pixels of the column without a width, reserved before others grow. */
const minFlexibleWidth = 100;
const fairRest = 400;

/**
 * In a wide window, name columns grow into the space that the preview does not need. A narrow one shows fewer default columns.
 *
 * @param availableWidth pixels
 * @returns columns with their widths, and the sum of the widths
 */
export function fitColumns(
  chosen: readonly GridColumn[],
  availableWidth: number,
): { readonly columns: readonly GridColumn[]; readonly minWidth: number } {
  const own = columnWidths.value;
  let wished = chosen.map((one) => ({ ...one, width: own[one.id] ?? one.width }));
  const sumOf = (rest: number): number => wished.reduce((sum, { width }) => sum + (width ?? rest), 0);
  for (const id of hasDefaultColumns() ? hideableColumns : [])
    if (sumOf(minFlexibleWidth) > availableWidth) wished = wished.filter((one) => one.id !== id);
  const wants = ({ id, width, wideWidth }: GridColumn): number =>
    width === undefined || wideWidth === undefined || own[id] !== undefined ? 0 : wideWidth - width;
  const wanted = wished.reduce((sum, one) => sum + wants(one), 0);
  const share = wanted === 0 ? 0 : Math.min(1, Math.max(0, availableWidth - sumOf(fairRest)) / wanted);
  return {
    columns: wished.map((one) => (one.width === undefined ? one : { ...one, width: Math.floor(one.width + share * wants(one)) })),
    minWidth: sumOf(minFlexibleWidth),
  };
}
