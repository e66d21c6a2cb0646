import { availableParallelism } from 'node:os';
import type { ValidConfig } from '../../config/reload/load.ts';
import { type GatewayOptions, StartError } from '../types.ts';

/** As many as the setting allows. */
const most = 64;

/**
 * How many processes serve: the flag, the file, one.
 *
 * @throws StartError where that is no number of workers, or this process can't have any
 */
export function workersOf({ workers: flag, workerEntry }: GatewayOptions, { tree }: ValidConfig): number {
  const setting = String(flag ?? tree.server?.workers ?? 1);
  const count = setting === 'auto' ? Math.min(most, availableParallelism()) : Number(setting);
  if (!/^(?:auto|\d+)$/.test(setting) || count < 1 || count > most)
    throw new StartError({
      exitCode: 3,
      message: `"${setting}" is not a number of workers`,
      hint: `--workers and server.workers are a number from 1 to ${most}, or auto.`,
    });
  if (count > 1 && workerEntry === undefined)
    throw new StartError({
      exitCode: 3,
      message: 'server.workers above 1 needs gateway start',
      hint: 'A gateway inside of another program serves in its process: start several of them, or remove server.workers.',
    });
  return count;
}
