import type { MetricRow } from './table.ts';

/** What one combination of label values has counted. */
export interface Series {
  /** `{a="b"}`, or nothing. */
  readonly labels: string;
}

export class CountSeries implements Series {
  readonly labels: string;
  value = 0;

  constructor(labels: string) {
    this.labels = labels;
  }
}

export class HistogramSeries implements Series {
  readonly labels: string;
  readonly bounds: readonly number[];
  /** One more than there are bounds: the last one has what is larger than all. */
  readonly counts: number[];
  sum = 0;

  constructor(labels: string, bounds: readonly number[]) {
    this.labels = labels;
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] as number)) at += 1;
    counts[at] = (counts[at] as number) + 1;
    this.sum += value;
  }
}

/** Parts of one. */
const partsOfOne = 1_000_000_000_000;

/** A sum of exact decimals with at most twelve decimal places: a float would lose small costs in a large sum. */
export class DecimalSeries implements Series {
  readonly labels: string;
  #whole = 0;
  /** In units of 10⁻¹². */
  #parts = 0;

  constructor(labels: string) {
    this.labels = labels;
  }

  /** @param text as `12.000102`; what is no such number adds nothing */
  add(text: string): void {
    const dot = text.indexOf('.');
    const whole = dot < 0 ? Number(text) : Number(text.slice(0, dot));
    const parts = dot < 0 ? 0 : Number(text.slice(dot + 1, dot + 13).padEnd(12, '0'));
    if (!Number.isSafeInteger(whole) || !Number.isSafeInteger(parts) || whole < 0 || parts < 0) return;
    const sum = this.#parts + parts;
    this.#whole += whole + (sum >= partsOfOne ? 1 : 0);
    this.#parts = sum >= partsOfOne ? sum - partsOfOne : sum;
  }

  get text(): string {
    const parts = this.#parts === 0 ? '' : `.${String(this.#parts).padStart(12, '0').replace(/0+$/, '')}`;
    return `${this.#whole}${parts}`;
  }
}

/** Series of one metric, so that no caller can make them without bound. */
export const mostSeries = { counter: 5000, gauge: 5000, histogram: 1000 } as const;

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

  /** The series with these label values, in the order of the metric's labels and those of `more`. Beyond the bound: one for all others. */
  at(values: readonly string[], more: readonly string[] = []): S {
    const names = more.length === 0 ? this.row.labels : [...this.row.labels, ...more];
    const labels = labelText(names, values);
    const known = this.#series.get(labels);
    if (known !== undefined) return known;
    if (this.#series.size >= mostSeries[this.row.type])
      return this.#named(
        labelText(
          names,
          names.map(() => other),
        ),
      );
    return this.#named(labels);
  }

  #named(labels: string): S {
    const known = this.#series.get(labels);
    if (known !== undefined) return known;
    const made = this.#make(labels);
    this.#series.set(labels, made);
    return made;
  }

  [Symbol.iterator](): Iterator<S> {
    return this.#series.values();
  }
}

/** The value of a label that has too many. */
export const other = 'other';

/** As Prometheus writes labels. */
export function labelText(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return '';
  return `{${names.map((name, at) => `${name}="${escaped(values[at] ?? '')}"`).join(',')}}`;
}

/** The same labels where there are too many series: each with the value of all others. */
export const asOther = (labels: string): string => labels.replaceAll(/="(?:[^"\\]|\\.)*"/g, `="${other}"`);

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

const escaped = (value: string): string => value.replaceAll(/[\\"\n]/g, (found) => escapes[found] ?? found);
