import { globSync } from 'node:fs';
import { resolve } from 'node:path';

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
    if (looked > maxLooked) throw new PatternError(`the pattern looks at more than ${maxLooked} files and folders`);
    return false;
  };
  const found = globSync(pattern, { cwd: folder, exclude });
  if (found.length > maxFiles) throw new PatternError(`the pattern fits more than ${maxFiles} files`);
  return found.map((path) => resolve(folder, path)).toSorted();
}
