import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory accessible only to its owner, and its missing parents. Not Node's recursive `mkdir`, which never
 * returns on a file system that fails with ENOENT in an existing directory, such as `/proc`.
 *
 * @throws Error of the file system
 */
export function makeFolder(path: string): void {
  if (tryMakeDirectory(path, true)) return;
  const parent = dirname(path);
  // It may be there by now: another process makes the same folders.
  if (parent !== path && statSync(parent, { throwIfNoEntry: false }) === undefined) makeFolder(parent);
  tryMakeDirectory(path, false);
}

/** @param mayLackParent return false if the parent is missing */
function tryMakeDirectory(path: string, mayLackParent: boolean): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && mayLackParent) return false;
    if (code !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
  return true;
}
