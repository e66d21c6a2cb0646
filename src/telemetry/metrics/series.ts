/** One metric. The registry and `docs/metrics.md` are generated from these rows. */
export interface MetricRow {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** For the documentation page; in Prometheus it is part of the name. */
  readonly unit: string;
  /** Upper bounds of a histogram, without +Inf. */
  readonly buckets?: readonly number[];
  /** True if the labels of `observability.metrics.metadata_labels` are added. */
  readonly hasMetadata?: true;
}

/** The value of a series, in the form for other processes: a count, an exact decimal, or the counts of a histogram with the sum of its values. */
export type Figures = number | string | readonly [counts: readonly number[], sum: number];

/** The value of one combination of labels. */
export interface Series {
  /** `{a="b"}`, or the empty string. */
  readonly labels: string;
  /** True if there is nothing to show yet. */
  readonly isEmpty: boolean;
  readonly figures: Figures;

  /** Adds the figures of another process. Those of another kind add nothing. */
  add(figures: Figures): void;

  /** Returns the lines of the Prometheus text format. */
  lines(name: string): readonly string[];
}

export class CountSeries implements Series {
  readonly labels: string;
  readonly isEmpty = false;
  value = 0;

  constructor(labels: string) {
    this.labels = labels;
  }

  get figures(): number {
    return this.value;
  }

  add(figures: Figures): void {
    if (typeof figures === 'number') this.value += figures;
  }

  lines(name: string): readonly string[] {
    return [`${name}${this.labels} ${this.value}`];
  }
}

export class HistogramSeries implements Series {
  readonly labels: string;
  readonly bounds: readonly number[];
  /** One element more than `bounds`: the last one counts values above all bounds. */
  readonly counts: number[];
  sum = 0;

  constructor(labels: string, bounds: readonly number[]) {
    this.labels = labels;
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  /** A histogram has some twenty lines. */
  get isEmpty(): boolean {
    return this.counts.every((count) => count === 0);
  }

  get figures(): readonly [readonly number[], number] {
    return [this.counts, this.sum];
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at += 1;
    counts[at] = (counts[at] as number) + 1;
    this.sum += value;
  }

  add(figures: Figures): void {
    if (typeof figures !== 'object') return;
    const [counts, sum] = figures;
    for (const [at, count] of counts.entries()) this.counts[at] = (this.counts[at] ?? 0) + count;
    this.sum += sum;
  }

  lines(name: string): readonly string[] {
    const { labels, bounds, counts, sum } = this;
    const open = labels === '' ? '{' : `${labels.slice(0, -1)},`;
    let count = 0;
    const buckets = [...bounds, '+Inf'].map((bound, at) => {
      count += counts[at] ?? 0;
      return `${name}_bucket${open}le="${bound}"} ${count}`;
    });
    return [...buckets, `${name}_sum${labels} ${Number(sum.toPrecision(15))}`, `${name}_count${labels} ${count}`];
  }
}

/** Parts per unit. */
const partsPerUnit = 1_000_000_000_000;

/** A sum of exact decimals with at most twelve decimal places: a float would lose small costs in a large sum. */
export class DecimalSeries implements Series {
  readonly labels: string;
  readonly isEmpty = false;
  #whole = 0;
  /** The fraction, in units of 10⁻¹². */
  #parts = 0;

  constructor(labels: string) {
    this.labels = labels;
  }

  get figures(): string {
    const parts = this.#parts === 0 ? '' : `.${String(this.#parts).padStart(12, '0').replace(/0+$/, '')}`;
    return `${this.#whole}${parts}`;
  }

  /** @param text such as `12.000102`; an invalid number adds nothing */
  add(text: Figures): void {
    if (typeof text !== 'string') return;
    const dot = text.indexOf('.');
    const whole = dot < 0 ? Number(text) : Number(text.slice(0, dot));
    const parts = dot < 0 ? 0 : Number(text.slice(dot + 1, dot + 13).padEnd(12, '0'));
    if (!Number.isSafeInteger(whole) || !Number.isSafeInteger(parts) || whole < 0 || parts < 0) return;
    const sum = this.#parts + parts;
    this.#whole += whole + (sum >= partsPerUnit ? 1 : 0);
    this.#parts = sum >= partsPerUnit ? sum - partsPerUnit : sum;
  }

  lines(name: string): readonly string[] {
    return [`${name}${this.labels} ${this.figures}`];
  }
}

/** Maximum number of series per metric, so that callers cannot create an unlimited number. */
export const maxSeries = { counter: 5000, gauge: 5000, histogram: 1000 } as const;

/** All series of one metric. */
export class Family<S extends Series> {
  readonly row: MetricRow;
  readonly #make: (labels: string) => S;
  readonly #series = new Map<string, S>();

  constructor(row: MetricRow, make: (labels: string) => S) {
    this.row = row;
    this.#make = make;
  }

  get size(): number {
    return this.#series.size;
  }

  /**
   * Returns the series with these label values, in the order of the metric's labels and then `more`. Above the limit, all further
   * values share one series.
   */
  at(values: readonly string[], more: readonly string[] = []): S {
    const names = more.length === 0 ? this.row.labels : [...this.row.labels, ...more];
    const labels = labelText(names, values);
    return this.#series.get(labels) ?? this.#named(this.#series.size < maxSeries[this.row.type] ? labels : withOtherValues(labels));
  }

  #named(labels: string): S {
    const known = this.#series.get(labels);
    if (known !== undefined) return known;
    const made = this.#make(labels);
    this.#series.set(labels, made);
    return made;
  }

  /** Returns the series that have something to show. */
  *[Symbol.iterator](): Iterator<S> {
    for (const series of this.#series.values()) if (!series.isEmpty) yield series;
  }
}

/** Value of a label above its limit. */
export const other = 'other';

/** Formats labels as Prometheus does. */
export function labelText(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return '';
  return `{${names.map((name, at) => `${name}="${escaped(values[at] ?? '')}"`).join(',')}}`;
}

/** Replaces all label values by `other`, for series above the limit. */
export const withOtherValues = (labels: string): string => labels.replaceAll(/="(?:[^"\\]|\\.)*"/g, `="${other}"`);

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

const escaped = (value: string): string => value.replaceAll(/[\\"\n]/g, (found) => escapes[found] ?? found);
