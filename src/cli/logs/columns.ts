import { hopTexts } from '../../core/logs/hops.ts';
import type { LogRow } from '../../core/logs/row.ts';
import { nearest } from '../../core/text/nearest.ts';
import { printable } from '../../core/text/printable.ts';
import { formatDuration, formatSize } from '../../core/text/units.ts';
import { CommandError, exitCodes } from '../command.ts';
import { shrunkWidths, totalWidth } from '../fitting-table.ts';
import { columnWidths, truncate, padEnd, padStart } from '../text.ts';

/** One column of a list of records. */
export interface Column {
  readonly name: string;
  readonly isNumber: boolean;
  cell(row: LogRow): string;
  /** Value for programs: neither truncated nor rounded. */
  value(row: LogRow): string | number | boolean | null;
}

const text = (name: keyof LogRow, read: (row: LogRow) => string | null = (row) => row[name] as string | null): Column => ({
  name,
  isNumber: false,
  cell: (row) => printable(read(row) ?? '-'),
  value: read,
});

const number = (name: keyof LogRow, shown: (value: number) => string = String): Column => ({
  name,
  isNumber: true,
  cell: (row) => {
    const value = row[name];
    return typeof value === 'number' ? shown(value) : '-';
  },
  value: (row) => row[name] as number | null,
});

/** Local time, such as `11-22 09:31:09`. */
function shownTime(ms: number): string {
  const date = new Date(ms);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

const columns: readonly Column[] = [
  { name: 'time', isNumber: false, cell: (row) => shownTime(row.at), value: (row) => new Date(row.at).toISOString() },
  text('id'),
  number('status'),
  text('error'),
  text('message'),
  text('end'),
  text('endpoint'),
  { name: 'stream', isNumber: false, cell: (row) => (row.stream ? 'stream' : '-'), value: (row) => row.stream },
  text('config'),
  text('provider'),
  text('model'),
  { name: 'route', isNumber: false, cell: routeText, value: routeText },
  text('key'),
  text('virtual_key'),
  number('latency', formatDuration),
  number('ttft', formatDuration),
  number('overhead', formatDuration),
  number('tokens_in'),
  number('tokens_out'),
  {
    name: 'tokens',
    isNumber: true,
    cell: (row) => (row.tokens_in + row.tokens_out === 0 ? '-' : `${row.tokens_in}→${row.tokens_out}`),
    value: (row) => row.tokens_in + row.tokens_out,
  },
  { name: 'cost', isNumber: true, cell: (row) => (row.cost === null ? '-' : `$${row.cost}`), value: (row) => row.cost },
  text('finish'),
  text('cache'),
  text('guardrail'),
  number('attempts'),
  number('retries'),
  { name: 'fallback', isNumber: false, cell: (row) => (row.fallback ? 'fallback' : '-'), value: (row) => row.fallback },
  text('reason'),
  text('trace'),
  text('span'),
  text('span_name'),
  text('parent'),
  text('upstream_id'),
  text('prompt'),
  text('revision'),
  text('agent'),
  number('bytes_in', formatSize),
  number('bytes_out', formatSize),
  text('preview'),
];

const byName = new Map(columns.map((column) => [column.name, column]));

/** Default columns of a list. */
const defaultColumns = ['time', 'status', 'config', 'route', 'latency', 'ttft', 'tokens', 'cost', 'key', 'id', 'preview'].map((name) =>
  columnNamed(name),
);

/** Columns removed first on a narrow terminal, in this order. Those of `removedLast` are removed only if even short routes do not fit. */
const removedFirst: readonly string[] = ['preview', 'key', 'ttft', 'cost', 'config', 'tokens'];
const removedLast: readonly string[] = ['latency', 'time'];

/**
 * Columns by name, including `meta.user` and `label.team`.
 * @throws CommandError
 */
export const columnsOf = (names: string | undefined): readonly Column[] =>
  names?.split(',').map((name) => columnNamed(name.trim())) ?? defaultColumns;

function columnNamed(name: string): Column {
  const column = byName.get(name) ?? mapColumn(name);
  if (column !== undefined) return column;
  const meant = nearest(name, [...byName.keys()]);
  throw new CommandError(
    exitCodes.usage,
    `there is no column "${name}"`,
    meant === undefined ? `Columns: ${[...byName.keys()].join(', ')}, meta.<key>, label.<name>.` : `Did you mean "${meant}"?`,
  );
}

function mapColumn(name: string): Column | undefined {
  const match = /^(meta|label)\.(.+)$/.exec(name);
  if (match === null) return undefined;
  const [, kind, key = ''] = match;
  const read = (row: LogRow): string | null => {
    const texts = kind === 'meta' ? row.meta : row.label;
    return Object.hasOwn(texts, key) ? (texts[key] ?? null) : null;
  };
  return { name, isNumber: false, cell: (row) => printable(read(row) ?? '-'), value: read };
}

/** Route such as `openai-main 429 → azure-eu/gpt-4o`, followed by the error if the request failed. */
export function routeText({ hops, provider, model, endpoint, error, message, end }: LogRow): string {
  const last = provider === null ? endpoint : model === null || model === '' ? `${provider} ${endpoint}` : `${provider}/${model}`;
  const failure = error === null ? '' : `: ${message ?? error}`;
  const suffix = end === 'client_gone' ? ' (client disconnected)' : end === 'drained' ? ' (ended by shutdown)' : '';
  return printable([...hopTexts(hops), last].join(' → ') + failure + suffix);
}

/** Width of a truncated column, in characters: sufficient for most texts, and the minimum. */
const preferredWidth = 32;
const narrowest = 12;

/**
 * A table that fits the terminal: removes whole columns first, then truncates routes and texts. Ids are never truncated,
 * since users copy them, and columns that the user named are never removed.
 * @param width undefined for unlimited width
 */
export function rowsTable(rows: readonly LogRow[], wanted: readonly Column[], width = Infinity): string {
  let shown = wanted;
  let cells = cellsOf(rows, shown);
  const removeColumns = (names: readonly string[], room: number): void => {
    for (const name of names) {
      if (wanted !== defaultColumns || widthOf(cells, room) <= width) return;
      shown = shown.filter((column) => column.name !== name);
      cells = cellsOf(rows, shown);
    }
  };
  removeColumns(removedFirst, preferredWidth);
  removeColumns(removedLast, narrowest);
  const fitted = truncateCells(cells, shown, width);
  const widths = columnWidths(fitted);
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (shown[i]?.isNumber === true ? padStart(cell, widths[i] ?? 0) : padEnd(cell, widths[i] ?? 0))).join('  ');
  return fitted.map((row) => `${line(row).trimEnd()}\n`).join('');
}

