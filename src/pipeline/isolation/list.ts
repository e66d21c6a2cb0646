import { parseExact } from '../../core/json/scan.ts';
import type { Endpoint } from '../../core/endpoint.ts';
import { GatewayError } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import { idsAt, type ObjectIdPaths } from '../../core/objects/id-paths.ts';
import { canonicalId } from '../../core/objects/owners.ts';
import type { Answered, Outcome } from '../../core/plan.ts';
import type { CallerObjects } from './caller-objects.ts';

/** Requests another page of the same list. */
export type NextPage = (query: string) => Promise<Outcome>;

/** Maximum number of pages of the account that one request searches for a row of its caller. */
const maxPages = 10;

interface Listing {
  readonly endpoint: Endpoint;
  readonly answer: ObjectIdPaths;
  readonly caller: CallerObjects;
  /** The client's value. */
  readonly query: string;
  readonly next: NextPage;
  /** For the client. */
  warn(text: string): void;
}

/**
 * Filters a list of the whole account to the caller's rows. Client libraries stop at an empty page, so the following pages
 * are requested here, up to a limit. If the limit is reached, the empty page is returned as the last one, and a warning
 * says that the list may be incomplete.
 */
export async function pageOfCaller(first: Answered, listing: Listing): Promise<Outcome> {
  const { answer, caller, query, next, warn } = listing;
  let outcome = first;
  for (let pages = 1; ; pages += 1) {
    const list = listOf(outcome);
    if (list === undefined) return unreadable(outcome);
    const rows = rowsOfCaller(list.rows, outcome, listing);
    const last = list.rows.at(-1)?.['id'];
    if (rows.length > 0 || !list.hasMore || typeof last !== 'string' || pages === maxPages) {
      for (const row of rows) caller.bind(idsAt(row, answer.ids), false);
      if (rows.length === 0 && list.hasMore) warn(incompleteWarning(outcome));
      return withRows(outcome, rows.length === 0 ? { ...list, hasMore: false } : list, rows);
    }
    const following = timedFrom(first.times.at, await next(queryAfter(query, last)));
    if (following.kind !== 'answered' || following.reply.status >= 300) return following;
    outcome = following;
  }
}

/** All pages belong to one attempt, which began with the first page. */
function timedFrom(at: number, outcome: Outcome): Outcome {
  const { times } = outcome;
  return { ...outcome, times: { ...times, at, totalMs: times.at + times.totalMs - at } };
}

const incompleteWarning = ({ attempt }: Answered): string =>
  `The first ${maxPages} pages of the account of provider "${attempt.binding.slug}" have no object of this key; the pages behind them were not read. A larger "limit" makes larger pages.`;

/** Gives each row the id that the caller knows. */
function rowsOfCaller(rows: readonly JsonObject[], { attempt }: Answered, { endpoint, caller }: Listing): JsonObject[] {
  const operation = attempt.binding.provider.operations[endpoint];
  const isOwned = ({ id }: JsonObject): boolean => typeof id === 'string' && caller.owns(canonicalId(id));
  return rows.flatMap((row) => {
    const visibleRow = [row, ...(operation?.views?.(row) ?? [])].find(isOwned);
    return visibleRow === undefined ? [] : [visibleRow];
  });
}

interface ObjectList {
  readonly object: JsonObject;
  readonly rows: readonly JsonObject[];
  readonly hasMore: boolean;
}

function listOf({ reply }: Answered): ObjectList | undefined {
  if (reply.flow !== undefined) return undefined;
  try {
    const object: unknown = parseExact((reply.converted?.body ?? reply.body).toString('utf8'));
    if (!isJsonObject(object) || !Array.isArray(object['data'])) return undefined;
    return { object, rows: object['data'].filter(isJsonObject), hasMore: object['has_more'] === true };
  } catch {
    return undefined;
  }
}

function withRows(outcome: Answered, { object, hasMore }: ObjectList, rows: readonly JsonObject[]): Outcome {
  const ends = { first_id: rows[0]?.['id'] ?? null, last_id: rows.at(-1)?.['id'] ?? null };
  const list = { ...object, data: rows, ...ends, has_more: hasMore };
  const body = Buffer.from(JSON.stringify(list), 'utf8');
  return { ...outcome, reply: { ...outcome.reply, converted: { contentType: 'application/json', body } } };
}

/** The response must not be forwarded, because the owners of its rows are unknown. */
function unreadable(outcome: Answered): Outcome {
  const { attempt, times, reply } = outcome;
  reply.flow?.abort();
  const fault = new GatewayError('upstream_invalid', {
    message: `The list of provider "${attempt.binding.slug}" could not be parsed, so it could not be limited to the objects of this key.`,
    source: 'provider',
  });
  return { kind: 'faulty', attempt, times, fault };
}

function queryAfter(query: string, after: string): string {
  const params = new URLSearchParams(query);
  params.set('after', after);
  return params.toString();
}
