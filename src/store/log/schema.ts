/**
 * The tables of the request log, the same in every database. `seq` is the arrival in milliseconds × 1000 plus a number
 * that makes it unique, so that rows are in time order, `since` and `until` are ranges of the key, and a page begins
 * where the previous one ended.
 *
 * - `requests`: what filters use, one narrow row per record. `at` is `seq / 1000`.
 * - `records`: `seq`, `json`: the record itself, including later amendments; rows for lists are made from it (`toRow`).
 *   In SQLite it is a view: records and bodies are compressed in `blocks` of some dozens.
 * - `bodies`: `seq`, `request`, `upstream`, `response`; null if nothing is kept.
 * - `tags`: `kind` (`meta`, `label`), `name`, `value`, `seq`; in SQLite in the order of `seq`.
 * - `keys_used`: `key_id`, `at`: when each secret was last used. In Postgres per writer; rows older than a day are merged
 *   under the writer `''`.
 * - `spending`: `day` (Unix day number), `key` (`spenderName` of virtual keys), `cost` and `unpriced`: what the records of each key cost, kept for
 *   `spendingDays`, independent of the limits of records. In Postgres per writer; days before yesterday are merged under
 *   the writer `''`.
 * - `texts`: the words of each row (`searchTextOf(row)` of src/query/match.ts, already split and folded), for full-text
 *   search. SQLite: FTS5 with `content=''`, `contentless_delete=1`, one column `words`, `rowid` is `seq`. Postgres: the
 *   column `words` of `requests`, after all others.
 * - `unindexed`: `seq` and `words` of rows whose words are not in `texts` yet. The writer adds them when it is otherwise
 *   idle. Queries search both. In SQLite it is a view; in Postgres it does not exist.
 * - `buckets`: figures of each minute by each value of a dimension, and sums of whole hours (`hours.ts`).
 * - `feedback`: `id`, `trace`, `value`, `weight`, `metadata` (JSON), `at`.
 * - `positions` (how far each segment of a spool is stored), `marks` (named numbers of the store itself).
 */
export interface Column {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'real' | 'boolean' | 'money';
  readonly isNullable: boolean;
}

/** Number of distinct row numbers in one millisecond. */
export const seqStep = 1000;
/** Latest arrival (in the year 2255) for which row numbers are still exact integers. */
const maxArrival = Math.floor(Number.MAX_SAFE_INTEGER / seqStep) - 86_400_000;

/** The arrival under which a record is stored. @param at Unix milliseconds from any clock */
export const storedAt = (at: number): number => Math.min(maxArrival, Math.max(0, Math.floor(at))) || 0;

/** Collisions in a millisecond after which the next one is tried, and maximum milliseconds that are tried. */
const triesOfMs = 3;
const maxShiftMs = 200;

/**
 * The start of the number range to try for a row. A full millisecond, as when the clock stands still, continues in the
 * next ones.
 *
 * @param tries how often a number was already taken
 * @throws Error if all are full, with a code that attributes the error to the record
 */
export function seqRangeStart(at: number, tries: number): number {
  const more = Math.floor(tries / triesOfMs);
  if (more >= maxShiftMs) throw Object.assign(new Error('too many records of one millisecond'), { code: '54000' });
  return (at + more) * seqStep;
}

/** Above every number that a row of this millisecond can have. */
export const seqRangeEnd = (at: number): number => (at + maxShiftMs) * seqStep;

const textColumn = (name: string): Column => ({ name, type: 'text', isNullable: true });
const requiredColumn = (name: string, type: Column['type'] = 'text'): Column => ({ name, type, isNullable: false });

/** Columns of `requests` after `seq`. Names are members of `LogRow`; `cost` is an integer in 10⁻¹² dollars, times are in milliseconds. */
export const requestColumns = [
  requiredColumn('id'),
  requiredColumn('trace'),
  textColumn('span'),
  requiredColumn('status', 'integer'),
  requiredColumn('end'),
  textColumn('error'),
  textColumn('config'),
  textColumn('provider'),
  textColumn('model'),
  textColumn('key'),
  textColumn('virtual_key'),
  requiredColumn('endpoint'),
  requiredColumn('stream', 'boolean'),
  textColumn('finish'),
  requiredColumn('cache'),
  requiredColumn('fallback', 'boolean'),
  requiredColumn('attempts', 'integer'),
  requiredColumn('latency', 'real'),
  { name: 'ttft', type: 'real', isNullable: true },
  requiredColumn('overhead', 'real'),
  requiredColumn('tokens_in', 'integer'),
  requiredColumn('tokens_out', 'integer'),
  requiredColumn('tokens_cached', 'integer'),
  { name: 'cost', type: 'money', isNullable: true },
  textColumn('guardrail'),
  textColumn('prompt'),
  requiredColumn('revision'),
  textColumn('upstream_id'),
  textColumn('agent'),
  requiredColumn('retries', 'integer'),
  textColumn('span_name'),
  textColumn('reason'),
] as const satisfies readonly Column[];

/** Dimensions that are counted per minute; also `meta.<name>` and `label.<name>`, and `all` with the name `''`. */
export const dimensions = ['status', 'config', 'provider', 'model', 'key', 'endpoint', 'error', 'reason'] as const;
/**
 * True for a dimension whose buckets count only the requests with a value: few have one, or some minutes did not count it.
 * The others are the rest of `all`.
 */
export const isSparse = (dim: string): boolean => dim === 'reason' || dim.includes('.');

/** Maximum values of a dimension that one day counts by name. Further values are counted together (`restBucket`). */
export const maxValues = 100;
/** Maximum metadata keys and labels, together, that one day counts. */
export const maxTagNames = 20;

/** Days for which the spending of keys is kept. */
export const spendingDays = 400;

/**
 * Columns of `buckets`. `dim`, `name` (`bucketOf` the value) and `minute` (Unix minutes) are the key. Times are histograms
 * (`core/logs/histogram.ts`) as text, `cost` is an integer in 10⁻¹² dollars.
 */
export const bucketCounts = [
  'requests',
  'errors',
  'fallbacks',
  'retries',
  'cache_hits',
  'tokens_in',
  'tokens_out',
  'tokens_cached',
  'cost',
  'unpriced',
] as const;
export const bucketTimes = ['latency', 'ttft', 'overhead'] as const;
export const bucketColumns = [...bucketCounts, ...bucketTimes] as const;
