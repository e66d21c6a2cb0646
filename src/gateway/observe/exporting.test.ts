import { expect, it } from 'vitest';
import type { ObservabilitySettings, Snapshot } from '../../core/snapshot.ts';
import { Exporting } from './exporting.ts';

const to = { url: 'http://127.0.0.1:1/v1/x', headers: {}, content: false };
const snapshotOf = (settings: Partial<ObservabilitySettings>): Snapshot => {
  const observability = { metrics: undefined, tracing: undefined, logs: undefined, resource: {}, ...settings };
  return { observability, types: new Map(), providers: new Map() } as unknown as Snapshot;
};
const quiet = { warn: () => {}, error: () => {} };

it.each<[string, Partial<ObservabilitySettings>, readonly string[]]>([
  ['traces', { tracing: { ...to, ratio: 1 } }, ['traces']],
  ['logs', { logs: to }, ['logs']],
  ['nothing', {}, []],
])('counts what became of %s from zero, before anything was exported', (_, settings, signals) => {
  const exporting = new Exporting(quiet, () => 0);
  exporting.use(snapshotOf(settings), []);
  const counts = exporting.samples().filter(([name]) => name === 'gateway_otlp_items_total');
  const results = ['exported', 'rejected', 'failed', 'dropped'];
  expect(counts).toEqual(signals.flatMap((signal) => results.map((result) => ['gateway_otlp_items_total', [signal, result], 0])));
});
