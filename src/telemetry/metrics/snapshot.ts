import { Exposition } from './expose.ts';
import { processTable } from './process-table.ts';
import type { HealthCounts } from './provider-health.ts';
import type { Sample } from './sample.ts';
import {
  type MetricRow,
  CountSeries,
  DecimalSeries,
  type Figures,
  HistogramSeries,
  maxSeries,
  type Series,
  withOtherValues,
} from './series.ts';
import { metricsTable, stateTable } from './table.ts';

/** The metrics of one process, in the form for other processes. */
export interface MetricsSnapshot {
  readonly families: readonly FamilySnapshot[];
  readonly samples: readonly Sample[];
  readonly health: readonly (readonly [provider: string, counts: HealthCounts])[];
}

type FamilySnapshot = readonly [name: string, series: readonly SeriesSnapshot[]];

type SeriesSnapshot = readonly [labels: string, figures: Figures];

/** Returns the figures of one metric. */
export const familySnapshot = ({ name }: MetricRow, series: Iterable<Series>): FamilySnapshot => [
  name,
  Array.from(series, ({ labels, figures }): SeriesSnapshot => [labels, figures]),
];

const rows: ReadonlyMap<string, MetricRow> = new Map(metricsTable.map((row) => [row.name, row]));
const stateRows = [...stateTable, ...processTable.slice(1)] as readonly MetricRow[];

/** Adds the metrics of several processes. */
export class MetricsSum {
  readonly #families = new Map<string, Map<string, Series>>();
  readonly #samples = new Map<string, { readonly name: Sample[0]; readonly labels: readonly string[]; value: number }>();
  readonly #health = new Map<string, HealthCounts>();
  readonly #isBounded: boolean;

  /** @param isBounded true if this object lives as long as the gateway: limits the series of each metric as in one process */
  constructor(isBounded = false) {
    this.#isBounded = isBounded;
  }

  /** @param isOver true if the process has ended: its counters remain, its gauges and health don't */
  add({ families, samples, health }: MetricsSnapshot, isOver = false): void {
    for (const [name, series] of families) {
      const row = rows.get(name);
      if (row !== undefined) for (const each of series) this.#addSeries(row, each);
    }
    for (const sample of samples) if (!isOver || rows.get(sample[0])?.type === 'counter') this.addSample(sample);
    if (isOver) return;
    for (const [provider, [good, failed]] of health) {
      const [otherGood, otherFailed] = this.health(provider);
      this.#health.set(provider, [good + otherGood, failed + otherFailed]);
    }
  }

  addSample([name, labels, value]: Sample): void {
    const key = `${name}\n${labels.join('\n')}`;
    const known = this.#samples.get(key);
    if (known === undefined) this.#samples.set(key, { name, labels, value });
    else known.value += value;
  }

  health(provider: string): HealthCounts {
    return this.#health.get(provider) ?? [0, 0];
  }

  async text(): Promise<string> {
    const out = new Exposition();
    for (const row of rows.values()) {
      const family = this.#families.get(row.name);
      if (family !== undefined) await out.family(row, family.values());
    }
    out.samples(
      stateRows,
      [...this.#samples.values()].map(({ name, labels, value }): Sample => [name, labels, value]),
    );
    return out.text();
  }

  /** Returns the sums in the form of one process. */
  figures(): MetricsSnapshot {
    const families = [...this.#families].map(([name, series]) => familySnapshot(rows.get(name) as MetricRow, series.values()));
    return { families, samples: [...this.#samples.values()].map(({ name, labels, value }) => [name, labels, value]), health: [] };
  }

  #addSeries(row: MetricRow, [labels, figures]: SeriesSnapshot): void {
    const family = this.#families.get(row.name) ?? new Map<string, Series>();
    this.#families.set(row.name, family);
    const isFull = this.#isBounded && family.size >= maxSeries[row.type] && !family.has(labels);
    const name = isFull ? withOtherValues(labels) : labels;
    const series = family.get(name) ?? make(row, name, figures);
    family.set(name, series);
    series.add(figures);
  }
}

function make(row: MetricRow, labels: string, figures: Figures): Series {
  if (typeof figures === 'number') return new CountSeries(labels);
  return typeof figures === 'string' ? new DecimalSeries(labels) : new HistogramSeries(labels, row.buckets ?? []);
}
