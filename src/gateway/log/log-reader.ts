import { lowerAllPriorities } from '../../store/log/rpc/priority.ts';
import { serveCalls } from '../../store/log/rpc/serve.ts';
import { createReader } from '../../store/log/worker/reader.ts';
import type { Database } from '../../store/log/worker/settings.ts';

// Not before it is loaded: on a busy machine somebody would wait for that much longer.
lowerAllPriorities();
/** Of work: who comes last on a busy machine may wait for long without doing anything. */
const workedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
serveCalls((database) => createReader(database as Database, workedMs));
