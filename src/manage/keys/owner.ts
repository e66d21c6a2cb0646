import { closeSync, fchmodSync, fchownSync, fstatSync, fsyncSync, openSync, type Stats, writeFileSync } from 'node:fs';

/** Read for everybody, and for the group: of files and of folders. */
const forAll = 0o004;
const forGroup = 0o040;

/**
 * Writes a file that is not there yet, with the owner, the group and the mode of another one (`shareLike`).
 *
 * @throws Error as `shareLike` does; then the file is left as it is
 */
export function writeLike(path: string, text: string, like: Stats, mode: number): void {
  const fd = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(fd, text);
    shareLike(fd, like, mode);
    // A name that is given before the content is on disk is that of an empty file after a power failure.
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Gives an open file the owner, the group and the mode of another one, so that who reads the other can read it as well: a
 * gateway seldom runs as the person who writes its files. Only root can give a file away, and others only to a group of
 * their own: that matters where somebody can read the other file for that alone. By its descriptor: whoever may write in
 * its folder could put a link to a file of root in its place.
 *
 * @param mode permissions that count
 * @throws Error where somebody could not read it
 */
export function shareLike(fd: number, like: Stats, mode: number): void {
  const own = fstatSync(fd);
  if (own.uid !== like.uid || own.gid !== like.gid) {
    try {
      giveTo(fd, own, like);
    } catch (error) {
      if (!isRead(own, like)) throw error;
    }
  }
  fchmodSync(fd, like.mode & mode);
}

function giveTo(fd: number, own: Stats, like: Stats): void {
  try {
    fchownSync(fd, like.uid, like.gid);
  } catch {
    if (own.gid !== like.gid) fchownSync(fd, own.uid, like.gid);
  }
}

/** Whether those who read the other one read a file of this owner and group. The group of root is root: it reads all. */
function isRead(own: Stats, { uid, gid, mode }: Stats): boolean {
  if ((mode & forAll) !== 0) return true;
  return (mode & forGroup) !== 0 && gid !== 0 ? own.gid === gid : own.uid === uid;
}
