import { chmodSync, chownSync, type Stats, statSync } from 'node:fs';

/**
 * Gives a file the owner, the group and the mode of another one, so that who reads the other can read it as well: a
 * gateway seldom runs as the person who writes its files. Only root can give a file away; the group is what others keep.
 *
 * @param mode permissions that count
 * @throws Error where not even the group can be kept
 */
export function shareLike(path: string, like: Stats, mode: number): void {
  const own = statSync(path);
  if (own.uid !== like.uid || own.gid !== like.gid) {
    try {
      chownSync(path, like.uid, like.gid);
    } catch {
      if (own.gid !== like.gid) chownSync(path, own.uid, like.gid);
    }
  }
  chmodSync(path, like.mode & mode);
}
