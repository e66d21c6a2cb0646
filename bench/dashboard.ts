import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import type { LogRecord } from '../src/core/records/record.ts';
import { encodeRecord } from '../src/store/encode.ts';
import { sampleRecord, wholeSlice } from '../src/store/fixtures/sample.ts';
import { openSqliteStore } from '../src/store/log/sqlite/store.ts';
import { rowOf } from '../src/store/log/stored-row.ts';
import { adminUrl } from '../test/admin/client.ts';
import { findChromium, launch } from '../test/support/dashboard/chromium.ts';
import { built } from '../test/support/dashboard/page.ts';
import { makeRow, randomFrom } from '../test/support/dashboard/rows.ts';
import { startBusyGateway } from '../test/support/dashboard/traffic.ts';

/**
 * Measures the dashboard in Chromium with a gateway that has a full request log:
 * `node --conditions=llm-gateway-source bench/dashboard.ts --records 100000 --runs 20`.
 */
const { values } = parseArgs({ options: { records: { type: 'string', default: '100000' }, runs: { type: 'string', default: '20' } } });
const count = Number(values.records);
const runs = Number(values.runs);

const random = randomFrom(42);
const start = Date.now() - 20 * 3_600_000;

function recordAt(i: number): LogRecord {
  const at = Math.floor(start + (i * 20 * 3_600_000) / count);
  const row = makeRow(i, at, random);
  const base = sampleRecord();
  return {
    ...base,
    id: `req_${i.toString(36).toUpperCase().padStart(26, '0')}`,
    trace: { ...base.trace, trace_id: i.toString(16).padStart(32, '0') },
    at,
    status: row.status,
    error: row.error === null ? null : { code: row.error, source: 'provider', message: row.message ?? '' },
    config: row.config,
    key: row.key,
    provider: row.provider,
    model: { asked: row.model, sent: row.model, answered: row.model },
    ms: { total: row.latency, first_event: row.ttft, overhead: row.overhead },
    usage: { ...base.usage, prompt: row.tokens_in, completion: row.tokens_out },
    cost: { usd: row.cost, source: 'genai-prices', prices: {} },
    metadata: row.meta,
    preview: row.preview,
    bodies: 'metadata',
  };
}

async function fill(path: string): Promise<void> {
  const store = openSqliteStore(path);
  for (let i = 0; i < count; i += 1000) {
    const records = Array.from({ length: Math.min(1000, count - i) }, (_, n) => {
      const record = recordAt(i + n);
      return { row: rowOf(record), record, bodies: {}, slice: wholeSlice(Buffer.from(`${encodeRecord(record, {}).line}\n\n`)) };
    });
    await store.write({ records, amendments: [], positions: [], deletedSegments: [] });
  }
  while (await store.index('all'));
  await store.close();
}

function print(name: string, times: readonly number[], unit = 'ms'): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0).toFixed(0).padStart(7);
  console.log(`  ${name.padEnd(48)}p50 ${at(0.5)} ${unit}   p95 ${at(0.95)} ${unit}`);
}

const filters = [
  'status:>=400',
  'model:gpt-4o*',
  'latency:>3s',
  'meta.user:u7',
  'password',
  'fallback:true',
  'cost:>0.0004',
  'config:support key:app-web',
];

/** Times from pressing Enter to the first row of the new list on screen. */
async function filterTimes(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < runs; n++) {
    const filter = filters[n % filters.length] ?? '';
    await page.getByRole('combobox', { name: 'Filter' }).fill(filter);
    const done = page.waitForResponse((response) => response.url().includes('/api/requests?q=') && !response.url().includes('before='));
    const from = performance.now();
    await page.keyboard.press('Enter');
    await done;
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    times.push(performance.now() - from);
    await page.waitForTimeout(300);
  }
  return times;
}

/** Times from the click to the timeline on screen. */
async function openTimes(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < runs; n++) {
    const row = page.locator('.grid tbody tr:not(.space)').nth(n % 10);
    const from = performance.now();
    await row.click();
    await page.locator('.timeline').waitFor();
    times.push(performance.now() - from);
    await page.keyboard.press('Escape');
    await page.locator('.side-panel').waitFor({ state: 'detached' });
  }
  return times;
}

/** Durations of the frames while scrolling through loaded rows, and the maximum number of rows in the document. */
const scroll = `(async () => {
  const box = document.querySelector('.grid-box');
  const frames = []; let most = 0; let last = performance.now();
  for (let i = 0; i < 240; i++) {
    box.scrollTop += 60;
    await new Promise((done) => requestAnimationFrame(done));
    const now = performance.now();
    frames.push(now - last); last = now;
    most = Math.max(most, document.querySelectorAll('.grid tbody tr:not(.space)').length);
  }
  return { frames, most };
})()`;

await built();
const found = await findChromium();
if ('missing' in found) throw new Error(found.missing);
const stateDir = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
await fill(join(stateDir, 'log.sqlite'));
const gateway = await startBusyGateway({ stateDir });
const browser = await launch(found);
try {
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? '?'}, Node ${process.version}, ${browser.version()}, ${count} records`);
  const url = adminUrl(gateway);
  const paints: number[] = [];
  for (let n = 0; n < Math.min(runs, 10); n++) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const from = performance.now();
    await page.goto(`${url}/requests`, { waitUntil: 'commit' });
    await page.locator('.grid tbody tr:not(.space)').first().waitFor();
    paints.push(performance.now() - from);
    await page.close();
  }
  print('navigation to the first rows on screen', paints);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${url}/requests`);
  await page.locator('.grid tbody tr:not(.space)').first().waitFor();
  print('opening a request', await openTimes(page));
  print('a filter, from Enter to rows', await filterTimes(page));
  await page.goto(`${url}/requests`);
  await page.locator('.grid tbody tr:not(.space)').first().waitFor();
  const { frames, most } = (await page.evaluate(scroll)) as { frames: number[]; most: number };
  print('a frame while scrolling', frames);
  console.log(`  rows in the document: at most ${most}`);
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const heap = (await session.send('Runtime.getHeapUsage')) as { usedSize: number };
  console.log(`  memory of the page's scripts: ${(heap.usedSize / 1e6).toFixed(1)} MB`);
} finally {
  await browser.close();
  await gateway.close();
  rmSync(stateDir, { recursive: true, force: true });
}
