import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { reasonOf } from '../../config/read/files.ts';
import { errorCode } from '../../core/text/error-code.ts';
import { Refusal } from '../refusal.ts';
import { draftPath } from './draft-path.ts';
import { writeWithOwnership } from './owner.ts';
import { dirname, resolve } from 'node:path';

/**
 * Writes a file completely or not at all: a draft in the same folder, then a rename, so that a watching gateway never reads a
 * partial file. Follows links, and keeps owner and mode; a new file gets the defaults. If only root could set the file's group,
 * the file is overwritten in place.
 *
 * @param shown the path for messages
 * @param before the text that the new one was made from, null if there was no file: another writer's change is not overwritten.
 * Undefined: whatever the file contains is replaced.
 * @throws Refusal if it cannot be written; then nothing was changed
 */
export function replaceFile(path: string, text: string, shown: string, before?: string | null): void {
  const isNew = !existsSync(path);
  const file = isNew ? newFileAt(path, shown) : realpathSync(path);
  const draft = draftPath(file);
  try {
    if (before !== undefined && before !== (isNew ? null : readFileSync(file, 'utf8')))
      throw new Refusal('no', `${shown} was changed in the meantime`, 'Nothing was written. Try again.');
    if (isNew) writeDraft(draft, text);
    else writeWithOwnership(draft, text, statSync(file), 0o777);
    renameSync(draft, file);
    syncFolder(dirname(file));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (existsSync(draft)) unlinkSync(draft);
    if (errorCode(error) === 'EPERM' && !isNew && overwriteInPlace(file, text, shown)) return;
    throw new Refusal('no', `${shown} cannot be written (${writeFaultReason(error)}); nothing was changed`);
  }
}

/** The path at which a new file is created: for a link to a file that does not exist, the path that it names. */
function newFileAt(path: string, shown: string, links = 0): string {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return path;
  if (links === maxLinks) throw new Refusal('no', `${shown} cannot be written (its symbolic links form a cycle)`);
  return newFileAt(resolve(realpathSync(dirname(path)), readlinkSync(path)), shown, links + 1);
}

/** As many as Linux follows. */
const maxLinks = 40;

function writeDraft(path: string, text: string): void {
  const fd = openSync(path, 'wx');
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Writes the names in a folder to disk. Otherwise a power failure could bring the old file back, with a key that was revoked since. */
export function syncFolder(path: string): void {
  try {
    const fd = openSync(path, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Not every system can do this. The new file is in place anyway.
  }
}

/**
 * Overwrites the file in place. It is never empty in between, since an empty file would be a valid configuration without keys.
 *
 * @returns false if this is not permitted either
 * @throws Refusal if only a part was written
 */
function overwriteInPlace(file: string, text: string, shown: string): boolean {
  let fd: number;
  try {
    fd = openSync(file, 'r+');
  } catch {
    return false;
  }
  try {
    writeFileSync(fd, text);
    ftruncateSync(fd, Buffer.byteLength(text));
    fsyncSync(fd);
    return true;
  } catch (error) {
    throw new Refusal(
      'no',
      `${shown} could only be written in part (${writeFaultReason(error)})`,
      'Check the content of the file and correct it.',
    );
  } finally {
    closeSync(fd);
  }
}

/** Returns the reason why a file cannot be written, as text. */
export const writeFaultReason = (error: unknown): string => (errorCode(error) === 'ENOENT' ? 'no such directory' : reasonOf(error));
