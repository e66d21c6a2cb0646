import { systemClock } from '../../core/async/system-clock.ts';
import type { ValidConfig } from '../../config/reload/load.ts';
import type { WrittenLocations } from '../../config/report/origins.ts';
import { buildOffline } from '../explain/offline.ts';
import type { Registry } from '../types.ts';

const nothingWritten: WrittenLocations = { values: [], locations: {}, references: {} };

/**
 * Sets up a configuration as a start does: compiles it, creates its credential signers, and sets up its plugins. Then
 * closes all of it. Opens no connection and no file of its own.
 *
 * @returns the error message that a start would show; undefined if it succeeds
 */
export async function dryRun(loaded: ValidConfig, registry: Registry): Promise<string | undefined> {
  try {
    const { generation } = await buildOffline({ loaded, written: nothingWritten, registry, clock: systemClock });
    await generation.dispose();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'the set-up failed';
  }
}
