import type { LogRecord } from '../../core/records/record.ts';
import { createMask } from '../../core/secrets/mask.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { Log } from '../../telemetry/log.ts';
import { Metrics, type Rendered } from '../../telemetry/metrics/index.ts';
import type { MetricsSnapshot } from '../../telemetry/metrics/snapshot.ts';
import type { RequestMetricsSettings } from '../../telemetry/metrics/request-metrics.ts';
import type { MetricsPage } from '../../transport/inbound/metrics-page.ts';
import { Exporting, type WrittenRecord } from './exporting.ts';
import { budgetSamples, configSamples, keySamples, LogSamples, type ObservedState, providerSamples, trafficSamples } from './samples.ts';

export interface ObserveDeps extends ObservedState {
  readonly log: Log;
  /** Current problems, one sentence each, kept up to date. */
  readonly problems: string[];
  /** Monotonic time in milliseconds. */
  monotonic(): number;
  /** Secrets of every generation that has requests. */
  secrets(): readonly string[];
  onFault(error: unknown): void;
}

/** Metrics and exports of the gateway: updated by each finished request, and read by collectors. */
export class Observing {
  readonly #deps: ObserveDeps;
  #snapshot: Snapshot;
  readonly #exporting: Exporting;
  readonly #logSamples = new LogSamples();
  #metrics: Metrics | undefined;

  constructor(first: Snapshot, deps: ObserveDeps) {
    this.#deps = deps;
    this.#exporting = new Exporting(deps.log, deps.monotonic, deps.problems);
    this.#snapshot = first;
    this.use(first);
  }

  /** Applies a new configuration. Counters are kept while metrics stay enabled. */
  use(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    const secrets = this.#deps.secrets();
    this.#exporting.use(snapshot, secrets);
    if (snapshot.observability.metrics === undefined) {
      this.#metrics?.close();
      this.#metrics = undefined;
      return;
    }
    const settings = settingsOf(snapshot, secrets);
    if (this.#metrics === undefined) this.#metrics = this.#open(settings);
    else this.#metrics.requests.configure(settings);
  }

  /** Called when a request has ended. Never throws. */
  readonly add = (record: LogRecord): void => {
    try {
      this.#metrics?.add(record);
    } catch (error) {
      this.#deps.onFault(error);
    }
  };

  /** True if records are exported: they are then created even if no log stores them. */
  get isExporting(): boolean {
    return this.#exporting.isOn;
  }

  /** Called when a record is written to the spool; its response waits for the spool. Never throws. */
  written(record: WrittenRecord): void {
    if (!this.#exporting.isOn) return;
    try {
      this.#exporting.add(record);
    } catch (error) {
      this.#deps.onFault(error);
    }
  }

  /** Metrics page for listeners that only operators reach; its path is undefined if metrics are off. */
  readonly page: MetricsPage = {
    path: () => this.#snapshot.observability.metrics?.path,
    render: () => this.render(),
  };

  render(): Promise<Rendered> {
    return this.#metrics?.render() ?? Promise.resolve({ type: 'text/plain; charset=utf-8', text: '# observability.metrics is off\n' });
  }

  /** For the supervisor, which sums the metrics of all workers; undefined if metrics are off. */
  figures(): Promise<MetricsSnapshot> | undefined {
    return this.#metrics?.figures(this.#deps.now());
  }

  /** Flushes the waiting exports, for two seconds at most. */
  async close(): Promise<void> {
    this.#metrics?.close();
    this.#metrics = undefined;
    await this.#exporting.close();
  }

  #open(settings: RequestMetricsSettings): Metrics {
    const { onFault } = this.#deps;
    const metrics: Metrics = new Metrics(settings, {
      onFault,
      sources: [
        () => trafficSamples(this.#deps),
        () => configSamples(this.#deps),
        () => keySamples(this.#snapshot, this.#deps.now()),
        () => budgetSamples(this.#snapshot, this.#deps),
        () => providerSamples(this.#snapshot, (slug) => metrics.requests.isUp(slug, this.#deps.now())),
        () => this.#logSamples.read(this.#deps),
        () => this.#exporting.samples(),
      ],
    });
    return metrics;
  }
}

function settingsOf({ observability, types }: Snapshot, secrets: readonly string[]): RequestMetricsSettings {
  return {
    metadataLabels: observability.metrics?.metadataLabels ?? [],
    providerName: (type) => types.get(type)?.entry.telemetryName ?? type,
    mask: createMask(secrets).text,
  };
}
