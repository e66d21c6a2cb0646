import { afterEach, beforeEach, expect, it } from 'vitest';
import { minimalRecord } from '../../src/core/records/minimal.ts';
import { ExportThread } from '../../src/telemetry/otlp/export-thread.ts';
import type { Entry, ExportSettings } from '../../src/telemetry/otlp/messages.ts';
import { until } from '../support/gateway.ts';
import { type Collector, startCollector } from './collector.ts';

let collector: Collector;
let thread: ExportThread;
let results: Record<string, number>;

beforeEach(async () => {
  collector = await startCollector();
  results = {};
  thread = new ExportThread({
    entry: new URL('../../src/gateway/observe/export-worker.js', import.meta.url),
    onRetry: () => undefined,
    onResult: (_signal, items, result) => (results[result] = (results[result] ?? 0) + items),
    onFault: (error) => expect.fail(error.message),
  });
});
afterEach(async () => {
  await thread.close(10_000);
  await collector.close();
});

const settings = (): ExportSettings => ({
  encode: { version: '1', instance: 'one', resource: {}, providerNames: {} },
  traces: undefined,
  logs: { url: collector.url, headers: {}, content: false },
  secrets: [],
});

const facts = { at: 1, endpoint: 'chat/completions', method: 'POST', path: '/v1/chat/completions', stream: false, random: 0 } as const;
function entries(count: number): Entry[] {
  const line = JSON.stringify(minimalRecord({ ...facts, id: 'req_1', status: 200, end: 'whole', error: null, revision: '', totalMs: 1 }));
  return Array.from({ length: count }, () => ({ line, isTraced: false, request: undefined, response: undefined }));
}

it('sends queued records after the collector was removed from the configuration', async () => {
  thread.use(settings());
  for (const entry of entries(3)) thread.add(entry);
  thread.use(undefined);
  await until(() => collector.logs().length === 3, 'the records');
  await until(() => results['exported'] === 3, 'the result');
});

it('loses nothing if a collector is removed and added again', async () => {
  thread.use(settings());
  for (const entry of entries(128)) thread.add(entry);
  thread.use(undefined);
  thread.use(settings());
  for (const entry of entries(128)) thread.add(entry);
  await until(() => collector.logs().length === 256, 'the records');
  await until(() => thread.waiting === 0, 'the end of the queue');
});

it('redacts a secret that is split over several events of a stream', async () => {
  const secret = 'canary-of-the-pieces-0123456789';
  const logs = { url: collector.url, headers: {}, content: true };
  thread.use({ ...settings(), logs, secrets: [secret] });
  const pieces = [secret.slice(0, 9), secret.slice(9)];
  const response = pieces.map((content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`).join('');
  for (const entry of entries(1)) thread.add({ ...entry, response });
  const [log] = await until(() => collector.logs().length === 1 && collector.logs(), 'the record');
  expect(JSON.stringify(log)).toContain('gen_ai.output.messages');
  expect(JSON.stringify(log)).not.toContain(secret);
});

/** Reads the first batch, reports one record as sent, and throws at the next batch. */
const dying = `
const { parentPort } = require('node:worker_threads');
let given = 0;
parentPort.on('message', ({ kind, entries }) => {
  if (kind !== 'records') return;
  given += 1;
  if (given > 1) throw new Error('out of order');
  parentPort.postMessage({ kind: 'read', items: { traces: 3 * entries.length, logs: entries.length } });
  parentPort.postMessage({ kind: 'result', signal: 'logs', items: 1, result: 'exported', why: undefined });
});`;

it('counts the records of a dead thread as failed', async () => {
  const logged: string[] = [];
  const faults: string[] = [];
  const ownThread = new ExportThread({
    entry: new URL(
      `data:text/javascript,${encodeURIComponent(`import { createRequire } from 'node:module'; const require = createRequire('/x'); ${dying}`)}`,
    ),
    onRetry: () => undefined,
    onResult: (signal, items, result, reason) => logged.push(`${signal} ${items} ${result} ${reason ?? ''}`.trim()),
    onFault: (error) => faults.push(error.message),
  });
  const { logs } = settings();
  ownThread.use({ ...settings(), traces: logs });
  for (const entry of entries(128)) ownThread.add({ ...entry, isTraced: true });
  await until(() => ownThread.waiting === 0, 'the first records');
  for (const entry of entries(200)) ownThread.add({ ...entry, isTraced: true });
  await until(() => faults.length > 0, 'the end of the thread');
  expect(faults).toEqual(['out of order']);
  expect(logged.filter((line) => line.includes('out of order')).toSorted()).toEqual([
    expect.stringMatching(/^logs (?:255|327) failed/),
    expect.stringMatching(/^traces (?:512|584) failed/),
  ]);
  expect(logged[0]).toBe('logs 1 exported');
  await ownThread.close(10);
});

it.each<[string, (own: ExportThread) => unknown, string]>([
  ['closed', (own) => own.close(10), 'the exporter is closed'],
  ['full', (own) => entries(1).forEach((entry) => own.add({ ...entry, request: 'x'.repeat(16_000_000) })), 'the queue is full'],
])('reports why a record is dropped: %s', async (_, prepare, why) => {
  const reasons: (string | undefined)[] = [];
  const own = new ExportThread({
    entry: dead,
    onRetry: () => undefined,
    onResult: (_signal, _items, _result, reason) => reasons.push(reason),
    onFault: (error) => expect.fail(error.message),
  });
  own.use(settings());
  await prepare(own);
  for (const entry of entries(1)) own.add(entry);
  expect(new Set(reasons)).toEqual(new Set([why]));
  own.use(undefined);
});

const dead = new URL(`data:text/javascript,${encodeURIComponent("throw new Error('dead at once')")}`);

it.each([
  ['is not started with each batch', 1_000_000, 1],
  ['is started again after a pause', 20, 3],
])('a thread that dies at its start %s', async (_, pause, deaths) => {
  const faults: string[] = [];
  let failed = 0;
  const ownThread = new ExportThread({
    entry: dead,
    pauses: [pause, pause],
    onRetry: () => undefined,
    onResult: (_signal, items) => (failed += items),
    onFault: (error) => faults.push(error.message),
  });
  ownThread.use(settings());
  for (const entry of entries(128)) ownThread.add(entry);
  await until(() => faults.length === 1, 'the first death');
  for (let batch = 1; batch < deaths || batch === 1; batch += 1) {
    for (const entry of entries(256)) ownThread.add(entry);
    if (deaths > 1) await until(() => faults.length > batch, 'the next death');
  }
  expect(ownThread.waiting > 0).toBe(deaths === 1);
  await ownThread.close(10);
  expect(failed).toBe(128 + 256 * Math.max(1, deaths - 1));
  expect(ownThread.waiting).toBe(0);
});
