import type { ValidConfig } from '../../config/reload/load.ts';
import { ChannelFault } from './channel.ts';
import type { WorkerProcess } from './process.ts';

/** Timeout for a worker to build a configuration that others already serve, in milliseconds. Long, because the machine may be busy. */
export const buildMs = 120_000;

/** The workers to which a configuration is applied. */
export interface Workers {
  /** Resolves when all starts in progress have ended. */
  settled(): Promise<unknown>;
  serving(): readonly WorkerProcess[];
}

/**
 * First phase of a reload: all workers build the configuration. It succeeds only if all of them can. If a worker died
 * meanwhile, the phase is repeated once with its replacement.
 *
 * @returns the workers that have built it
 * @throws Error of the first worker that failed; all workers have then discarded it
 */
export async function prepareAll(workers: Workers, loaded: ValidConfig, mayRepeat = true): Promise<ReadonlySet<WorkerProcess>> {
  await workers.settled();
  const serving = workers.serving();
  const results = await Promise.allSettled(serving.map((process) => process.channel.call('prepare', loaded, undefined)));
  const failed = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  const [first] = failed;
  if (first === undefined) return new Set(serving);
  const isDeath = failed.every((one) => one instanceof ChannelFault && !one.isReported);
  if (isDeath && mayRepeat) return await prepareAll(workers, loaded, false);
  for (const process of workers.serving()) process.channel.notify('abort', undefined);
  throw new Error(first.message, { cause: first });
}

/**
 * Second phase: activates the configuration.
 *
 * @param isPrepared the worker has built the configuration
 * @throws ChannelFault
 */
export async function commit({ channel }: WorkerProcess, loaded: ValidConfig, isPrepared: boolean): Promise<void> {
  if (!isPrepared) await channel.call('prepare', loaded, buildMs);
  await channel.call('commit', undefined, buildMs);
}
