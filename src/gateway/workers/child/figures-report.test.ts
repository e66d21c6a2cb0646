import { expect, it } from 'vitest';
import type { MetricsSnapshot } from '../../../telemetry/metrics/snapshot.ts';
import { turns } from '../../../../test/support/time.ts';
import { FiguresReport } from './figures-report.ts';

/** Figures that show how much had been counted when they were read, and a function to end each read. */
function createReport() {
  const sent: number[] = [];
  const readings: (() => void)[] = [];
  let counted = 0;
  const report = new FiguresReport({
    read: () => {
      const figures: MetricsSnapshot = { families: [['gateway_errors_total', [['', counted]]]], samples: [], health: [] };
      return new Promise((resolve) => readings.push(() => resolve(figures)));
    },
    send: ({ families }) => void sent.push(Number(families[0]?.[1][0]?.[1])),
    monotonic: () => 0,
  });
  const count = (): void => {
    counted += 1;
    report.hasChanges = true;
  };
  return { report, sent, readings, count };
}

it('reports the last figures before the process ends, even right after another report', async () => {
  const { report, sent, readings, count } = createReport();
  count();
  const first = report.reportIfDue();
  readings[0]?.();
  await first;
  count();
  const end = report.end();
  readings[1]?.();
  await end;
  expect(sent).toEqual([1, 2]);
});

it('does not report older figures after the last report', async () => {
  const { report, sent, readings, count } = createReport();
  count();
  const pendingReport = report.reportIfDue();
  count();
  const end = report.end();
  readings[1]?.();
  await end;
  readings[0]?.();
  await pendingReport;
  await report.reportIfDue();
  await turns(2);
  expect(sent).toEqual([2]);
});

it('reports nothing if metrics are off', async () => {
  const sent: MetricsSnapshot[] = [];
  await new FiguresReport({ read: () => undefined, send: (figures) => void sent.push(figures), monotonic: () => 0 }).end();
  expect(sent).toEqual([]);
});
