import type { Figures, Stats } from '../../core/logs/reader.ts';
import { printable } from '../../core/text/printable.ts';
import { formatDuration } from '../../core/text/units.ts';
import { adminClient } from '../admin-client.ts';
import { exitCodes } from '../command.ts';
import { type CliIo, terminalWidth } from '../io.ts';
import { columnWidths, truncate, jsonText, padEnd, padStart } from '../text.ts';
import { csvLine } from './csv.ts';
import { type QueryFlags, queryText } from './query.ts';
import { countOf } from '../flag-values.ts';

export interface StatsFlags extends QueryFlags {
  readonly by?: string | undefined;
  readonly top?: string | undefined;
  readonly csv?: boolean | undefined;
}

/** Columns removed on a narrow terminal, in this order. */
const removableColumns = ['TTFT P50', 'P99', 'P50', 'OUT', 'TOKENS IN', 'P95'];
const titles = ['REQUESTS', 'ERRORS', 'P50', 'P95', 'P99', 'TTFT P50', 'TOKENS IN', 'OUT', 'COST'];

/** `gateway logs stats QUERY --by model`: prints counts, errors, times, tokens and cost. Exit code 1 if nothing is found. */
export async function stats(words: readonly string[], flags: StatsFlags, io: CliIo): Promise<number> {
  const { by } = flags;
  const top = countOf('top', flags.top, 20);
  const query = queryText(words, flags);
  // The gateway rounds a start without an end down to a whole minute.
  const q = /(?:^|\s)since:/i.test(query) ? `${query} until:0s` : query;
  const found = await adminClient(flags, io).get<Stats>('/api/stats', { q, by, top });
  if (flags.json === true) io.stdout.write(jsonText(found));
  else if (flags.csv === true) writeCsv(found, by, io);
  else if (found.total.requests > 0) io.stdout.write(tableText(found, by, terminalWidth(io.stdout) ?? Infinity));
  if (found.total.requests === 0) io.stderr.write('No request matches.\n');
  if (found.uncounted_since !== null) io.stderr.write(partText(found));
  return found.total.requests === 0 ? exitCodes.no : exitCodes.yes;
}

const partText = ({ since, uncounted_since }: Stats): string =>
  `Counted only since ${new Date(since).toISOString()}: the requests since ${new Date(uncounted_since ?? 0).toISOString()} take too long to read. Use a shorter range, for example since:1d, or fewer terms.\n`;

function tableText({ groups, rest, total }: Stats, by: string | undefined, width: number): string {
  const rows = fitted(width, [
    [(by ?? '').toUpperCase(), ...titles],
    ...(by === undefined ? [] : groups.map((group) => [printable(group.name ?? '-'), ...cellsOf(group)])),
    ...(rest === null ? [] : [['(others)', ...cellsOf(rest)]]),
    ['total', ...cellsOf(total)],
  ]);
  const widths = columnWidths(rows);
  return rows
    .map((row) => `${row.map((cell, i) => (i === 0 ? padEnd(cell, widths[i] ?? 0) : padStart(cell, widths[i] ?? 0))).join('  ')}\n`)
    .join('');
}

/** Rows that fit the terminal: removes columns first, then truncates long names. */
function fitted(width: number, rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const over = (of: typeof rows): number => columnWidths(of).reduce((sum, one) => sum + one + 2, -2) - width;
  let remaining = rows;
  for (const name of removableColumns) {
    if (over(remaining) <= 0) break;
    const at = remaining[0]?.indexOf(name);
    remaining = remaining.map((row) => row.filter((_, i) => i !== at));
  }
  const room = Math.max(12, (columnWidths(remaining)[0] ?? 0) - Math.max(0, over(remaining)));
  return remaining.map(([name = '', ...cells]) => [truncate(name, room), ...cells]);
}

function cellsOf(of: Figures): string[] {
  const time = (ms: number | null): string => (ms === null ? '-' : formatDuration(ms));
  const share = of.requests === 0 || of.errors === 0 ? '' : ` (${Math.max(0.1, Math.round((of.errors / of.requests) * 1000) / 10)} %)`;
  const unpriced = of.unpriced === 0 ? '' : ` + ${of.unpriced} unknown`;
  return [
    String(of.requests),
    `${of.errors}${share}`,
    time(of.p50),
    time(of.p95),
    time(of.p99),
    time(of.ttft_p50),
    String(of.tokens_in),
    String(of.tokens_out),
    `$${of.cost_usd}${unpriced}`,
  ];
}

const members = [
  'requests',
  'errors',
  'fallbacks',
  'retries',
  'p50',
  'p95',
  'p99',
  'ttft_p50',
  'ttft_p95',
  'tokens_in',
  'tokens_out',
  'tokens_cached',
  'cost_usd',
  'unpriced',
] as const;

function writeCsv({ groups, rest, total }: Stats, by: string | undefined, io: CliIo): void {
  io.stdout.write(csvLine([by ?? 'group', ...members]));
  const lines = by === undefined ? [{ ...total, name: 'total' }] : rest === null ? groups : [...groups, { ...rest, name: '(others)' }];
  for (const group of lines) io.stdout.write(csvLine([group.name, ...members.map((member) => group[member])]));
}
