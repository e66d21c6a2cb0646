import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { page } from './page.ts';
import type { Row, Scenario } from './summary.ts';
import type { Finding } from './tables.ts';

/** Where and how something was measured. */
export interface Conditions {
  readonly at: string;
  readonly commit: string;
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly kernel: string;
  /** Load average of the minute before the run. */
  readonly busy: number;
  readonly rounds: number;
  readonly durationMs: number;
  readonly tools: string;
  readonly sources: boolean;
}

/** What came of one scenario: rows of a load, or findings. */
export type Entry =
  | { readonly conditions: Conditions; readonly scenario: Scenario; readonly rows: readonly Row[] }
  | { readonly conditions: Conditions; readonly name: string; readonly about: string; readonly findings: readonly Finding[] };

/** By the name of the scenario. */
export type BenchRecord = Readonly<Record<string, Entry>>;

const bench = join(dirname(fileURLToPath(import.meta.url)), '..');

export function readRecord(): BenchRecord {
  return JSON.parse(readFileSync(join(bench, 'record.json'), 'utf8')) as BenchRecord;
}

/** Scenarios that were not run keep what was measured before. */
export function keep(entries: BenchRecord): void {
  const all = { ...readRecord(), ...entries };
  writeFileSync(join(bench, 'record.json'), `${JSON.stringify(all, rounded, 1)}\n`);
  writeFileSync(join(bench, 'RESULTS.md'), page(readRecord()));
}

/** Four digits say all that is known. */
const rounded = (_: string, value: unknown): unknown => (typeof value === 'number' ? Number(value.toPrecision(4)) : value);
