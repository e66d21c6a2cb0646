import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { LogQueries, LogStore } from '../src/store/log/log-store.ts';
import { createPostgresSource, openPostgresStore } from '../src/store/log/postgres/store.ts';
import { createQueries } from '../src/store/log/queries/index.ts';
import { openForReading } from '../src/store/log/sqlite/open.ts';
import { createSqliteSource } from '../src/store/log/sqlite/source.ts';
import { openSqliteStore } from '../src/store/log/sqlite/store.ts';
import { fillLog } from './log-records.ts';
import { findPostgres, startPostgres } from '../test/support/postgres.ts';

/**
 * Fills a request log and measures the most common queries: `node bench/log-queries.ts --records 100000 --days 7`. `--store
 * sqlite` or `--store postgres` selects one store, `--runs` sets how often each query is executed.
 */
const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    days: { type: 'string', default: '7' },
    runs: { type: 'string', default: '20' },
    store: { type: 'string', default: 'both' },
  },
});
const count = Number(values.records);
const days = Number(values.days);
const runs = Number(values.runs);
const now = Date.parse('2026-11-22T12:00:00Z');
const start = now - days * 86_400_000;

const queries: readonly (readonly [name: string, query: string])[] = [
  ['newest page', ''],
  ['failed', 'status:>=400'],
  ['config, a day', 'config:support since:1d'],
  ['rare config', 'config:rare'],
  ['model by wildcard', 'model:claude*'],
  ['one user', 'meta.user:u4211'],
  ['key', 'key:team-x'],
  ['slow', 'latency:>25s'],
  ['expensive', 'cost:>0.0295'],
  ['common word', 'refund'],
  ['rare word', 'unicorn'],
  ['phrase', '"refund my order"'],
  ['three terms', 'model:o3-mini status:>=500 meta.team:ops'],
  ['nothing fits', 'model:no-such-model'],
  ['nothing fits, no index', 'agent:nobody'],
];

async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < runs; i += 1) {
    const from = performance.now();
    await work();
    times.push(performance.now() - from);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): string =>
    (times[Math.min(times.length - 1, Math.ceil(share * times.length) - 1)] ?? 0).toFixed(1).padStart(9);
  console.log(`  ${name.padEnd(26)}${at(0.5)}${at(0.95)}`);
}

async function run(name: string, store: LogStore, reader: LogQueries): Promise<void> {
  const from = performance.now();
  await fillLog(store, { count, from: start, to: now });
  const written = performance.now();
  while (await store.index('all'));
  const indexed = performance.now();
  const { bytes } = await store.size();
  console.log(`\n${name}: ${count} records over ${days} days, ${Math.round(bytes / 1_000_000)} MB`);
  console.log(`  filled in ${((written - from) / 1000).toFixed(1)} s, words in ${((indexed - written) / 1000).toFixed(1)} s more`);
  console.log(`  ${'milliseconds'.padEnd(26)}      p50      p95`);
  for (const [title, query] of queries) await measure(title, () => reader.search({ query, limit: 50 }));
  const trace = ((count >> 1) - ((count >> 1) % 3)).toString(16).padStart(32, '0');
  await measure('trace', () => reader.trace(trace));
  await measure('open one', () => reader.get(`req_${(count >> 1).toString(36).toUpperCase().padStart(26, '0')}`));
  await measure('by model, a day', () => reader.stats({ query: 'since:1d', by: 'model', step: 3600 }));
  await measure('by model, all days', () => reader.stats({ query: '', by: 'model', step: 3600 }));
  await measure('volume, all days', () => reader.stats({ query: '', by: 'status', step: 3600 }));
  await measure('volume of a filter, a day', () => reader.stats({ query: 'latency:>2s since:1d', by: 'status', step: 3600 }));
  await measure('volume of a word, all', () => reader.stats({ query: 'refund', by: 'status', step: 3600 }));
  await measure('suggest values', () => reader.suggest({ text: 'model:g', cursor: 7 }));
  await measure('names', () => reader.names());
}

console.log(`${cpus().length} × ${cpus()[0]?.model ?? '?'}, Node ${process.version}`);
if (values.store !== 'postgres') {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const path = join(folder, 'log.db');
  const store = openSqliteStore(path);
  const reader = createQueries(createSqliteSource(openForReading(path)), () => now);
  await run('SQLite', store, reader);
  console.log(`  file ${Math.round(statSync(path).size / 1_000_000)} MB`);
  await reader.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}
if (values.store !== 'sqlite') {
  const server = await startPostgres(findPostgres());
  const url = await server.database();
  const store = openPostgresStore(url, { writer: 'bench' });
  const reader = createQueries(createPostgresSource(url), () => now);
  await run('Postgres', store, reader);
  await reader.close();
  await store.close();
  await server.end();
}
