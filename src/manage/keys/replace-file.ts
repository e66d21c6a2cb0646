import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { reasonOf } from '../../config/read/files.ts';
import { errorCode } from '../../core/text/error-code.ts';
import { Refusal } from '../refusal.ts';
import { writeLike } from './owner.ts';
import { basename, dirname, join } from 'node:path';

/**
 * Writes a file whole or not at all: a draft beside it, then a rename, so that a gateway that watches never reads half of
 * it. Links are followed, owner and mode are kept; a new file gets the usual ones. A file whose group only root can give to
 * another is written where it is.
 *
 * @param shown the path for messages
 * @throws Refusal when it can't be written; then nothing was changed
 */
export function replaceFile(path: string, text: string, shown: string): void {
  const isNew = !existsSync(path);
  const file = isNew ? path : realpathSync(path);
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}.draft`);
  try {
    if (isNew) writeDraft(draft, text);
    else writeLike(draft, text, statSync(file), 0o777);
    renameSync(draft, file);
  } catch (error) {
    if (existsSync(draft)) unlinkSync(draft);
    if (errorCode(error) === 'EPERM' && !isNew && writtenInPlace(file, text, shown)) return;
    throw new Refusal('no', `${shown} cannot be written (${whyNot(error)}); nothing was changed`);
  }
}

function writeDraft(path: string, text: string): void {
  const fd = openSync(path, 'wx');
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Never empty on the way: an empty file is a valid one without keys.
 *
 * @returns false where this is not allowed either
 * @throws Refusal where a part of it was written
 */
function writtenInPlace(file: string, text: string, shown: string): boolean {
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
    throw new Refusal('no', `${shown} could only be written in part (${whyNot(error)})`, 'Look into the file.');
  } finally {
    closeSync(fd);
  }
}

/** Why a file cannot be written, in words. */
export const whyNot = (error: unknown): string => (errorCode(error) === 'ENOENT' ? 'no such directory' : reasonOf(error));
