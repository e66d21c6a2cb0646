import { lowerAllPriorities } from '../../store/log/rpc/priority.ts';
import { serveCalls } from '../../store/log/rpc/serve.ts';
import { createReader } from '../../store/log/worker/reader.ts';
import type { LogDatabase } from '../../store/log/worker/settings.ts';

// Only after all imports: on a busy machine, lower priority would delay their loading.
lowerAllPriorities();
/** CPU time used, in milliseconds. Wall-clock time would also count waiting for a processor, which is long at low priority. */
const workedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
serveCalls((database, report) => createReader(database as LogDatabase, workedMs, report));
