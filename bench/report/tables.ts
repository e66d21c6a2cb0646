import type { Row, Scenario, Spread } from './summary.ts';

/** A result of a scenario that does not compare systems under load: memory, pauses, times. */
export interface Finding {
  readonly what: string;
  readonly unit: string;
  readonly value: Spread;
}

type Column = readonly [title: string, cell: (row: Row) => string];

const columnsOf = ({ unit }: Scenario): readonly Column[] => [
  ['system', (row) => row.system],
  [`CPU µs/${unit}`, (row) => spreadText(row.cpu, 1)],
  ['main thread', (row) => row.main.toFixed(1)],
  ['others', (row) => row.other.toFixed(1)],
  ['× nginx', (row) => spreadText(row.toNginx, 2)],
  ['× bare relay', (row) => spreadText(row.toRelay, 2)],
  ['× log off', (row) => spreadText(row.toLogOff, 2)],
  ['µs above pass-through', (row) => spreadText(row.abovePass, 1)],
  ['p50 over nginx ms', (row) => spreadText(row.addedP50, 2)],
  ['p99 over nginx ms', (row) => spreadText(row.addedP99, 2)],
  ['responses/s', (row) => row.rps.toFixed(0)],
  ['peak MB', (row) => row.peak.toFixed(0)],
  ['failed', (row) => String(row.failures)],
];

export const spreadText = (value: Spread | undefined, digits: number): string =>
  value === undefined ? '–' : `${value.mid.toFixed(digits)} (${value.low.toFixed(digits)} … ${value.high.toFixed(digits)})`;

/** Renders a load as a Markdown table, without empty columns. */
export function loadTable(scenario: Scenario, rows: readonly Row[]): string {
  const columns = columnsOf(scenario).filter(([, cell]) => rows.some((row) => cell(row) !== '–'));
  return markdown([columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => cell(row)))]);
}

export const findingsTable = (findings: readonly Finding[]): string =>
  markdown([
    ['', 'median (lowest … highest)'],
    ...findings.map(({ what, unit, value }) => [what, `${spreadText(value, digitsOf(value))} ${unit}`]),
  ]);

const digitsOf = ({ mid }: Spread): number => (mid >= 100 ? 0 : 1);

/** Renders a Markdown table. The first line is the header. */
export function markdown(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, n) => Math.max(...lines.map((line) => line[n]?.length ?? 0)));
  const [head, ...rest] = lines.map((line) => `| ${line.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`);
  return [head, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rest].join('\n');
}
