import { performance } from 'node:perf_hooks';
import type { LogRecord } from '../src/core/records/record.ts';
import { sampleRecord } from '../src/store/fixtures/sample.ts';
import { encodeRecord } from '../src/store/encode.ts';
import { RequestMetrics } from '../src/telemetry/metrics/request-metrics.ts';
import { ExportThread } from '../src/telemetry/otlp/export-thread.ts';
import { isSampled } from '../src/telemetry/otlp/exported-record.ts';
import { spansOf } from '../src/telemetry/otlp/spans.ts';

/** Measures the telemetry cost of a finished request: `node bench/telemetry.ts`. */

const rounds = 7;
const size = 200_000;

/** Creates records with distinct strings, as in real traffic, so that nothing about them is cached. */
function records(): LogRecord[] {
  const usage = { prompt: 312, completion: 88, cached: 40, cache_write: 0, reasoning: 12, audio_in: 0, audio_out: 0, source: 'reported' };
  const record = { ...sampleRecord(), usage, cost: { usd: '0.000102', source: null, prices: {} } };
  return Array.from({ length: 20_000 }, (_, n) => JSON.parse(JSON.stringify({ ...record, key: `app-${n % 20}` })) as LogRecord);
}

function measure(name: string, work: (record: LogRecord) => void): void {
  const found: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const fresh = records();
    const begun = performance.now();
    for (let n = 0; n < size; n += 1) work(fresh[n % fresh.length] as LogRecord);
    found.push(((performance.now() - begun) * 1000) / size);
  }
  const sorted = found.toSorted((one, other) => one - other);
  console.log(`${name}: ${sorted[Math.floor(rounds / 2)]?.toFixed(2)} µs a request (best ${sorted[0]?.toFixed(2)})`);
}

const metrics = new RequestMetrics({ metadataLabels: ['team'], providerName: (type) => type, mask: (text) => text });
measure('metrics', (record) => metrics.add(record));

/** The event loop's cost of an exported trace, compared with encoding the spans on the event loop. */
const encode = { version: '1', instance: 'i', resource: {}, providerNames: {} };
measure('spans, encoded on the event loop', (record) => {
  for (const span of spansOf({ record, request: undefined, response: undefined }, encode)) JSON.stringify(span);
});

/** The line is encoded for the spool in any case, so it is not measured. */
const { line } = encodeRecord(sampleRecord(), {});
const thread = new ExportThread({
  entry: new URL('../src/gateway/observe/export-worker.js', import.meta.url),
  onRetry: () => undefined,
  onResult: () => undefined,
  onFault: (error) => console.error(error),
});
// There is no collector, and the queue has no capacity: encoded items are dropped immediately.
const collector = { url: 'http://127.0.0.1:9/v1/traces', headers: {}, content: false };
thread.use({ encode, traces: collector, logs: undefined, secrets: [], limits: { waiting: 0 } });
const paused = records();
const found: number[] = [];
for (let round = 0; round < 40; round += 1) {
  const loop = performance.eventLoopUtilization();
  for (let n = 0; n < 1000; n += 1) {
    const record = paused[n] as LogRecord;
    if (isSampled(record, 1)) thread.add({ line, isTraced: true, request: undefined, response: undefined });
  }
  // Gives the thread time to read, as between requests of real traffic. Its messages are part of the measured cost.
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, 60);
  await promise;
  found.push(performance.eventLoopUtilization(loop).active);
}
const sorted = found.toSorted((one, other) => one - other);
console.log(`spans, handed to a thread: ${(sorted[20] ?? 0).toFixed(2)} µs a request (best ${(sorted[0] ?? 0).toFixed(2)})`);
await thread.close(0);
