import { formatSize } from '../../core/text/units.ts';
import { table } from '../text.ts';
import type { Measured } from './load.ts';

/** Milliseconds. */
interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

interface BenchRow {
  readonly requests: number;
  readonly failed: number;
  readonly requests_per_second: number;
  /** Null if no request succeeded. */
  readonly latency_ms: Percentiles | null;
}

/** Output of `--json`. */
export interface BenchReport {
  readonly stream: boolean;
  readonly concurrency: number;
  /** The mock upstream called directly. */
  readonly direct: BenchRow;
  /** The same requests through the gateway. */
  readonly gateway: BenchRow;
  /** Difference of the percentiles; null if one of them is not known. */
  readonly added_ms: Percentiles | null;
  /** Largest resident memory of the gateway that was seen; null if none. */
  readonly memory_bytes: number | null;
  /** True if it was ended by Ctrl-C or a signal. */
  readonly interrupted: boolean;
}

interface BenchReportSource {
  readonly stream: boolean;
  readonly concurrency: number;
  readonly direct: readonly Measured[];
  readonly gateway: readonly Measured[];
  readonly memory: number | null;
  readonly interrupted: boolean;
}

export function reportOf({ stream, concurrency, direct, gateway, memory, interrupted }: BenchReportSource): BenchReport {
  const [before, after] = [rowOf(direct), rowOf(gateway)];
  const [a, b] = [before.latency_ms, after.latency_ms];
  const added = a === null || b === null ? null : { p50: round(b.p50 - a.p50), p95: round(b.p95 - a.p95), p99: round(b.p99 - a.p99) };
  return { stream, concurrency, direct: before, gateway: after, added_ms: added, memory_bytes: memory, interrupted };
}

function rowOf(parts: readonly Measured[]): BenchRow {
  const sorted = Float64Array.from(parts.flatMap(({ latencies }) => latencies)).toSorted();
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0);
  // The smallest value that at least this share of the values does not exceed.
  const at = (share: number): number => round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
  return {
    requests: sorted.length,
    failed: parts.reduce((sum, part) => sum + part.failed, 0),
    requests_per_second: seconds === 0 ? 0 : Math.round(sorted.length / seconds),
    latency_ms: sorted.length === 0 ? null : { p50: at(0.5), p95: at(0.95), p99: at(0.99) },
  };
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000;

export function reportText({ stream, concurrency, direct, gateway, added_ms: added, memory_bytes: memory }: BenchReport): string {
  const times = (all: Percentiles | null): string[] =>
    all === null ? ['-', '-', '-'] : [all.p50, all.p95, all.p99].map((ms) => `${ms.toFixed(2)} ms`);
  const row = (name: string, { requests, requests_per_second: rate, latency_ms: latency }: BenchRow): string[] => [
    name,
    String(requests),
    String(rate),
    ...times(latency),
  ];
  const rows = [
    ['', 'requests', 'per second', 'p50', 'p95', 'p99'],
    row('mock directly', direct),
    row('through the gateway', gateway),
    ['added', '', '', ...times(added)],
  ];
  const what = stream ? 'time to the first bytes of a stream' : 'time to the end of a response';
  const shown = memory === null ? 'not known' : formatSize(memory);
  return `${what}, ${concurrency} at the same time\n\n${table(rows)}\nmemory of the gateway: ${shown}\n`;
}
