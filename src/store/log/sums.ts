import { Histogram } from '../../core/logs/histogram.ts';
import type { Figures } from '../../core/logs/reader.ts';
import { moneyText } from '../../query/money.ts';
import type { SqlValue } from './log-store.ts';
import { bucketCounts, bucketTimes } from './schema.ts';
import { costOfSums } from './sums-sql.ts';

const counted = bucketCounts.filter((name) => name !== 'cost');
type Counted = Exclude<(typeof bucketCounts)[number], 'cost'>;

/** Figures while they are being added up. */
export class Sums {
  readonly counts = Object.fromEntries(counted.map((name) => [name, 0])) as Record<Counted, number>;
  cost = 0n;
  readonly times = { latency: new Histogram(), ttft: new Histogram(), overhead: new Histogram() };

  /** Adds the columns of a row that have the names of the figures. */
  addCounts(row: Readonly<Record<string, SqlValue>>): void {
    for (const name of counted) this.counts[name] += Number(row[name] ?? 0);
    this.cost += costOfSums(row);
  }

  addAll(other: Sums): void {
    for (const name of counted) this.counts[name] += other.counts[name];
    this.cost += other.cost;
    for (const name of bucketTimes) this.times[name].addAll(other.times[name]);
  }

  /** Removes figures that this contains. */
  subtract(other: Sums): void {
    for (const name of counted) this.counts[name] -= other.counts[name];
    this.cost -= other.cost;
    for (const name of bucketTimes) this.times[name].subtract(other.times[name]);
  }

  figures(): Figures {
    const { latency, ttft, overhead } = this.times;
    return {
      ...this.counts,
      p50: latency.quantile(0.5),
      p95: latency.quantile(0.95),
      p99: latency.quantile(0.99),
      ttft_p50: ttft.quantile(0.5),
      ttft_p95: ttft.quantile(0.95),
      overhead_p50: overhead.quantile(0.5),
      overhead_p95: overhead.quantile(0.95),
      cost_usd: moneyText(this.cost),
    };
  }
}
