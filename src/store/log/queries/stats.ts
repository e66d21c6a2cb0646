import { GatewayError } from '../../../core/error.ts';
import type { Bucket, Stats, StatsRequest } from '../../../core/logs/reader.ts';
import { readFilter } from '../../../query/read-filter.ts';
import type { SeqWindow } from '../../../query/sql/condition.ts';
import { toStorable } from '../../../query/text.ts';
import { dimensions, otherValues, seqStep } from '../schema.ts';
import { addFromBuckets, bucketPlan } from './from-buckets.ts';
import { addFromRows } from './from-rows.ts';
import { rangeWithRows, rangeOfFilter } from './range.ts';
import type { SqlSource } from '../log-store.ts';
import { Cells, Sums } from './sums.ts';

const minuteMs = 60_000;
const maxBuckets = 2000;
const maxGroups = 200;

/**
 * The figures of what matches a filter: in total, by group and over time. They are exact for a filter with both a start
 * and an end. With a start only they cover whole minutes: `since` is rounded down.
 */
export async function stats(source: SqlSource, request: StatsRequest, now: number): Promise<Stats> {
  const filter = readFilter(request.query, now);
  const by = request.by === undefined ? undefined : dimensionIn(request.by);
  const step = request.step === undefined ? undefined : stepIn(request.step);
  const isFixed = filter.since !== null && filter.until !== null;
  const wanted = isFixed || filter.since === null ? filter : { ...filter, since: floor(filter.since, minuteMs) };
  const filled = await rangeWithRows(source, rangeOfFilter(wanted));
  const since = wanted.since ?? floor(filled === undefined ? now : Number(filled.from) / seqStep, minuteMs);
  const last = filled === undefined ? 0 : Math.ceil(Number(filled.to) / seqStep);
  const isPossible = (end: number): boolean => step === undefined || (end - since) / step <= maxBuckets;
  // A record with a timestamp far in the future is ignored if it would make too many points.
  const until = Math.max(since, wanted.until ?? (isPossible(last) ? Math.max(now, last) : now));
  if (step !== undefined && !isPossible(until)) {
    throw new GatewayError('invalid_value', {
      message: `A step of ${step / 1000} seconds makes more than ${maxBuckets} points of this range.`,
      param: 'step',
      hint: 'Use a longer step, or add since:1d to the filter.',
    });
  }
  const cells = await cellsOf(source, wanted, { by, step, since, until, window: filled });
  return assemble(cells, { since, until, by, step, top: Math.min(request.top ?? maxGroups, maxGroups) });
}

interface Scope {
  readonly since: number;
  readonly until: number;
  readonly by: string | undefined;
  readonly step: number | undefined;
}

async function cellsOf(
  source: SqlSource,
  filter: ReturnType<typeof readFilter>,
  { by, step, since, until, window }: Scope & { readonly window: SeqWindow | undefined },
): Promise<Cells> {
  const plan = bucketPlan(filter, by);
  const cells = new Cells();
  const addRows = async (from: number, to: number): Promise<void> => {
    const part = window === undefined ? undefined : intersection(window, rangeOfFilter({ since: from, until: to }));
    if (part !== undefined) await addFromRows(cells, source, filter, part, { by, step });
  };
  const wholeMinutes = {
    since: -floor(-since, minuteMs),
    until: filter.until === null ? -floor(-until, minuteMs) : floor(until, minuteMs),
  };
  // Buckets also include rows that were deleted.
  const hasMinutes =
    plan !== undefined && wholeMinutes.since < wholeMinutes.until && (await addFromBuckets(cells, source, plan, wholeMinutes, step));
  if (hasMinutes) {
    await addRows(since, wholeMinutes.since);
    await addRows(wholeMinutes.until, until);
  } else await addRows(since, until);
  return cells;
}

function intersection(one: SeqWindow, other: SeqWindow): SeqWindow | undefined {
  const from = one.from > other.from ? one.from : other.from;
  const to = one.to < other.to ? one.to : other.to;
  return from < to ? { from, to } : undefined;
}

