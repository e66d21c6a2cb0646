import { setTimeout as pause } from 'node:timers/promises';
import { resetPeak, memoryOf } from '../process-stats.ts';
import { spread } from '../report/summary.ts';
import type { Load } from '../result.ts';
import { gateway } from '../systems/gateway.ts';
import { key, model } from '../systems/system.ts';
import { runLoad } from './measure.ts';
import type { Probe, ProbeOptions } from './probe.ts';
import { urlOf } from './rounds.ts';

/** After this time the process that reads the configuration has exited. */
const idleMs = 13_000;
const large = { conns: 4, requests: 40, imageBytes: 10_000_000 } as const;

export const memory: Probe = {
  name: 'memory',
  about: `resident memory of the process and its children: after ${idleMs / 1000} s without a request; the peak under 1 KB JSON over 32 connections; the peak with bodies of 10 MB, ${large.conns} at a time`,
  async run(options) {
    const found = { idle: [] as number[], load: [] as number[], large: [] as number[] };
    for (let round = 0; round < Math.min(options.rounds, 3); round++) {
      const one = await measure(options);
      found.idle.push(one.idle);
      found.load.push(one.load);
      found.large.push(one.large);
      process.stderr.write('.');
    }
    const rows = [
      { what: 'idle', values: found.idle },
      { what: 'under load', values: found.load },
      { what: 'bodies of 10 MB', values: found.large },
    ];
    return rows.flatMap(({ what, values }) => {
      const value = spread(values);
      return value === undefined ? [] : [{ what, unit: 'MB', value }];
    });
  },
};

async function measure({ tools, place, sources }: ProbeOptions): Promise<{ idle: number; load: number; large: number }> {
  await using running = await gateway('memory', { sources }).start(place);
  const base = { url: urlOf(running), key, model, stream: false, durationMs: 15_000 };
  const peakOf = async (load: Pick<Load, 'conns' | 'requests' | 'imageBytes'>): Promise<number> => {
    resetPeak(running.pid);
    const { ok } = await runLoad(tools, { ...base, ...load });
    if (ok < (load.requests ?? 1)) throw new Error(`only ${ok} of ${load.requests} requests got a response`);
    return memoryOf(running.pid).peak;
  };
  await pause(idleMs);
  const idle = memoryOf(running.pid).rss;
  return { idle, load: await peakOf({ conns: 32, requests: 15_000 }), large: await peakOf(large) };
}
