import {
  closeSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { EditError, type Member, setMembers } from '../../config/edit/document.ts';
import type { WrittenKey } from '../../config/edit/written.ts';
import { barePath } from '../../core/text/shown-path.ts';
import { Refusal } from '../refusal.ts';
import { shareLike, writeLike } from './owner.ts';
import { replaceFile, whyNot } from './replace-file.ts';
import { errorCode } from '../../core/text/error-code.ts';

/**
 * Writes a new file, whole or not at all; never over one that is there. Whoever reads the configuration that includes it
 * can read it, and the folder that it is in; not everybody can write there, as in `/tmp`: a key is what lets in.
 *
 * @param configPath the file with the include
 * @throws Refusal
 */
export function writeNew(path: string, text: string, configPath: string, cwd: string): void {
  guarded(path, cwd, () => {
    makeFolder(dirname(path), statSync(dirname(configPath)));
    const draft = draftOf(path);
    try {
      writeLike(draft, text, statSync(configPath), 0o664);
      giveName(draft, path);
    } finally {
      if (existsSync(draft)) unlinkSync(draft);
    }
  });
}

function giveName(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    // A file system without hard links.
    if (existsSync(path)) throw Object.assign(new Error('it exists'), { code: 'EEXIST' });
    renameSync(draft, path);
  }
}

/** Owner, group and mode as those of another folder. */
function makeFolder(path: string, like: Stats): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  // Windows has neither.
  if (process.platform === 'win32') return;
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) {
    const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      shareLike(fd, like, 0o775);
    } finally {
      closeSync(fd);
    }
  }
}

/** Sets members of a key where it is written; everything else in the file stays as it is. @throws Refusal */
export function editKey({ name, file }: WrittenKey, members: Readonly<Record<string, Member>>, cwd: string): void {
  guarded(file, cwd, () => {
    replaceFile(file, setMembers(readFileSync(file, 'utf8'), ['api_keys', name], 'hash', members), barePath(file, cwd));
  });
}

/** Beside the file, so that the last step is a rename; by a name that no include finds. */
const draftOf = (path: string): string => join(dirname(path), `.${basename(path)}.${process.pid}.draft`);

function guarded(path: string, cwd: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const name = barePath(path, cwd);
    if (error instanceof EditError) throw new Refusal('no', `${name} cannot be edited: ${error.message}`, 'Edit it by hand.');
    if (errorCode(error) === 'EEXIST') throw new Refusal('no', `${name} already exists and is not overwritten`);
    throw new Refusal('no', `${name} cannot be written (${whyNot(error)})`, 'Nothing was changed.');
  }
}