function assemble(cells: Cells, { since, until, by, step, top }: Scope & { readonly top: number }): Stats {
  const total = new Sums();
  const groups = new Map<string | null, Sums>();
  for (const { name, sums } of cells.all()) {
    total.addAll(sums);
    if (by !== undefined) sumsIn(groups, name).addAll(sums);
  }
  const names = [...groups]
    .toSorted(([x, a], [y, b]) => b.counts.requests - a.counts.requests || ((x ?? '') < (y ?? '') ? -1 : 1))
    .map(([name]) => name);
  const kept = new Set(names.filter((name) => name !== otherValues).slice(0, top));
  const shownName = (name: string | null): string | null => (kept.has(name) ? name : otherValues);
  const shown = new Map<string | null, Sums>();
  for (const name of names) sumsIn(shown, shownName(name)).addAll(groups.get(name) ?? new Sums());
  return {
    since,
    until,
    total: total.figures(),
    groups: by === undefined ? [{ name: null, ...total.figures() }] : [...shown].map(([name, sums]) => ({ name, ...sums.figures() })),
    series:
      step === undefined
        ? []
        : seriesOf(cells, { since, until, step, nameOf: by === undefined ? undefined : by === 'status' ? classOf : shownName }),
  };
}

interface SeriesScope {
  readonly since: number;
  readonly until: number;
  readonly step: number;
  /** Undefined if not grouped. */
  readonly nameOf: ((name: string | null) => string | null) | undefined;
}

/** Earlier versions stored some statuses as `other`. */
const classOf = (status: string | null): string => (status === otherValues ? otherValues : `${(status ?? '0').slice(0, 1)}xx`);

function seriesOf(cells: Cells, { since, until, step, nameOf }: SeriesScope): Bucket[] {
  const steps = new Map<number, { readonly all: Sums; readonly by: Map<string | null, Sums> }>();
  for (let at = floor(since, step); at < until; at += step) steps.set(at, { all: new Sums(), by: new Map() });
  for (const { name, at, sums } of cells.all()) {
    const found = steps.get(at);
    found?.all.addAll(sums);
    if (found !== undefined && nameOf !== undefined) sumsIn(found.by, nameOf(name)).addAll(sums);
  }
  return [...steps].map(([at, { all, by }]) => ({
    at,
    ...all.figures(),
    by: Object.fromEntries([...by].map(([name, sums]) => [name ?? '', seriesFiguresOf(sums)])),
  }));
}

function seriesFiguresOf(sums: Sums): Bucket['by'][string] {
  const { requests, errors, tokens_in, tokens_out } = sums.counts;
  return { requests, errors, cost_usd: sums.figures().cost_usd, tokens: tokens_in + tokens_out };
}

function sumsIn(all: Map<string | null, Sums>, name: string | null): Sums {
  let sums = all.get(name);
  if (sums === undefined) {
    sums = new Sums();
    all.set(name, sums);
  }
  return sums;
}

function dimensionIn(by: string): string {
  if ((dimensions as readonly string[]).includes(by)) return by;
  if (/^(?:meta|label)\../s.test(by) && toStorable(by) === by) return by;
  throw new GatewayError('invalid_value', {
    message: `Figures cannot be grouped by "${by.slice(0, 40)}".`,
    param: 'by',
    hint: `Use ${dimensions.join(', ')}, meta.<key> or label.<name>.`,
  });
}

function stepIn(seconds: number): number {
  if (Number.isSafeInteger(seconds) && seconds > 0 && seconds % 60 === 0 && seconds <= 366 * 86_400) return seconds * 1000;
  throw new GatewayError('invalid_value', {
    message: `A step of ${seconds} seconds is not possible.`,
    param: 'step',
    hint: 'Use a multiple of 60.',
  });
}

const floor = (value: number, unit: number): number => Math.floor(value / unit) * unit;
