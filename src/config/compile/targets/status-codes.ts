import type { RetryPolicy } from '../../../core/snapshot.ts';

/** Statuses as written: 429, "5xx", "500-504". */
export type StatusCodes = readonly (number | string)[];

/** Statuses that are retried when `retry` lists none. */
const defaultRetryCodes: StatusCodes = [429, 500, 502, 503, 504, 529];

/** Upper bound: more retries would add load during an outage. */
const maxRetries = 5;

/** Compiles a list of statuses to a look-up. Entries that are neither a status nor a range match nothing. */
export function compileStatusCodes(codes: StatusCodes): (status: number) => boolean {
  const matches = new Uint8Array(1000);
  for (const code of codes) {
    const [from, to] = rangeOf(code);
    matches.fill(1, from, to + 1);
  }
  return (status) => matches[status] === 1;
}

/** First and last status of an entry; an empty range for an invalid entry. */
function rangeOf(code: number | string): readonly [from: number, to: number] {
  const text = String(code);
  if (/^[1-9]xx$/i.test(text)) return [Number(text[0]) * 100, Number(text[0]) * 100 + 99];
  const match = /^(\d{3})(?:-(\d{3}))?$/.exec(text);
  if (match === null) return [0, -1];
  const [one, other] = [Number(match[1]), Number(match[2] ?? match[1])];
  return [Math.min(one, other), Math.max(one, other)];
}

/** Without `on_status_codes`, any non-2xx status moves the chain on. */
export function compileFallbackCodes(codes: StatusCodes | undefined): (status: number) => boolean {
  return codes === undefined ? (status) => status < 200 || status > 299 : compileStatusCodes(codes);
}

/** `retry` as written. The Retry-After flag has two spellings. */
export interface RetryEntry {
  readonly attempts?: number;
  readonly on_status_codes?: StatusCodes;
  readonly use_retry_after_header?: boolean;
  readonly [key: string]: unknown;
}

/** Compiles `retry`. Without it nothing is retried. */
export function compileRetry(entry: RetryEntry | undefined): RetryPolicy {
  return Object.freeze({
    attempts: Math.min(entry?.attempts ?? 0, maxRetries),
    retries: compileStatusCodes(entry?.on_status_codes ?? defaultRetryCodes),
    useRetryAfter: entry?.use_retry_after_header === true || entry?.['use_retry_after_headers'] === true,
  });
}
