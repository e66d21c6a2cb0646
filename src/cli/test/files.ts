import { readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { matchingFiles, isPattern, isTestFile, PatternError } from '../../config/read/include-pattern.ts';
import { reasonOf } from '../../config/read/files.ts';
import { CommandError, exitCodes } from '../command.ts';
import type { CliIo } from '../io.ts';

/** Most files of one run. */
const maxFiles = 2000;

/**
 * The test files that the arguments name, without duplicates. A folder means all test files below it.
 *
 * @param configFiles files of the configuration: without arguments, the test files in their folders
 * @throws CommandError
 */
export function testFiles(named: readonly string[], configFiles: readonly string[], { cwd }: Pick<CliIo, 'cwd'>): readonly string[] {
  const found = named.length === 0 ? testFilesBeside(configFiles, cwd) : named.flatMap((one) => filesNamed(one, cwd));
  const files = [...new Set(found)];
  if (files.length > maxFiles) throw new CommandError(exitCodes.usage, `there are more than ${maxFiles} test files`, 'name fewer of them');
  return files;
}

const testFilesBeside = (configFiles: readonly string[], cwd: string): readonly string[] =>
  [...new Set(configFiles.length === 0 ? [cwd] : configFiles.map((path) => dirname(path)))]
    .flatMap((folder) => asUsageError(folder, () => filesIn(folder, false)))
    .toSorted();

function filesNamed(named: string, cwd: string): readonly string[] {
  const path = resolve(cwd, named);
  const kind = asUsageError(named, () => kindOf(path));
  if (kind === 'file') return [path];
  if (kind === 'folder') return asUsageError(named, () => filesIn(path, true)).toSorted();
  if (!isPattern(named)) throw new CommandError(exitCodes.usage, `there is no file "${named}"`);
  try {
    return matchingFiles(named, cwd).filter((one) => kindOf(one) === 'file');
  } catch (error) {
    if (error instanceof PatternError) throw new CommandError(exitCodes.usage, error.message);
    throw error;
  }
}

/** @throws CommandError */
function asUsageError<T>(named: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new CommandError(exitCodes.usage, `${named} cannot be read (${reasonOf(error)})`);
  }
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : stats.isDirectory() ? 'folder' : 'file';
}

/** Hidden folders and installed packages are not searched. */
function filesIn(folder: string, isDeep: boolean): readonly string[] {
  const found: string[] = [];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined && found.length <= maxFiles; next = folders.pop()) {
    for (const entry of readdirSync(next, { withFileTypes: true })) {
      const path = join(next, entry.name);
      if (entry.isDirectory() && isDeep && !entry.name.startsWith('.') && entry.name !== 'node_modules') folders.push(path);
      else if (!entry.isDirectory() && isTestFile(entry.name)) found.push(path);
    }
  }
  return found;
}
