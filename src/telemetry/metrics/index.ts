import type { LogRecord } from '../../core/records/record.ts';
import { Exposition, expositionType } from './expose.ts';
import { type MetricsSnapshot, familySnapshot } from './snapshot.ts';
import { ProcessMetrics } from './process.ts';
import { processTable } from './process-table.ts';
import { RequestMetrics, type RequestMetricsSettings } from './request-metrics.ts';
import type { Sample } from './sample.ts';
import { stateTable } from './table.ts';

export interface MetricsDeps {
  /** Current state of the gateway, read at each scrape. If one rejects, only its own lines are missing. */
  readonly sources: readonly (() => readonly Sample[] | Promise<readonly Sample[]>)[];
  onFault(error: unknown): void;
}

/** The response to a scrape. */
export interface Rendered {
  readonly type: string;
  readonly text: string;
}

/** The metrics of one gateway. */
export class Metrics {
  readonly requests: RequestMetrics;
  readonly #process = new ProcessMetrics();
  readonly #deps: MetricsDeps;
  #rendering: Promise<Rendered> | undefined;

  constructor(settings: RequestMetricsSettings, deps: MetricsDeps) {
    this.#deps = deps;
    this.requests = new RequestMetrics(settings);
  }

  add(record: LogRecord): void {
    this.requests.add(record);
  }

  /** Renders the metrics. Never rejects. Concurrent callers share one rendering. */
  readonly render = (): Promise<Rendered> => {
    this.#rendering ??= this.#render().finally(() => (this.#rendering = undefined));
    return this.#rendering;
  };

  close(): void {
    this.#process.close();
  }

  /** Returns all metrics, for the process that adds those of several. */
  async figures(now: number): Promise<MetricsSnapshot> {
    const families = [
      ...this.requests.families.map((family) => familySnapshot(family.row, family)),
      familySnapshot(processTable[0], [this.#process.delay]),
    ];
    return { families, samples: await this.#samples(), health: this.requests.health(now) };
  }

  async #samples(): Promise<readonly Sample[]> {
    const found = await Promise.all([...this.#deps.sources, () => this.#process.samples()].map((source) => this.#read(source)));
    return [...found.flat(), ['gateway_metrics_series', [], this.requests.series]];
  }

  async #render(): Promise<Rendered> {
    const out = new Exposition();
    for (const family of this.requests.families) await out.family(family.row, family);
    const samples = await this.#samples();
    out.samples(stateTable, samples);
    const [delay, ...others] = processTable;
    await out.family(delay, [this.#process.delay]);
    out.samples(others, samples);
    return { type: expositionType, text: out.text() };
  }

  async #read(source: MetricsDeps['sources'][number]): Promise<readonly Sample[]> {
    try {
      return await source();
    } catch (error) {
      this.#deps.onFault(error);
      return [];
    }
  }
}
