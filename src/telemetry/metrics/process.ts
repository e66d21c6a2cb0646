import { constants, performance, PerformanceObserver } from 'node:perf_hooks';
import { readdir } from 'node:fs/promises';
import { openFilesLimit } from '../../core/files/open-files.ts';
import { processTable } from './process-table.ts';
import { HistogramSeries } from './series.ts';
import type { Sample } from './sample.ts';

/** Interval of the event loop delay measurement, in milliseconds. */
const delayIntervalMs = 50;

const gcKinds: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/** Measures the process from construction until `close`. */
export class ProcessMetrics {
  readonly delay = new HistogramSeries('', processTable[0].buckets);
  readonly #gc = new Map<string, { runs: number; seconds: number }>();
  readonly #timer: NodeJS.Timeout;
  readonly #observer: PerformanceObserver;
  #due = performance.now() + delayIntervalMs;

  constructor() {
    this.#timer = setInterval(this.#measureDelay, delayIntervalMs);
    this.#timer.unref();
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.#addCollection('detail' in entry ? entry.detail : undefined, entry.duration / 1000);
    });
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#observer.disconnect();
  }

  async samples(): Promise<readonly Sample[]> {
    const memory = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const gc = [...this.#gc];
    return [
      ['gateway_event_loop_active_seconds_total', [], performance.eventLoopUtilization().active / 1000],
      ['process_cpu_seconds_total', [], (user + system) / 1_000_000],
      ['process_resident_memory_bytes', [], memory.rss],
      ['process_start_time_seconds', [], Math.round(performance.timeOrigin) / 1000],
      ...(await descriptors()),
      ['nodejs_heap_size_used_bytes', [], memory.heapUsed],
      ['nodejs_heap_size_total_bytes', [], memory.heapTotal],
      ['nodejs_external_memory_bytes', [], memory.external],
      ...gc.map(([kind, { runs }]): Sample => ['nodejs_gc_runs_total', [kind], runs]),
      ...gc.map(([kind, { seconds }]): Sample => ['nodejs_gc_seconds_total', [kind], seconds]),
    ];
  }

  readonly #measureDelay = (): void => {
    const now = performance.now();
    this.delay.observe(Math.max(0, now - this.#due) / 1000);
    this.#due = now + delayIntervalMs;
  };

  #addCollection(detail: unknown, seconds: number): void {
    const number = typeof detail === 'object' && detail !== null ? (detail as { kind?: unknown }).kind : undefined;
    const kind = typeof number === 'number' ? (gcKinds.get(number) ?? 'other') : 'other';
    const known = this.#gc.get(kind);
    if (known === undefined) {
      this.#gc.set(kind, { runs: 1, seconds });
      return;
    }
    known.runs += 1;
    known.seconds += seconds;
  }
}

/** Returns the number of file descriptors; empty on systems without /proc. */
async function descriptors(): Promise<readonly Sample[]> {
  try {
    const open = await readdir('/proc/self/fd');
    const maxOpenFiles = openFilesLimit();
    const found: Sample[] = [['process_open_fds', [], open.length]];
    return maxOpenFiles === undefined ? found : [...found, ['process_max_fds', [], maxOpenFiles]];
  } catch {
    return [];
  }
}
