import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../../core/files/folder.ts';
import type { OwnerTable } from '../../store/object-owners.ts';
import { stateDirPath, type StateDirRequest } from '../../store/state-dir.ts';
import type { Log } from '../../telemetry/log.ts';
import { errorReporter } from '../log/reporters.ts';

const unwritten = 'objects.db cannot be written: the owners of the newest objects are lost when this process ends';

/**
 * Opens the table of object owners in the state directory that all gateways of one configuration share. Imported only
 * if a provider has `isolate: true`.
 *
 * @param dir undefined without storage on disk
 */
export async function openObjectOwners(dir: string | undefined, log: Log): Promise<OwnerTable> {
  const { openOwners, openOrReplaceOwners, withMemoryFallback } = await import('../../store/object-owners.ts');
  if (dir !== undefined) {
    try {
      makeFolder(dir);
      return withMemoryFallback(
        openOrReplaceOwners(join(dir, 'objects.db'), Date.now, {
          replaced: (aside) =>
            log.error({ file: aside }, 'objects.db was damaged and was renamed: keys cannot use the objects that they created before'),
          incomplete: () =>
            log.error(
              {},
              'the write-ahead log of objects.db was damaged: keys may be unable to use the newest objects that they created before',
            ),
        }),
        errorReporter(log, () => performance.now(), unwritten),
      );
    } catch (error) {
      log.error({ err: error }, 'objects.db in the state directory cannot be opened: keys cannot use the objects that they created before');
    }
  }
  log.warn({}, 'isolate: true without a state directory: after a restart, keys cannot use the objects that they created before');
  return openOwners(':memory:');
}

/**
 * Directory where worker processes share the table of owners: next to the request log, or, without storage on disk, a
 * temporary directory that is deleted at shutdown. Undefined if none can be created: each worker then has its own
 * table.
 */
export function ownersFolder(request: StateDirRequest): { readonly dir: string | undefined; remove(): void } {
  const stateDir = stateDirPath(request);
  if (stateDir !== undefined) return { dir: stateDir, remove: () => {} };
  try {
    const dir = mkdtempSync(join(tmpdir(), 'gateway-objects-'));
    return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
  } catch {
    return { dir: undefined, remove: () => {} };
  }
}
