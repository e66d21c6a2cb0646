import { expect, it } from 'vitest';
import type { LogRecord } from '../../core/records/record.ts';
import type { ObservabilitySettings, Snapshot } from '../../core/snapshot.ts';
import { Exporting } from './exporting.ts';

const collector = { url: 'http://127.0.0.1:1/v1/x', headers: {}, content: false };
const snapshotOf = (settings: Partial<ObservabilitySettings>): Snapshot => {
  const observability = { metrics: undefined, tracing: undefined, logs: undefined, resource: {}, ...settings };
  return { observability, types: new Map(), providers: new Map() } as unknown as Snapshot;
};
const silentLog = { warn: () => {}, error: () => {} };

it.each<[string, Partial<ObservabilitySettings>, readonly string[]]>([
  ['traces', { tracing: { ...collector, ratio: 1 } }, ['traces']],
  ['logs', { logs: collector }, ['logs']],
  ['nothing', {}, []],
])('reports the export results of %s as zero before anything is exported', (_, settings, signals) => {
  const exporting = new Exporting(silentLog, () => 0);
  exporting.use(snapshotOf(settings), []);
  const counts = exporting.samples().filter(([name]) => name === 'gateway_otlp_items_total');
  const results = ['exported', 'rejected', 'failed', 'dropped'];
  expect(counts).toEqual(signals.flatMap((signal) => results.map((result) => ['gateway_otlp_items_total', [signal, result], 0])));
});

it('logs the death of the export thread only at intervals if it dies repeatedly', async () => {
  const errors: string[] = [];
  let now = 0;
  const entry = new URL(`data:text/javascript,${encodeURIComponent("throw new Error('it dies')")}`);
  const exporting = new Exporting({ ...silentLog, error: (_, message) => void errors.push(message) }, () => now, entry);
  exporting.use(snapshotOf({ logs: collector }), []);
  const record = {} as LogRecord;
  const failed = () => exporting.samples().find(([, labels]) => labels[1] === 'failed')?.[2];
  for (const [time, lines] of [
    [0, 1],
    [1000, 1],
    [20_000, 2],
  ] as const) {
    now = time;
    const before = Number(failed());
    exporting.add({ record, line: '{}', request: [], response: [] });
    await expect.poll(failed).toBe(before + 1);
    expect(errors).toEqual(Array.from({ length: lines }, () => 'the thread that exports traces and logs died; it is started again'));
  }
  await exporting.close();
});