/** Filters read times as UTC, so a list of local times shows its zone: that of the first row in the heading, and others in their cells. */
function cellsOf(rows: readonly LogRow[], shown: readonly Column[]): string[][] {
  const zone = rows[0] === undefined ? utc : zoneOf(rows[0].at);
  const cellOf = (column: Column, row: LogRow): string =>
    column.name === 'time' && zoneOf(row.at) !== zone ? `${column.cell(row)} ${zoneOf(row.at)}` : column.cell(row);
  return [
    shown.map(({ name }) => (name === 'time' ? `TIME${zone === utc ? '' : ` ${zone}`}` : name.toUpperCase())),
    ...rows.map((row) => shown.map((column) => cellOf(column, row))),
  ];
}

const utc = '+00:00';

/** Offset of the local time from UTC, such as `-05:00`. */
function zoneOf(at: number): string {
  const minutes = -new Date(at).getTimezoneOffset();
  const size = Math.abs(minutes);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

const flexible = new Set(['ROUTE', 'PREVIEW', 'MESSAGE', 'AGENT', 'MODEL']);

/**
 * Width of the table with long texts truncated.
 * @param room columns of the terminal for each long text
 */
function widthOf(cells: readonly (readonly string[])[], room: number): number {
  const widths = columnWidths(cells).map((width, i) => (flexible.has(cells[0]?.[i] ?? '') ? Math.min(width, room) : width));
  return totalWidth(widths, 2);
}

function truncateCells(cells: string[][], shown: readonly Column[], width: number): string[][] {
  const isFlexible = (column: number): boolean => flexible.has(shown[column]?.name.toUpperCase() ?? '');
  const widths = shrunkWidths(columnWidths(cells), { isFlexible, minWidth: narrowest, gap: 2, width });
  return cells.map((row) => row.map((cell, i) => truncate(cell, widths[i] ?? 0)));
}
