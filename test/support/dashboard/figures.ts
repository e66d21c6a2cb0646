import type { Bucket, Figures, GroupFigures, Stats } from '../../../src/core/logs/reader.ts';
import type { LogRow } from '../../../src/core/logs/row.ts';

const quantile = (sorted: readonly number[], share: number): number | null => sorted[Math.floor(share * (sorted.length - 1))] ?? null;
const sorted = (list: readonly (number | null)[]): number[] => list.filter((n): n is number => n !== null).toSorted((a, b) => a - b);
const sum = (rows: readonly LogRow[], value: (row: LogRow) => number): number => rows.reduce((total, row) => total + value(row), 0);

export function figuresOf(rows: readonly LogRow[]): Figures {
  const latency = sorted(rows.map((row) => row.latency));
  const ttft = sorted(rows.map((row) => row.ttft));
  const overhead = sorted(rows.map((row) => row.overhead));
  return {
    requests: rows.length,
    errors: rows.filter((row) => row.status >= 400).length,
    fallbacks: rows.filter((row) => row.fallback).length,
    retries: sum(rows, (row) => row.attempts - 1),
    cache_hits: 0,
    p50: quantile(latency, 0.5),
    p95: quantile(latency, 0.95),
    p99: quantile(latency, 0.99),
    ttft_p50: quantile(ttft, 0.5),
    ttft_p95: quantile(ttft, 0.95),
    overhead_p50: quantile(overhead, 0.5),
    overhead_p95: quantile(overhead, 0.95),
    tokens_in: sum(rows, (row) => row.tokens_in),
    tokens_out: sum(rows, (row) => row.tokens_out),
    tokens_cached: sum(rows, (row) => row.tokens_cached),
    cost_usd: sum(rows, (row) => Number(row.cost ?? 0)).toFixed(6),
    unpriced: rows.filter((row) => row.cost === null).length,
  };
}

interface Grouping {
  readonly by: string | null;
  /** Maximum number of groups. */
  readonly top: number;
  /** In seconds. */
  readonly step: number | null;
}

/** Computes the store's statistics from rows in memory. */
export function statsOf(rows: readonly LogRow[], { by, top, step }: Grouping, [since, until]: readonly [number, number]): Stats {
  const nameOf = (row: LogRow): string =>
    by === 'status' ? `${Math.floor(row.status / 100)}xx` : String((row as unknown as Record<string, unknown>)[by ?? ''] ?? '');
  const all = by === null ? [] : [...Map.groupBy(rows, nameOf)].toSorted(([, a], [, b]) => b.length - a.length);
  const groups = all.slice(0, top).map(([name, groupRows]) => ({ ...figuresOf(groupRows), name: name === '' ? null : name }));
  const others = new Set(all.slice(top).map(([name]) => name));
  const series: Bucket[] = [];
  if (step !== null) {
    const width = step * 1000;
    const rowsByTime = Map.groupBy(rows, (row) => Math.floor(row.at / width) * width);
    for (let time = Math.floor(since / width) * width; time < until; time += width) {
      const stepRows = rowsByTime.get(time) ?? [];
      const parts = by === null ? [] : [...Map.groupBy(stepRows, nameOf)].filter(([name]) => !others.has(name));
      const rest = stepRows.filter((row) => others.has(nameOf(row)));
      series.push({
        at: time,
        ...figuresOf(stepRows),
        by: Object.fromEntries(parts.map(([name, part]) => [name, groupFiguresOf(part)])),
        rest: rest.length === 0 ? null : groupFiguresOf(rest),
      });
    }
  }
  const rest = others.size === 0 ? null : figuresOf(rows.filter((row) => others.has(nameOf(row))));
  return { since, until, uncounted_since: null, total: figuresOf(rows), groups, rest, series };
}

function groupFiguresOf(rows: readonly LogRow[]): GroupFigures {
  const { requests, errors, cost_usd, tokens_in, tokens_out } = figuresOf(rows);
  return { requests, errors, cost_usd, tokens: tokens_in + tokens_out };
}
