import type { SeqWindow } from '../../../query/sql/statement.ts';
import { GatewayError } from '../../../core/error.ts';
import type { Bucket, GroupFigures, Stats, StatsRequest } from '../../../core/logs/reader.ts';
import { readFilter } from '../../../query/read-filter.ts';
import { toStorable } from '../../../query/text.ts';
import { dimensions, seqStep } from '../schema.ts';
import { bucketParts, bucketPlan } from './from-buckets.ts';
import { rowParts } from './from-rows.ts';
import { type Part, readInTime } from './parts.ts';
import { rangeWithRows, rangeOfFilter } from './range.ts';
import type { SqlSource } from '../log-store.ts';
import { Sums } from '../sums.ts';
import { Cells, type GroupName, rest } from './cells.ts';

const minuteMs = 60_000;
const maxBuckets = 2000;
const maxGroups = 200;

/**
 * The figures of what matches a filter: in total, by group and over time. They are exact for a filter with both a start
 * and an end. With a start only they cover whole minutes: `since` is rounded down. If the time of the query ends before
 * everything is read, they cover the newest part of the range.
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
  const cells = new Cells();
  const parts = await partsOf(cells, source, wanted, { by, step, since, until, window: filled });
  const unread = await readInTime(source, parts);
  const top = Math.min(request.top ?? maxGroups, maxGroups);
  const found = assemble(cells, { since: unread?.until ?? since, until, by, step, top });
  return { ...found, uncounted_since: unread === undefined ? null : since };
}

interface Scope {
  readonly since: number;
  readonly until: number;
  readonly by: string | undefined;
  readonly step: number | undefined;
}

/** What is read for the figures, newest first. */
async function partsOf(
  cells: Cells,
  source: SqlSource,
  filter: ReturnType<typeof readFilter>,
  { by, step, since, until, window }: Scope & { readonly window: SeqWindow | undefined },
): Promise<Part[]> {
  const plan = bucketPlan(filter, by);
  const rows = (from: number, to: number): Part[] => {
    const range = window === undefined ? undefined : intersection(window, rangeOfFilter({ since: from, until: to }));
    return range === undefined ? [] : rowParts(cells, source, filter, range, { by, step });
  };
  const wholeMinutes = {
    since: -floor(-since, minuteMs),
    until: filter.until === null ? -floor(-until, minuteMs) : floor(until, minuteMs),
  };
  // Buckets also include rows that were deleted.
  const buckets =
    plan !== undefined && wholeMinutes.since < wholeMinutes.until ? await bucketParts(cells, source, plan, wholeMinutes, step) : undefined;
  if (buckets === undefined) return rows(since, until);
  return [...rows(wholeMinutes.until, until), ...buckets, ...rows(since, wholeMinutes.since)];
}

function intersection(one: SeqWindow, other: SeqWindow): SeqWindow | undefined {
  const from = one.from > other.from ? one.from : other.from;
  const to = one.to < other.to ? one.to : other.to;
  return from < to ? { from, to } : undefined;
}

function assemble(cells: Cells, { since, until, by, step, top }: Scope & { readonly top: number }): Omit<Stats, 'uncounted_since'> {
  const total = new Sums();
  const groups = new Map<GroupName, Sums>();
  for (const { name, sums } of cells.all()) {
    total.addAll(sums);
    if (by !== undefined) sumsIn(groups, name).addAll(sums);
  }
  const names = [...groups.keys()].filter((name) => name !== rest).toSorted(byRequests(groups));
  const listed = names.slice(0, top);
  const isListed = new Set<GroupName>(listed);
  const others = [...groups].filter(([name]) => !isListed.has(name));
  const seriesName = (name: GroupName): GroupName => (isListed.has(name) ? name : rest);
  return {
    since,
    until,
    total: total.figures(),
    groups: by === undefined ? [{ name: null, ...total.figures() }] : listed.map((name) => ({ name, ...sumsIn(groups, name).figures() })),
    rest: others.length === 0 ? null : sumOf(others).figures(),
    series:
      step === undefined
        ? []
        : seriesOf(cells, { since, until, step, nameOf: by === undefined ? undefined : by === 'status' ? classOf : seriesName }),
  };
}

const byRequests =
  (groups: ReadonlyMap<GroupName, Sums>) =>
  (one: string | null, other: string | null): number => {
    const requests = (name: string | null): number => groups.get(name)?.counts.requests ?? 0;
    return requests(other) - requests(one) || ((one ?? '') < (other ?? '') ? -1 : 1);
  };

function sumOf(groups: readonly (readonly [GroupName, Sums])[]): Sums {
  const sum = new Sums();
  for (const [, sums] of groups) sum.addAll(sums);
  return sum;
}

interface SeriesScope {
  readonly since: number;
  readonly until: number;
  readonly step: number;
  /** Undefined if not grouped. */
  readonly nameOf: ((name: GroupName) => GroupName) | undefined;
}

const classOf = (status: GroupName): GroupName => (status === rest ? rest : `${(status ?? '0').slice(0, 1)}xx`);

function seriesOf(cells: Cells, { since, until, step, nameOf }: SeriesScope): Bucket[] {
  const steps = new Map<number, { readonly all: Sums; readonly by: Map<GroupName, Sums> }>();
  for (let at = floor(since, step); at < until; at += step) steps.set(at, { all: new Sums(), by: new Map() });
  for (const { name, at, sums } of cells.all()) {
    const found = steps.get(at);
    found?.all.addAll(sums);
    if (found !== undefined && nameOf !== undefined) sumsIn(found.by, nameOf(name)).addAll(sums);
  }
  return [...steps].map(([at, { all, by }]) => {
    const others = by.get(rest);
    by.delete(rest);
    return {
      at,
      ...all.figures(),
      by: Object.fromEntries([...by].map(([name, sums]) => [String(name ?? ''), groupFiguresOf(sums)])),
      rest: others === undefined ? null : groupFiguresOf(others),
    };
  });
}

function groupFiguresOf(sums: Sums): GroupFigures {
  const { requests, errors, tokens_in, tokens_out } = sums.counts;
  return { requests, errors, cost_usd: sums.figures().cost_usd, tokens: tokens_in + tokens_out };
}

function sumsIn(all: Map<GroupName, Sums>, name: GroupName): Sums {
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
