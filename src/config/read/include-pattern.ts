import { existsSync, globSync, readdirSync } from 'node:fs';
import { relative, resolve } from 'node:path';

/** What a pattern may look at, and how many files it may name: far beyond any real folder of configurations. */
const maxLooked = 20_000;
const maxFiles = 10_000;

/** A pattern that would walk through half the disk, or fits too many files. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** The absolute paths that a pattern fits, sorted. @throws PatternError */
export function filesOf(pattern: string, folder: string): string[] {
  let looked = 0;
  const exclude = (): boolean => {
    looked += 1;
    if (looked > maxLooked) throw new PatternError(`the pattern searches more than ${maxLooked} files and folders`);
    return false;
  };
  const found = globSync(pattern, { cwd: folder, exclude });
  if (found.length > maxFiles) throw new PatternError(`the pattern matches more than ${maxFiles} files`);
  return found.map((path) => resolve(folder, path)).toSorted();
}

/** The folder of a pattern, without a slash at its end; undefined where it has none. */
export function fixedFolder(pattern: string, base: string): string | undefined {
  const whole = resolve(base, pattern);
  const slash = whole.lastIndexOf('/', whole.search(/[*?[\]{}()!]/));
  return slash < 0 ? undefined : whole.slice(0, slash);
}

/** A folder with "key" in its name holds the entries of `api_keys`. */
export function holdsKeys(pattern: string, base: string): boolean {
  const folder = fixedFolder(pattern, base);
  return folder !== undefined && /key/i.test(relative(base, folder));
}

/** True for a folder that its owner keeps although no file is in it yet, by the usual placeholder. */
export const isKeptEmpty = (folder: string): boolean => filesIn(folder)?.length === 0 && existsSync(resolve(folder, '.gitkeep'));

/** The names in a folder, hidden ones left out; undefined where there is no folder that can be read. */
export function filesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .toSorted();
  } catch {
    return undefined;
  }
}
