/**
 * The tables of the request log, the same in every database. `seq` is arrival × 1000 plus a number that makes it unique,
 * so that rows lie in the order of time, `since` and `until` are ranges of the key, and a page begins where one ended.
 *
 * - `requests`: what filters look at, one narrow row a record. `at` is `seq / 1000`.
 * - `records`: `seq`, `json`: the record itself, with what came later; rows for lists are made of it (`toRow`). In SQLite it
 *   is a view: records and bodies lie compressed in `blocks` of some dozens.
 * - `bodies`: `seq`, `request`, `upstream`, `response`; null where nothing is kept.
 * - `tags`: `kind` (`meta`, `label`), `name`, `value`, `seq`; in SQLite in the order of `seq`.
 * - `keys_used`: `key_id`, `at`: when each secret was used last. Postgres: for each writer, and of what is older than a day for all together (`''`).
 * - `texts`: the words of each row (`searchTextOf(row)` of src/query/match.ts, already split and folded), for full text. SQLite:
 *   FTS5 with `content=''`, `contentless_delete=1`, one column `words`, `rowid` is `seq`. Postgres: the column
 *   `words` of `requests`, behind all others.
 * - `unindexed`: `seq` and `words` of rows whose words are not in `texts` yet: the writer adds them when it has nothing else to
 *   do. Queries look into both. In SQLite it is a view; empty in Postgres.
 * - `buckets`: figures of each minute by each value of a dimension.
 * - `feedback`: `id`, `trace`, `value`, `weight`, `metadata` (JSON), `at`.
 * - `positions` (how far each segment of a spool is stored), `marks` (named numbers of the store itself).
 */
export interface Column {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'real' | 'boolean' | 'money';
  readonly isNullable: boolean;
}

/** Rows in one millisecond that have a number of their own. */
export const seqStep = 1000;
/** Behind this (in the year 2255) numbers of rows are no exact numbers any more. */
const latest = Math.floor(Number.MAX_SAFE_INTEGER / seqStep) - 86_400_000;

/** The arrival by which a record is stored. @param at Unix milliseconds by whatever clock */
export const storedAt = (at: number): number => Math.min(latest, Math.max(0, Math.floor(at))) || 0;

/** Times that a number was taken before one of the next millisecond is tried, and milliseconds that are tried. */
const triesOfMs = 3;
const mostMs = 200;

/**
 * The beginning of the numbers that are tried for a row: a millisecond that is full, as under a clock that stands still,
 * goes on in the next ones.
 * @param tries how often one of its numbers was taken already
 * @throws Error where all are full, with a code that says that it is the record's fault
 */
export function seqFor(at: number, tries: number): number {
  const more = Math.floor(tries / triesOfMs);
  if (more >= mostMs) throw Object.assign(new Error('too many records of one millisecond'), { code: '54000' });
  return (at + more) * seqStep;
}

/** Behind all numbers that a row of this millisecond may have. */
export const seqBehind = (at: number): number => (at + mostMs) * seqStep;

const text = (name: string): Column => ({ name, type: 'text', isNullable: true });
const needed = (name: string, type: Column['type'] = 'text'): Column => ({ name, type, isNullable: false });

/** Of `requests`, behind `seq`. Names are members of a `LogRow`; `cost` is an integer of 10⁻¹² dollars, times are milliseconds. */
export const requestColumns = [
  needed('id'),
  needed('trace'),
  text('span'),
  needed('status', 'integer'),
  needed('end'),
  text('error'),
  text('config'),
  text('provider'),
  text('model'),
  text('key'),
  text('virtual_key'),
  needed('endpoint'),
  needed('stream', 'boolean'),
  text('finish'),
  needed('cache'),
  needed('fallback', 'boolean'),
  needed('attempts', 'integer'),
  needed('latency', 'real'),
  { name: 'ttft', type: 'real', isNullable: true },
  needed('overhead', 'real'),
  needed('tokens_in', 'integer'),
  needed('tokens_out', 'integer'),
  needed('tokens_cached', 'integer'),
  { name: 'cost', type: 'money', isNullable: true },
  text('guardrail'),
  text('prompt'),
  needed('revision'),
  text('upstream_id'),
  text('agent'),
  needed('retries', 'integer'),
  text('span_name'),
] as const satisfies readonly Column[];

/** Fields by which each minute is counted; `meta.<name>` and `label.<name>` too, and `all` with the name `''`. */
export const dimensions = ['status', 'config', 'provider', 'model', 'key', 'endpoint', 'error'] as const;

/** Values of a dimension that one day counts by name; the ones that come later are counted as `other`. */
export const mostValues = 100;
/** Metadata keys and labels, together, that one day counts. */
export const mostTagNames = 20;
export const otherValues = 'other';

/**
 * Of `buckets`: `dim` and `name` (`''`: none) and `minute` (Unix minutes) are the key. Times are histograms
 * (`core/logs/histogram.ts`) as text, `cost` is an integer of 10⁻¹² dollars.
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
