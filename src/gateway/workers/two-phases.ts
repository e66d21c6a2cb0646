import type { ValidConfig } from '../../config/reload/load.ts';
import { ChannelFault } from './channel.ts';
import type { WorkerProcess } from './process.ts';

/** For a worker to build a configuration that others serve already, in milliseconds: a busy machine may need long. */
export const buildMs = 120_000;

/** The workers that a configuration is brought to. */
export interface Workers {
  /** Resolves when each start in progress has ended. */
  settled(): Promise<unknown>;
  serving(): readonly WorkerProcess[];
}

/**
 * The first phase of a reload: all workers build the configuration. All of them must be able to: one that died is asked
 * again when another is in its place.
 *
 * @returns those that have built it @throws Error of the first that can't: then none of them has it any more
 */
export async function prepareAll(workers: Workers, loaded: ValidConfig, isAgain = true): Promise<ReadonlySet<WorkerProcess>> {
  await workers.settled();
  const serving = workers.serving();
  const asked = await Promise.allSettled(serving.map((process) => process.channel.call('prepare', loaded, undefined)));
  const failed = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  const [first] = failed;
  if (first === undefined) return new Set(serving);
  const isDeath = failed.every((one) => one instanceof ChannelFault && !one.isAnswer);
  if (isDeath && isAgain) return await prepareAll(workers, loaded, false);
  for (const process of workers.serving()) process.channel.tell('abort', undefined);
  throw new Error(first.message, { cause: first });
}

/** The second phase. @param isPrepared it has built what is to serve @throws ChannelFault */
export async function commit({ channel }: WorkerProcess, loaded: ValidConfig, isPrepared: boolean): Promise<void> {
  if (!isPrepared) await channel.call('prepare', loaded, buildMs);
  await channel.call('commit', undefined, buildMs);
}
