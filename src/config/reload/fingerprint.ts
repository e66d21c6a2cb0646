import { createHash } from 'node:crypto';
import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readRegularFileLater } from '../../core/files/regular-file.ts';
import { errorCode } from '../../core/text/error-code.ts';

/** Files larger than this are told apart by size and time alone. */
const hashLimit = 16 * 1024 * 1024;

/** Links that lead on and on are a loop. */
const linkLimit = 40;

/**
 * One text that changes whenever a watched path does: real path, inode, size, modification time and hash of a file, the
 * names in a folder, `absent` for what is not there. Never throws.
 */
export async function fingerprint(path: string): Promise<string> {
  try {
    const real = await realpath(path);
    const found = await stat(real, { bigint: true });
    if (found.isDirectory()) return `${real} ${found.ino} ${(await readdir(real)).sort().join('/')}`;
    // What is no regular file is never opened: a pipe would keep a thread of the pool waiting.
    const hash =
      found.size > hashLimit || !found.isFile()
        ? '-'
        : createHash('sha256')
            .update(await readRegularFileLater(real, hashLimit))
            .digest('hex');
    return `${real} ${found.ino} ${found.size} ${found.mtimeNs} ${hash}`;
  } catch (error) {
    return `absent ${errorCode(error)}`;
  }
}

/** The folders in which a change can mean a change of this path: its parent, and the parents of all links on the way. */
export async function foldersOf(path: string): Promise<readonly string[]> {
  const folders: string[] = [];
  let at = path;
  for (let step = 0; step < linkLimit; step += 1) {
    folders.push(dirname(at));
    try {
      const found = await lstat(at);
      if (found.isDirectory()) return [...folders, at];
      if (!found.isSymbolicLink()) return folders;
      at = resolve(dirname(at), await readlink(at));
    } catch {
      return folders;
    }
  }
  return folders;
}

/** Tells one folder from another that later is under the same name. */
export async function identityOf(folder: string): Promise<string> {
  try {
    const found = await stat(folder);
    return `${found.dev}:${found.ino}`;
  } catch {
    return 'absent';
  }
}
