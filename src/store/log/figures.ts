import { spenderName } from '../../core/limits/spender-name.ts';
import { isCacheHit, isError, isUnpriced } from '../../core/logs/row.ts';
import { bucketOf, restBucket } from './bucket-names.ts';
import type { SqlValue } from './log-store.ts';
import type { StoredRow } from './stored-row.ts';
import { Sums } from './sums.ts';
import { bucketCounts, bucketTimes, dimensions, isSparse, maxTagNames, maxValues, storedAt } from './schema.ts';

/** What one minute adds to a bucket. */
export interface BucketFigures {
  readonly dim: string;
  readonly minute: number;
  readonly name: string;
  readonly sums: Sums;
}

/** What a key spent on a day. */
export interface KeySpending {
  readonly key: string;
  /** Unix day number. */
  readonly day: number;
  cost: bigint;
  unpriced: number;
}

const minuteMs = 60_000;
const minutesOfDay = 24 * 60;
/** Maximum days whose values are tracked. Records from another time, as after a clock change, have days of their own. */
const maxTrackedDays = 4;
/** Maximum of a signed 64-bit integer. A higher cost per minute, or of a key per day, is stored as this. */
export const maxCost = 2n ** 63n - 1n;

/** The sum of two costs, limited to what stores can keep. */
export function addCosts(one: bigint, other: bigint): bigint {
  const sum = one + other;
  return sum > maxCost ? maxCost : sum < -maxCost ? -maxCost : sum;
}

/** Adds what the bucket had before, and returns its new values in the order of `bucketColumns`. */
export function addStored(
  { sums: { counts, cost, times } }: BucketFigures,
  stored: Readonly<Record<string, SqlValue>> | undefined,
): (bigint | string)[] {
  const sums = bucketCounts.map((column) => {
    const before = BigInt((stored?.[column] ?? 0) as bigint | number);
    return column === 'cost' ? addCosts(before, cost) : before + BigInt(counts[column]);
  });
  const texts = bucketTimes.map((column) => {
    times[column].addText(String(stored?.[column] ?? ''));
    return String(times[column]);
  });
  return [...sums, ...texts];
}

/** The values that each day counts by name. Limited, because a client may send a new value with each request. */
export class TrackedValues {
  readonly #days = new Map<number, Map<string, Set<string>>>();

  /** The bucket in which a value is counted; undefined if its dimension is not counted. */
  bucketNameOf(dim: string, minute: number, value: string): string | undefined {
    const dims = this.#day(Math.floor(minute / minutesOfDay));
    let values = dims.get(dim);
    if (values === undefined) {
      if (dim.includes('.') && !hasRoomForTag(dims)) return undefined;
      values = new Set();
      dims.set(dim, values);
    }
    if (values.has(value)) return bucketOf(value);
    // The classes of statuses are made from their values, which are numbers of three digits.
    if (values.size >= maxValues && dim !== 'status') return restBucket;
    values.add(value);
    return bucketOf(value);
  }

  #day(day: number): Map<string, Set<string>> {
    let dims = this.#days.get(day);
    if (dims !== undefined) return dims;
    dims = new Map();
    // Remove the day that was added first.
    if (this.#days.size >= maxTrackedDays) this.#days.delete(this.#days.keys().next().value ?? 0);
    this.#days.set(day, dims);
    return dims;
  }
}

function hasRoomForTag(dims: ReadonlyMap<string, unknown>): boolean {
  let tags = 0;
  for (const dim of dims.keys()) if (dim.includes('.')) tags += 1;
  return tags < maxTagNames;
}

/** Rows with the same virtual key and the same values in all dimensions. */
interface Group {
  readonly row: StoredRow;
  readonly minute: number;
  readonly sums: Sums;
}

/** Adds up rows that are stored together, so that each bucket is written once. */
export class FiguresBuilder {
  readonly #seen: TrackedValues;
  readonly #groups = new Map<string, Group>();
  readonly #tags = new Map<string, BucketFigures>();
  /** Group of the previous row. Most rows belong to the same group. */
  #last: Group | undefined;

  constructor(seen: TrackedValues) {
    this.#seen = seen;
  }

