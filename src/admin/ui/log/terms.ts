/** Terms of the filter language. */

/** `provider:"a b"`: quoted if the value requires it. */
export const term = (field: string, value: string): string => `${nameOf(field)}:${isPlainValue(value) ? value : quoted(value)}`;

/** Filter for failed requests, as statistics count them: includes streams that broke after a successful status. */
export const anyError = 'error:*';

/** `meta."my key"`: the key after the dot can be any text. */
function nameOf(field: string): string {
  const dot = field.indexOf('.');
  const key = field.slice(dot + 1);
  return dot < 0 || /^[^\s",:*\\]+$/.test(key) ? field : `${field.slice(0, dot)}.${quoted(key)}`;
}

const isPlainValue = (value: string): boolean => value !== '' && !/[\s",:*]|^[<>=-]/.test(value);
const quoted = (value: string): string => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

/** Joins terms with *and*, and omits empty ones. */
export const joinTerms = (...terms: readonly string[]): string => terms.filter((text) => text.trim() !== '').join(' ');

/** A time range: a duration that ends now (`1h`), `all`, or two ISO times separated by a slash. */
export type TimeRange = string;

const unit: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export const isRange = (text: unknown): text is TimeRange =>
  typeof text === 'string' &&
  (text === 'all' || /^\d{1,4}[mhd]$/.test(text) || (text.split('/').length === 2 && text.split('/').every(isTime)));

/** Browsers disagree about other formats that they parse as a date (`1`, `May`). */
const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/.test(text) && !Number.isNaN(Date.parse(text));

/** Length of a range that ends now, in milliseconds; undefined for other ranges. */
function lengthOf(range: TimeRange): number | undefined {
  const match = /^(\d+)([mhd])$/.exec(range);
  return match === null ? undefined : Number(match[1]) * (unit[match[2] ?? ''] ?? 0);
}

export const fixedRange = (since: number, until: number): TimeRange => `${new Date(since).toISOString()}/${new Date(until).toISOString()}`;

/** Since and until, in Unix milliseconds; undefined for `all`. */
export function boundsOf(range: TimeRange, now: number): { readonly since: number; readonly until: number } | undefined {
  const length = lengthOf(range);
  if (length !== undefined) return { since: now - length, until: now };
  const [since, until] = range.split('/').map((text) => Date.parse(text));
  return since === undefined || until === undefined || Number.isNaN(since) ? undefined : { since, until };
}

/** Converts to filter terms. */
export function rangeTerms(range: TimeRange): string {
  if (range === 'all') return '';
  if (lengthOf(range) !== undefined) return `since:${range}`;
  const [since, until] = range.split('/').map((text) => new Date(text).toISOString());
  return `since:${since} until:${until}`;
}

/** The filter without its unquoted `since:` and `until:` terms. */
export function withoutTimes(filter: string): string {
  const quotes = String.raw`"(?:\\.|[^"\\])*"`;
  const times = new RegExp(String.raw`${quotes}|(?<=^|\s)(?:since|until):(?:${quotes}|\S)*\s*`, 'gi');
  return filter.replaceAll(times, (found) => (found.startsWith('"') ? found : '')).trim();
}

/** True if the filter contains its own time limits, so that no range is needed. */
export const hasTimes = (filter: string): boolean => withoutTimes(filter) !== filter.trim();

export const withRange = (filter: string, range: TimeRange): string => (hasTimes(filter) ? filter : joinTerms(filter, rangeTerms(range)));

/** Length of a bucket in seconds, chosen so that a range has about sixty. */
export function stepFor(milliseconds: number): number {
  const steps = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];
  return steps.find((step) => milliseconds / 1000 / step <= 80) ?? 86_400 * Math.ceil(milliseconds / 86_400_000 / 80);
}

/** Path of the request list with a filter. */
export function requestsHref(filter: string, range?: TimeRange): string {
  const search = new URLSearchParams();
  if (filter !== '') search.set('q', filter);
  if (range !== undefined) search.set('range', range);
  const text = search.toString();
  return text === '' ? '/requests' : `/requests?${text}`;
}

/** Browsers resolve the trace ids `.` and `..` as parts of a path, so that these traces have only a list. */
export const traceHref = (id: string): string =>
  /^\.{1,2}$/.test(id) ? requestsHref(term('trace', id), 'all') : `/traces/${encodeURIComponent(id)}`;

export const requestHref = (id: string): string => `/requests/${encodeURIComponent(id)}`;

/** Base URL of the gateway without the API version. */
export const originOf = (url: string): string => url.replace(/\/v1\/?$/, '');
