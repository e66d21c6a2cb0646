import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { page } from './page.ts';
import type { Row, Scenario } from './summary.ts';
import type { Finding } from './tables.ts';

/** Environment and parameters of a measurement. */
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

/** Result of one scenario: rows of a load, or findings. */
export type ScenarioResult =
  | { readonly conditions: Conditions; readonly scenario: Scenario; readonly rows: readonly Row[] }
  | { readonly conditions: Conditions; readonly name: string; readonly about: string; readonly findings: readonly Finding[] };

/** By the name of the scenario. */
export type BenchRecord = Readonly<Record<string, ScenarioResult>>;

const bench = join(dirname(fileURLToPath(import.meta.url)), '..');

export function readRecord(): BenchRecord {
  return JSON.parse(readFileSync(join(bench, 'record.json'), 'utf8')) as BenchRecord;
}

/** Saves results. Scenarios that were not run keep their previous ones. */
export function saveResults(entries: BenchRecord): void {
  const all = { ...readRecord(), ...entries };
  writeFileSync(join(bench, 'record.json'), `${JSON.stringify(all, rounded, 1)}\n`);
  writeFileSync(join(bench, 'RESULTS.md'), page(readRecord()));
}

/** Rounds to four digits, the precision of the measurements. */
const rounded = (_: string, value: unknown): unknown => (typeof value === 'number' ? Number(value.toPrecision(4)) : value);
