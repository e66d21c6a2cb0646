import type { Snapshot } from '../../../core/snapshot.ts';
import type { Rendered } from '../../../telemetry/metrics/index.ts';
import { expositionType } from '../../../telemetry/metrics/expose.ts';
import { type MetricsSnapshot, MetricsSum } from '../../../telemetry/metrics/snapshot.ts';
import { ProcessMetrics } from '../../../telemetry/metrics/process.ts';
import { isUp } from '../../../telemetry/metrics/provider-health.ts';
import type { Sample } from '../../../telemetry/metrics/sample.ts';
import { budgetSamples, configSamples, keySamples, LogSamples, type ObservedState, providerSamples } from '../../observe/samples.ts';
import type { WorkerState } from '../../serving.ts';

export interface FleetMetricsDeps extends Omit<ObservedState, 'activity'> {
  snapshot(): Snapshot;
  workers(): readonly WorkerState[];
  /** Figures of all workers that answer within a second. */
  figures(): Promise<readonly (readonly [process: object, figures: MetricsSnapshot])[]>;
  onFault(error: unknown): void;
}

/** Metrics that only the supervisor knows, or that can't be summed. */
const notSummed: ReadonlySet<string> = new Set<Sample[0]>([
  'gateway_build_info',
  'gateway_config_info',
  'gateway_config_last_reload_successful',
  'gateway_config_last_reload_success_timestamp_seconds',
  'gateway_key_budget_used_ratio',
  'gateway_key_expiry_timestamp_seconds',
  'gateway_log_dropped_total',
  'gateway_provider_up',
  'process_start_time_seconds',
]);

/** Sums the metrics of all worker processes into those of one gateway. */
export class FleetMetrics {
  readonly #deps: FleetMetricsDeps;
  readonly #process = new ProcessMetrics();
  readonly #ofLog = new LogSamples();
  /** What each process answered last: a counter never goes back because one is slow. */
  readonly #last = new Map<object, MetricsSnapshot>();
  readonly #ended = new WeakSet<object>();
  /** Of processes that have ended. */
  readonly #endedSums = new MetricsSum(true);
  #rendering: Promise<Rendered> | undefined;

  constructor(deps: FleetMetricsDeps) {
    this.#deps = deps;
  }

  /** Stores figures that a process sent without being asked, because it may end before the next scrape. */
  absorb(process: object, figures: MetricsSnapshot): void {
    if (!this.#ended.has(process)) this.#last.set(process, summed(figures));
  }

  /** A process has ended: its last figures stay in the sums. */
  ended(process: object): void {
    this.#ended.add(process);
    const last = this.#last.get(process);
    this.#last.delete(process);
    if (last !== undefined) this.#endedSums.add(last, true);
  }

  readonly render = (): Promise<Rendered> => {
    this.#rendering ??= this.#render().finally(() => (this.#rendering = undefined));
    return this.#rendering;
  };

  close(): void {
    this.#process.close();
  }

  async #render(): Promise<Rendered> {
    const { figures, snapshot, workers, now } = this.#deps;
    const received = await figures();
    const sums = new MetricsSum();
    sums.add(this.#endedSums.figures());
    for (const [process, found] of received) this.absorb(process, found);
    for (const [process, found] of this.#last) sums.add(found, !received.some(([one]) => one === process));
    const supervisorSamples = [
      ...configSamples(this.#deps),
      ...keySamples(snapshot(), now()),
      ...budgetSamples(snapshot(), this.#deps),
      ...providerSamples(snapshot(), (slug) => isUp(sums.health(slug))),
      ...workers().flatMap(samplesOf),
      ...(await this.#logSamples()),
      ...(await this.#process.samples()),
    ];
    for (const sample of supervisorSamples) sums.addSample(sample);
    return { type: expositionType, text: await sums.text() };
  }

  async #logSamples(): Promise<readonly Sample[]> {
    try {
      return await this.#ofLog.read(this.#deps);
    } catch (error) {
      this.#deps.onFault(error);
      return [];
    }
  }
}

function summed(figures: MetricsSnapshot): MetricsSnapshot {
  return { ...figures, samples: figures.samples.filter(([name]) => !notSummed.has(name)) };
}

function samplesOf({ worker, state, restarts, requests }: WorkerState): readonly Sample[] {
  const labels = [String(worker)];
  return [
    ['gateway_worker_up', labels, state === 'serving' ? 1 : 0],
    ['gateway_worker_restarts_total', labels, restarts],
    ['gateway_worker_requests_total', labels, requests],
  ];
}
