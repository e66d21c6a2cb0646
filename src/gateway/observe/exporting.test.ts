import { expect, it } from 'vitest';
import type { LogRecord } from '../../core/records/record.ts';
import type { ObservabilitySettings, Snapshot } from '../../core/snapshot.ts';
import { Exporting } from './exporting.ts';

const collector = { url: 'http://127.0.0.1:1/v1/x', headers: {}, content: false };
const snapshotOf = (settings: Partial<ObservabilitySettings>): Snapshot => {
  const observability = { metrics: undefined, tracing: undefined, logs: undefined, resource: {}, ...settings };
  return { observability, types: new Map(), providers: new Map(), server: {} } as unknown as Snapshot;
};
const silentLog = { warn: () => {}, error: () => {} };

it.each<[string, Partial<ObservabilitySettings>, readonly string[]]>([
  ['traces', { tracing: { ...collector, ratio: 1 } }, ['traces']],
  ['logs', { logs: collector }, ['logs']],
  ['nothing', {}, []],
])('reports the export results of %s as zero before anything is exported', (_, settings, signals) => {
  const exporting = new Exporting(silentLog, () => 0, []);
  exporting.use(snapshotOf(settings), []);
  const counts = exporting.samples().filter(([name]) => name === 'gateway_otlp_items_total');
  const results = ['exported', 'rejected', 'failed', 'dropped'];
  expect(counts).toEqual(signals.flatMap((signal) => results.map((result) => ['gateway_otlp_items_total', [signal, result], 0])));
});

it('logs the death of the export thread only at intervals if it dies repeatedly', async () => {
  const errors: string[] = [];
  let now = 0;
  const entry = new URL(`data:text/javascript,${encodeURIComponent("throw new Error('it dies')")}`);
  const exporting = new Exporting({ ...silentLog, error: (_, message) => void errors.push(message) }, () => now, [], entry);
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

it('keeps a problem for each signal until its collector accepts an export or is removed', async () => {
  const problems: string[] = ['another problem'];
  // Reports what the line of a record contains.
  const thread = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ kind, settings, entries }) => {
      if (kind === 'settings' && settings.traces !== undefined)
        parentPort.postMessage({ kind: 'result', signal: 'traces', items: 1, result: 'failed', why: 'ECONNREFUSED' });
      for (const { line } of entries ?? []) parentPort.postMessage({ signal: 'logs', ...JSON.parse(line) });
    });`;
  const exporting = new Exporting(silentLog, () => 0, problems, new URL(`data:text/javascript,${encodeURIComponent(thread)}`));
  exporting.use(snapshotOf({ logs: collector, tracing: { ...collector, ratio: 0 } }), []);
  const record = { trace: { trace_id: '', sampled: false } } as unknown as LogRecord;
  const ofTraces = 'Traces are not exported to their collector: ECONNREFUSED.';
  const results = [
    [{ kind: 'retry', why: 'status 503' }, ['status 503']],
    [{ kind: 'result', items: 1, result: 'dropped', why: 'the queue is full' }, ['status 503']],
    [{ kind: 'result', items: 1, result: 'exported' }, []],
    [{ kind: 'result', items: 1, result: 'rejected', why: 'status 401' }, ['status 401']],
  ] as const;
  for (const [report, reasons] of results) {
    exporting.add({ record, line: JSON.stringify(report), request: [], response: [] });
    const count = () =>
      exporting.samples().find(([, labels]) => labels[0] === 'logs' && labels[1] === ('result' in report && report.result))?.[2];
    await expect.poll(count).toBe(report.kind === 'retry' ? undefined : 1);
    const ofLogs = reasons.map((why) => `Log records are not exported to their collector: ${why}.`);
    await expect.poll(() => problems.toSorted()).toEqual([...ofLogs, ofTraces, 'another problem'].toSorted());
  }
  exporting.use(snapshotOf({ tracing: { ...collector, ratio: 0 } }), []);
  expect(problems).toEqual(['another problem', ofTraces]);
  exporting.use(snapshotOf({}), []);
  expect(problems).toEqual(['another problem']);
});
