import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { page } from './page.ts';
import type { BenchRecord } from './bench-record.ts';

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
