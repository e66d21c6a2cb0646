import { existsSync, globSync, readdirSync, statSync } from 'node:fs';
import { isAbsolute, join, matchesGlob, normalize, relative, resolve } from 'node:path';

/** Most files and folders that a pattern may search, and most files that it may match; far above any real folder. */
const maxVisited = 20_000;
const maxFiles = 10_000;

/** A pattern that searches too many folders, or matches too many files. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/**
 * Absolute paths that match a pattern, sorted.
 * @throws PatternError
 */
export function matchingFiles(pattern: string, folder: string): string[] {
  const found = globPaths(pattern, folder);
  if (found.length > maxFiles) throw new PatternError(`the pattern matches more than ${maxFiles} files`);
  return found.toSorted();
}

function globPaths(pattern: string, folder: string): string[] {
  let visited = 0;
  const exclude = (): boolean => {
    visited += 1;
    if (visited > maxVisited) throw new PatternError(`the pattern searches more than ${maxVisited} files and folders`);
    return false;
  };
  return globSync(pattern, { cwd: folder, exclude }).map((path) => resolve(folder, path));
}

/**
 * Folders below that of `baseFolderOf` in which a file that the pattern matches may appear, or a folder for one.
 * @throws PatternError
 */
export function matchingFolders(pattern: string, base: string): string[] {
  const parts = pattern.split('/');
  const folders: string[] = [];
  for (let end = parts.findIndex(isPattern) + 1; end < parts.length; end += 1)
    folders.push(...globPaths(parts.slice(0, end).join('/'), base).filter(isFolder));
  return folders;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // It has been deleted, or links to itself.
    return false;
  }
}

const wildcard = /[*?[\]{}()!]/;

/** True for a pattern, which can match several files. */
export const isPattern = (text: string): boolean => wildcard.test(text);

/** True for the name of a file with tests. Such files are next to the configuration, but not part of it. */
export const isTestFile = (name: string): boolean => /\.test\.ya?ml$/.test(name);

/** True if the pattern matches the absolute path. Names of folders above the base are not compared. */
export const matchesPattern = (path: string, pattern: string, base: string): boolean =>
  matchesGlob(isAbsolute(pattern) ? path : relative(base, path), normalize(pattern));

/** The deepest folder of a pattern that is not itself a pattern. */
export function baseFolderOf(pattern: string, base: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex(isPattern);
  const fixed = parts.slice(0, Math.max(0, first));
  return isAbsolute(pattern) ? join('/', ...fixed) : resolve(base, ...fixed);
}

/** A folder with "key" in its name holds the entries of `api_keys`. */
export const isKeyFolder = (pattern: string, base: string): boolean => /key/i.test(relative(base, baseFolderOf(pattern, base)));

/** True for a folder that is kept empty on purpose, marked by the usual placeholder file. */
export const isIntentionallyEmpty = (folder: string): boolean => filesIn(folder)?.length === 0 && existsSync(resolve(folder, '.gitkeep'));

/** Names in a folder, without hidden ones; undefined when the folder cannot be read. */
export function filesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .toSorted();
  } catch {
    return undefined;
  }
}
