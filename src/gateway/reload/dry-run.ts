import type { ObjectOwners } from '../../core/objects/owners.ts';
import { systemClock } from '../../core/async/system-clock.ts';
import type { Registry } from '../types.ts';
import type { Log } from '../../telemetry/log.ts';
import { createCredentialCompiler } from '../../transport/credentials/sign.ts';
import { TokenSources } from '../../transport/credentials/token-source.ts';
import { Generations } from '../generations.ts';
import type { ValidConfig } from '../../config/reload/load.ts';

/**
 * Sets up a configuration as a start does: compiles it, creates its credential signers, and sets up its plugins. Then
 * closes all of it. Opens no connection and no file of its own.
 *
 * @returns the error message that a start would show; undefined if it succeeds
 */
export async function dryRun(loaded: ValidConfig, registry: Registry): Promise<string | undefined> {
  const refuse = (): never => {
    throw new Error('a check opens no connection');
  };
  const tokens = new TokenSources(() => ({ fetch: refuse }), { ...systemClock, random: Math.random, onFault: ignore });
  const generations = new Generations({
    registry,
    log: silentLog,
    outbound: { sign: createCredentialCompiler(tokens), media: refuse, jwt: () => ({ verify: refuse }) },
    owners: () => Promise.resolve(noOwners),
    ...systemClock,
  });
  try {
    const generation = await generations.build(loaded);
    await generation.dispose();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'the set-up failed';
  }
}

const ignore = (): void => {};
const silentLog: Pick<Log, 'warn' | 'debug' | 'request'> = { warn: ignore, debug: ignore, request: ignore };
const noOwners: ObjectOwners = { ownerOf: () => undefined, bind: ignore };
