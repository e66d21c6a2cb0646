import type { LogQueries, SqlSource } from '../log-store.ts';
import { bodyOf, getRecord, keysUsed, rowsOfTrace, spent } from './records.ts';
import { search } from './search.ts';
import { stats } from './stats.ts';
import { listNames, suggest } from './suggest.ts';

/**
 * The queries to a database, for both SQLite and Postgres. Closing them closes the source.
 *
 * @param now Unix milliseconds, from which `since:1h` counts back
 */
export function createQueries(source: SqlSource, now: () => number): LogQueries {
  return {
    search: (request) => search(source, request, now()),
    get: (id) => getRecord(source, id),
    body: (id, part) => bodyOf(source, id, part),
    trace: (traceId) => rowsOfTrace(source, traceId),
    stats: (request) => stats(source, request, now()),
    suggest: (request) => suggest(source, request, now()),
    names: () => listNames(source),
    keysUsed: () => keysUsed(source),
    spent: (since, keys) => spent(source, since, keys, now()),
    close: () => source.close(),
  };
}
