import { renameSync, rmSync, statSync } from 'node:fs';
import { errorCode } from '../../core/text/error-code.ts';

/** Identifies the file at a path. A different file has a different text. Undefined if there is none. */
export function fileIdentity(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

/**
 * Deletes the write-ahead log of a file that was deleted or replaced: SQLite would write its pages into the file that is
 * now in its place. Another log at that path, as of a backup, is kept.
 *
 * @param identities of the log and its index while the file was open (`logIdentities`)
 */
export function deleteLogOfReplaced(path: string, identities: ReadonlySet<string>): void {
  for (const suffix of logSuffixes) if (identities.has(fileIdentity(path + suffix) ?? '')) rmSync(path + suffix, { force: true });
}

const logSuffixes = ['-wal', '-shm'] as const;
export const logIdentities = (path: string): ReadonlySet<string> =>
  new Set(logSuffixes.flatMap((suffix) => fileIdentity(path + suffix) ?? []));

/** True if the file is not a database or is corrupt. */
export function isCorruptionError(error: unknown): boolean {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  // SQLITE_CORRUPT and SQLITE_NOTADB; the higher bits contain details.
  return typeof code === 'number' && [11, 26].includes(code % 256);
}

/**
 * Renames a damaged file and its companion files, so that they can be recovered later. The companion files first: another
 * process may create a new file as soon as the damaged one is gone.
 *
 * @returns the new path
 * @throws file system errors
 */
export function renameDamagedFile(path: string, now: number): string {
  const newPath = `${path}.corrupt-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const suffix of ['-wal', '-shm', '']) {
    try {
      renameSync(path + suffix, newPath + suffix);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  return newPath;
}