  /** @param cost in 10⁻¹² dollars; null if unknown */
  add(row: StoredRow, cost: bigint | null): void {
    const minute = Math.floor(storedAt(row.at) / minuteMs);
    const group = this.#last !== undefined && belongsTo(this.#last, row, minute) ? this.#last : this.#groupOf(row, minute);
    count(group.sums, row, cost);
    for (const name in row.meta) this.#countTag(`meta.${name}`, minute, row.meta[name] ?? '', row, cost);
    for (const name in row.label) this.#countTag(`label.${name}`, minute, row.label[name] ?? '', row, cost);
  }

  #groupOf(row: StoredRow, minute: number): Group {
    // Stored texts contain no NUL. A missing value counts as the empty text.
    const key = `${minute}\0${row.virtual_key ?? ''}\0${dimensions.map((dim) => row[dim] ?? '').join('\0')}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { row, minute, sums: new Sums() };
      this.#groups.set(key, group);
    }
    this.#last = group;
    return group;
  }

  /** Returns each bucket once. */
  values(): BucketFigures[] {
    const all = new Map<string, BucketFigures>(this.#tags);
    for (const { row, minute, sums } of this.#groups.values()) {
      sumsIn(all, 'all', minute, '').addAll(sums);
      for (const dim of dimensions) {
        const value = row[dim];
        if (value === null && isSparse(dim)) continue;
        const name = this.#nameOf(dim, minute, value === null ? '' : String(value));
        if (name !== undefined) sumsIn(all, dim, minute, name).addAll(sums);
      }
    }
    return [...all.values()];
  }

  /** Returns each key and virtual key once for each day, without those that spent nothing. */
  spending(): KeySpending[] {
    const all = new Map<string, KeySpending>();
    for (const { row, minute, sums } of this.#groups.values()) {
      if (sums.cost === 0n && sums.counts.unpriced === 0) continue;
      const day = Math.floor(minute / minutesOfDay);
      if (row.key) addSpending(all, row.key, day, sums);
      if (row.virtual_key) addSpending(all, spenderName(row.virtual_key), day, sums);
    }
    return [...all.values()];
  }

  #countTag(dim: string, minute: number, value: string, row: StoredRow, cost: bigint | null): void {
    const name = this.#nameOf(dim, minute, value);
    if (name !== undefined) count(sumsIn(this.#tags, dim, minute, name), row, cost);
  }

  #nameOf(dim: string, minute: number, value: string): string | undefined {
    return value === '' ? '' : this.#seen.bucketNameOf(dim, minute, value);
  }
}

function belongsTo({ row: one, minute: of }: Group, row: StoredRow, minute: number): boolean {
  return of === minute && one.virtual_key === row.virtual_key && dimensions.every((dim) => one[dim] === row[dim]);
}

function sumsIn(all: Map<string, BucketFigures>, dim: string, minute: number, name: string): Sums {
  const key = `${minute}\0${dim}\0${name}`;
  let bucket = all.get(key);
  if (bucket === undefined) {
    bucket = { dim, minute, name, sums: new Sums() };
    all.set(key, bucket);
  }
  return bucket.sums;
}

function count(sums: Sums, row: StoredRow, cost: bigint | null): void {
  const { counts, times } = sums;
  counts.requests += 1;
  if (isError(row)) counts.errors += 1;
  if (row.fallback) counts.fallbacks += 1;
  counts.retries += row.retries;
  if (isCacheHit(row)) counts.cache_hits += 1;
  counts.tokens_in += row.tokens_in;
  counts.tokens_out += row.tokens_out;
  counts.tokens_cached += row.tokens_cached;
  if (isUnpriced(row)) counts.unpriced += 1;
  if (cost !== null) sums.cost += cost;
  times.latency.add(row.latency);
  if (row.ttft !== null) times.ttft.add(row.ttft);
  times.overhead.add(row.overhead);
}

function addSpending(all: Map<string, KeySpending>, key: string, day: number, { cost, counts }: Sums): void {
  const id = `${day}\0${key}`;
  const spent = all.get(id) ?? { key, day, cost: 0n, unpriced: 0 };
  spent.cost = addCosts(spent.cost, cost);
  spent.unpriced += counts.unpriced;
  all.set(id, spent);
}
