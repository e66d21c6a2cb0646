import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How a process is. Sizes in bytes, times in milliseconds. */
export interface ProcessFigures {
  readonly rss: number;
  readonly heap: number;
  readonly loop_delay_ms: { readonly p50: number; readonly p99: number };
}

/** Milliseconds between its looks: each one wakes the event loop. */
const lookMs = 100;

/** Looks at this process, at its event loop from the first question on: most gateways are never asked. */
export class ProcessView {
  #histogram: ReturnType<typeof monitorEventLoopDelay> | undefined;

  read(): ProcessFigures {
    if (this.#histogram === undefined) {
      this.#histogram = monitorEventLoopDelay({ resolution: lookMs });
      this.#histogram.enable();
    }
    const ms = (percent: number): number => {
      const value = this.#histogram?.percentile(percent) ?? 0;
      return Number.isFinite(value) ? Math.max(0, Math.round(value / 1e5) / 10 - lookMs) : 0;
    };
    const { rss, heapUsed } = process.memoryUsage();
    return { rss, heap: heapUsed, loop_delay_ms: { p50: ms(50), p99: ms(99) } };
  }
}

/** Of a supervisor and its workers: all memory, and the latest event loop of those that serve. */
export function together(own: ProcessFigures, workers: readonly ProcessFigures[]): ProcessFigures {
  if (workers.length === 0) return own;
  const sum = (of: (one: ProcessFigures) => number): number => workers.reduce((total, one) => total + of(one), of(own));
  const latest = (of: 'p50' | 'p99'): number => Math.max(...workers.map((one) => one.loop_delay_ms[of]));
  return { rss: sum((one) => one.rss), heap: sum((one) => one.heap), loop_delay_ms: { p50: latest('p50'), p99: latest('p99') } };
}
