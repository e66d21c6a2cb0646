import { availableParallelism } from 'node:os';
import type { ValidConfig } from '../../config/reload/load.ts';
import { type GatewayOptions, StartError } from '../types.ts';

/** Maximum that the setting allows. */
export const maxWorkers = 64;

/**
 * Number of worker processes: from the flag, else the configuration, else 1.
 *
 * @throws StartError if the value is invalid, or this process can't have workers
 */
export function workersOf({ workers: flag, workerEntry }: GatewayOptions, { tree }: ValidConfig): number {
  const setting = String(flag ?? tree.server?.workers ?? 1);
  const count = setting === 'auto' ? Math.min(maxWorkers, availableParallelism()) : Number(setting);
  if (!/^(?:auto|\d+)$/.test(setting) || count < 1 || count > maxWorkers)
    throw new StartError({
      exitCode: 3,
      message: `"${setting}" is not a number of workers`,
      hint: `--workers and server.workers are a number from 1 to ${maxWorkers}, or auto.`,
    });
  if (count > 1 && workerEntry === undefined)
    throw new StartError({
      exitCode: 3,
      message: 'server.workers above 1 needs gateway start',
      hint: 'A gateway that is embedded in another program uses the process of that program: start several programs, or remove server.workers.',
    });
  return count;
}
