import { loadLibrary } from '../../store/log/postgres/client.ts';
import { lowerAllPriorities } from '../../store/log/rpc/priority.ts';
import { serveCalls } from '../../store/log/rpc/serve.ts';
import { createReader } from '../../store/log/worker/reader.ts';
import type { LogDatabase } from '../../store/log/worker/settings.ts';

/** CPU time used, in milliseconds. Wall-clock time would also count waiting for a processor, which is long at low priority. */
const workedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
/**
 * SQLite does its work in this process, which waits for all others. The server of Postgres does it elsewhere, and a query
 * waits for a processor several times, after each response of the server: at the lowest priority, beyond its limit.
 */
const prioritySteps = { sqlite: 19, postgres: 10 } as const;

serveCalls(async (data, report) => {
  const database = data as LogDatabase;
  const reader = createReader(database, workedMs, report);
  // The first time is slow: at a lower priority, it would take longer on a busy machine than a query may. Its error is that of
  // the next query, too.
  const firstTime = database.kind === 'postgres' ? loadLibrary() : reader['search']?.({ of: { query: '', limit: 1 } } as never);
  await Promise.resolve(firstTime).catch(() => undefined);
  lowerAllPriorities(database.kind === 'postgres' ? prioritySteps.postgres : prioritySteps.sqlite);
  return reader;
});
