import { chmodSync, chownSync, type Stats, statSync } from 'node:fs';

/** Read for everybody, of files and of folders. */
const forAll = 0o004;

/**
 * Gives a file the owner, the group and the mode of another one, so that who reads the other can read it as well: a
 * gateway seldom runs as the person who writes its files. Only root can give a file away, and others only to a group of
 * their own: that matters where not everybody can read the other file.
 *
 * @param mode permissions that count
 * @throws Error where somebody could not read it
 */
export function shareLike(path: string, like: Stats, mode: number): void {
  const own = statSync(path);
  if (own.uid !== like.uid || own.gid !== like.gid) {
    try {
      giveTo(path, own, like);
    } catch (error) {
      if ((like.mode & forAll) === 0) throw error;
    }
  }
  chmodSync(path, like.mode & mode);
}

function giveTo(path: string, own: Stats, like: Stats): void {
  try {
    chownSync(path, like.uid, like.gid);
  } catch {
    if (own.gid !== like.gid) chownSync(path, own.uid, like.gid);
  }
}
