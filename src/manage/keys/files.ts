import {
  closeSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { EditError, type MemberValue, setMembers } from '../../config/edit/document.ts';
import type { WrittenKey } from '../../config/edit/written.ts';
import { barePath } from '../../core/text/display-path.ts';
import { Refusal } from '../refusal.ts';
import { draftPath } from './draft-path.ts';
import { copyOwnership, writeWithOwnership } from './owner.ts';
import { replaceFile, syncFolder, writeFaultReason } from './replace-file.ts';
import { errorCode } from '../../core/text/error-code.ts';

/**
 * Creates a new file completely or not at all; never overwrites an existing one. Every user who can read the configuration that
 * includes it can read the file and its folder. Other users never get write permission, even next to a configuration in `/tmp`,
 * because a key grants access.
 *
 * @param configPath the file with the include
 * @returns a function that undoes it
 * @throws Refusal
 */
export function writeNew(path: string, text: string, configPath: string, cwd: string): () => void {
  let made: readonly string[] = [];
  withRefusal(path, cwd, () => {
    made = makeFolders(dirname(path));
    const draft = draftPath(path);
    try {
      for (const folder of made) shareFolder(folder, statSync(dirname(configPath)));
      writeWithOwnership(draft, text, statSync(configPath), 0o664);
      publishDraft(draft, path);
      syncFolder(dirname(path));
    } finally {
      if (existsSync(draft)) unlinkSync(draft);
      // An include rejects a folder without keys, and a folder that the gateway cannot read.
      if (!existsSync(path)) removeFolders(made);
    }
  });
  return () => {
    rmSync(path, { force: true });
    removeFolders(made);
  };
}

function publishDraft(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    // The file system has no hard links.
    if (existsSync(path)) throw Object.assign(new Error('it exists'), { code: 'EEXIST' });
    renameSync(draft, path);
  }
}

/** @returns the created folders, innermost first */
function makeFolders(path: string): readonly string[] {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  const made: string[] = [];
  for (let folder = path; first !== undefined && folder.length >= first.length; folder = dirname(folder)) made.push(folder);
  return made;
}

/** @param folders innermost first; a folder to which another process has written stays */
function removeFolders(folders: readonly string[]): void {
  try {
    for (const folder of folders) rmdirSync(folder);
  } catch {
    // The remaining folders stay as created.
  }
}

/** Copies owner, group and mode of another folder. New files in it get its group (setgid). */
function shareFolder(path: string, like: Stats): void {
  // Windows has neither owners nor modes.
  if (process.platform === 'win32') return;
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    copyOwnership(fd, like, 0o2775);
  } finally {
    closeSync(fd);
  }
}

/**
 * Sets members of a key in its file; everything else in the file stays unchanged.
 *
 * @param asRead the file's text from which the members were computed; editing fails if it changed, because of two concurrent
 * rotations one would lose its secret
 * @returns a function that undoes it, unless the file was changed again
 * @throws Refusal
 */
export function editKey(
  { name, file }: WrittenKey,
  members: Readonly<Record<string, MemberValue>>,
  cwd: string,
  asRead?: string,
): () => void {
  let [before, after] = ['', ''];
  const shown = barePath(file, cwd);
  withRefusal(file, cwd, () => {
    before = asRead ?? readFileSync(file, 'utf8');
    after = setMembers(before, ['api_keys', name], 'hash', members);
    replaceFile(file, after, shown, before);
  });
  return () => replaceFile(file, before, shown, after);
}

function withRefusal(path: string, cwd: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const name = barePath(path, cwd);
    if (error instanceof EditError) {
      const place = error.line === undefined ? name : `${name}:${error.line}`;
      throw new Refusal('no', `${place} cannot be edited: ${error.message}`, 'Edit it by hand.');
    }
    if (errorCode(error) === 'EEXIST') throw new Refusal('no', `${name} already exists and is not overwritten`);
    throw new Refusal('no', `${name} cannot be written (${writeFaultReason(error)})`, 'Nothing was changed.');
  }
}
