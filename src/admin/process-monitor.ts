import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Memory in bytes, event loop delay in milliseconds. */
export interface ProcessFigures {
  readonly rss: number;
  readonly heap: number;
  readonly loop_delay_ms: { readonly p50: number; readonly p99: number };
}

/** Sampling interval in milliseconds: each sample wakes the event loop. */
const sampleMs = 100;

/** Figures of this process. The event loop is measured from the first call on, because most gateways never use the admin API. */
export class ProcessMonitor {
  #histogram: ReturnType<typeof monitorEventLoopDelay> | undefined;

  read(): ProcessFigures {
    if (this.#histogram === undefined) {
      this.#histogram = monitorEventLoopDelay({ resolution: sampleMs });
      this.#histogram.enable();
    }
    const ms = (percent: number): number => {
      const value = this.#histogram?.percentile(percent) ?? 0;
      return Number.isFinite(value) ? Math.max(0, Math.round(value / 1e5) / 10 - sampleMs) : 0;
    };
    const { rss, heapUsed } = process.memoryUsage();
    return { rss, heap: heapUsed, loop_delay_ms: { p50: ms(50), p99: ms(99) } };
  }
}

/** Combines a supervisor and its workers: total memory, and the highest event loop delay of the workers. */
export function combineFigures(own: ProcessFigures, workers: readonly ProcessFigures[]): ProcessFigures {
  if (workers.length === 0) return own;
  const sum = (of: (one: ProcessFigures) => number): number => workers.reduce((total, one) => total + of(one), of(own));
  const latest = (of: 'p50' | 'p99'): number => Math.max(...workers.map((one) => one.loop_delay_ms[of]));
  return { rss: sum((one) => one.rss), heap: sum((one) => one.heap), loop_delay_ms: { p50: latest('p50'), p99: latest('p99') } };
}
