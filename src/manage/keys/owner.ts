import { closeSync, fchmodSync, fchownSync, fstatSync, fsyncSync, openSync, type Stats, writeFileSync } from 'node:fs';

/** Read permission of files and folders, for all users and for the group. */
const readableByAll = 0o004;
const readableByGroup = 0o040;

/**
 * Creates a file with the owner, group and mode of another one (`copyOwnership`).
 *
 * @throws Error as `copyOwnership` does; the file then remains
 */
export function writeWithOwnership(path: string, text: string, like: Stats, mode: number): void {
  const fd = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(fd, text);
    copyOwnership(fd, like, mode);
    // If the file were renamed before its content is on disk, a power failure could leave an empty file.
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Gives an open file the owner, group and mode of another one, so that every user who can read the other file can read it too: a
 * gateway often runs as a different user than the author of its files. Only root can change the owner, and other users can only
 * change the group to one of their own. This fails only if a reader of the other file would lose access. Uses the descriptor,
 * because a user with write access to the folder could replace the file by a link to a file of root.
 *
 * @param mode permission bits to copy
 * @throws Error if a reader of the other file could not read this one
 */
export function copyOwnership(fd: number, like: Stats, mode: number): void {
  const current = fstatSync(fd);
  if (current.uid !== like.uid || current.gid !== like.gid) {
    try {
      changeOwner(fd, current, like);
    } catch (error) {
      if (!keepsReaders(current, like)) throw error;
    }
  }
  fchmodSync(fd, like.mode & mode);
}

function changeOwner(fd: number, own: Stats, like: Stats): void {
  try {
    fchownSync(fd, like.uid, like.gid);
  } catch {
    if (own.gid !== like.gid) fchownSync(fd, own.uid, like.gid);
  }
}

/**
 * True if the users who can read the other file can read a file with this owner and group. The group root only contains root, who
 * can read everything.
 */
function keepsReaders(own: Stats, { uid, gid, mode }: Stats): boolean {
  if ((mode & readableByAll) !== 0) return true;
  return (mode & readableByGroup) !== 0 && gid !== 0 ? own.gid === gid : own.uid === uid;
}
