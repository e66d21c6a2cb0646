import type { LoadResult } from './result.ts';

export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly stream: boolean;
  readonly conns: number;
  readonly rate?: number;
  /** The figure that counts. */
  readonly cost: 'cpu_us_per_request' | 'cpu_us_per_event';
  /** Compares what the gateway passes through with what it converts. */
  readonly converts?: boolean;
}

/** One run of one system in one scenario; `system` names the provider too where answers are converted. */
export interface Measurement {
  readonly scenario: string;
  readonly system: string;
  readonly round: number;
  readonly result: LoadResult;
}

export interface Row {
  readonly system: string;
  /** Microseconds of CPU per request or event: median, lowest and highest of the rounds. */
  readonly cost: number | undefined;
  readonly low: number | undefined;
  readonly high: number | undefined;
  /** Medians of the ratios within a round. */
  readonly toNginx: number | undefined;
  readonly toRelay: number | undefined;
  /** Microseconds of CPU over what the same process takes to pass an answer through; median of the differences within a round. */
  readonly abovePass: number | undefined;
  /** Milliseconds over the direct path at the median request (stream: first byte). */
  readonly addedP50: number | undefined;
  readonly p99: number | undefined;
  readonly rps: number | undefined;
  readonly rssMb: number | undefined;
  readonly failures: number;
}

export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : mean(sorted[middle - 1], sorted[middle]);
}

const mean = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : (a + b) / 2;

export function summarize(scenario: Scenario, all: readonly Measurement[]): Row[] {
  const here = all.filter((entry) => entry.scenario === scenario.name);
  const names = [...new Set(here.map((entry) => entry.system))];
  return names.map((system) => {
    const runs = here.filter((entry) => entry.system === system);
    const costs = runs.flatMap(({ result }) => result[scenario.cost] ?? []);
    const against = (mark: string, of: (result: LoadResult) => number | undefined, combine: (own: number, mark: number) => number) =>
      median(
        runs.flatMap((run) => {
          const other = here.find((entry) => entry.system === mark && entry.round === run.round);
          const [own, base] = [of(run.result), other === undefined ? undefined : of(other.result)];
          return own === undefined || base === undefined ? [] : [combine(own, base)];
        }),
      );
    const cost = (result: LoadResult) => result[scenario.cost];
    const ratio = (mark: string) => against(mark, cost, (own, base) => own / base);
    const wait = (result: LoadResult) => (scenario.stream ? result.ttft_ms.p50 : result.latency_ms.p50);
    return {
      system,
      cost: median(costs),
      low: costs.length === 0 ? undefined : Math.min(...costs),
      high: costs.length === 0 ? undefined : Math.max(...costs),
      toNginx: ratio('nginx'),
      toRelay: ratio('relay'),
      abovePass: system.startsWith('gateway ') ? against('gateway', cost, (own, base) => own - base) : undefined,
      addedP50: system === 'direct' ? undefined : against('direct', wait, (own, base) => own - base),
      p99: median(runs.map(({ result }) => result.latency_ms.p99)),
      rps: median(runs.map(({ result }) => result.rps)),
      rssMb: median(runs.flatMap(({ result }) => result.peak_rss_mb ?? [])),
      failures: runs.reduce((sum, { result }) => sum + result.errors + result.incomplete, 0),
    };
  });
}

const columns: readonly [title: string, cell: (row: Row) => string][] = [
  ['system', (row) => row.system],
  ['CPU µs', (row) => number(row.cost, 1)],
  ['spread', (row) => (row.low === undefined ? '-' : `${number(row.low, 1)}–${number(row.high, 1)}`)],
  ['× nginx', (row) => number(row.toNginx, 2)],
  ['× relay', (row) => number(row.toRelay, 2)],
  ['above pass µs', (row) => number(row.abovePass, 1)],
  ['added p50 µs', (row) => number(row.addedP50 === undefined ? undefined : row.addedP50 * 1000, 0)],
  ['p99 ms', (row) => number(row.p99, 2)],
  ['answers/s', (row) => number(row.rps, 0)],
  ['peak MB', (row) => number(row.rssMb, 0)],
  ['failed', (row) => String(row.failures)],
];

const number = (value: number | undefined, digits: number): string => (value === undefined ? '-' : value.toFixed(digits));

/** A Markdown table, so that it can be pasted into a page. */
export function table(scenario: Scenario, rows: readonly Row[]): string {
  const cells = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
  const widths = columns.map((_, n) => Math.max(...cells.map((line) => line[n]?.length ?? 0)));
  const lines = cells.map((line) => `| ${line.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`);
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return `${scenario.name}: ${scenario.about}\n\n${[lines[0], rule, ...lines.slice(1)].join('\n')}\n`;
}
