import { createHash } from 'node:crypto';
import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { readRegularFileAsync } from '../../core/files/regular-file.ts';
import { errorCode } from '../../core/text/error-code.ts';

/** Files larger than this, in bytes, are compared by size and time only. */
const hashLimit = 16 * 1024 * 1024;

/** A longer chain of links is treated as a loop. */
const linkLimit = 40;

/**
 * A string that changes whenever a watched path does. It has the real path, inode, size, modification time and hash of a
 * file, or the names in a folder, or `absent`. Never rejects.
 */
export async function fingerprint(path: string): Promise<string> {
  try {
    const real = await realpath(path);
    const found = await stat(real, { bigint: true });
    if (found.isDirectory()) return `${real} ${found.ino} ${(await readdir(real)).sort().join('/')}`;
    // Only regular files are opened: opening a pipe would block a thread of the pool.
    const hash =
      found.size > hashLimit || !found.isFile()
        ? '-'
        : createHash('sha256')
            .update(await readRegularFileAsync(real, hashLimit))
            .digest('hex');
    return `${real} ${found.ino} ${found.size} ${found.mtimeNs} ${hash}`;
  } catch (error) {
    return `absent ${errorCode(error)}`;
  }
}

/** What can change a watched path: an entry of a folder, or, without a name, the folder's list of entries. */
export interface WatchedEntry {
  readonly folder: string;
  readonly name?: string;
}

/** The entries that affect a path: itself, and all links on the way and their targets. Never rejects. */
export async function watchedEntriesOf(path: string): Promise<readonly WatchedEntry[]> {
  const entries: WatchedEntry[] = [];
  let at = path;
  for (let step = 0; step < linkLimit; step += 1) {
    const folder = await realFolder(dirname(at), entries);
    entries.push({ folder, name: basename(at) });
    at = join(folder, basename(at));
    try {
      const found = await lstat(at);
      if (found.isDirectory()) return [...entries, { folder: at }];
      if (!found.isSymbolicLink()) return entries;
      at = resolve(folder, await readlink(at));
    } catch {
      return entries;
    }
  }
  return entries;
}

/** Resolves links in a folder's path: no file event passes through a link. @param entries receives those links */
async function realFolder(path: string, entries: WatchedEntry[]): Promise<string> {
  try {
    let at = path;
    const real = await realpath(path);
    for (let step = 0; at !== real && step < linkLimit; step += 1) {
      const link = await firstLink(at);
      if (link === undefined) break;
      entries.push({ folder: dirname(link), name: basename(link) });
      at = resolve(dirname(link), await readlink(link), relative(link, at));
    }
    return real;
  } catch {
    return path;
  }
}

/** First part of a path that is a link; undefined if there is none. */
async function firstLink(path: string): Promise<string | undefined> {
  const above = dirname(path);
  if (above === path) return undefined;
  const found = await firstLink(above);
  return found ?? ((await lstat(path)).isSymbolicLink() ? path : undefined);
}

/** Identity of a folder, which differs if the folder is deleted and created again. */
export async function identityOf(folder: string): Promise<string> {
  try {
    const found = await stat(folder);
    return `${found.dev}:${found.ino}`;
  } catch {
    return 'absent';
  }
}
