import { dirname } from 'node:path';
import { silentContext } from '../../../config/read/references.ts';
import type { SavedFiles } from '../../../config/read/files.ts';
import { mergeFiles } from '../../../config/read/merge-files.ts';
import { printable } from '../../../core/text/printable.ts';
import { CommandError, exitCodes } from '../../command.ts';
import type { CliIo } from '../../io.ts';
import { gitIn } from './process.ts';
import { gitTree } from './tree.ts';

/** Most files of one configuration; far above any real one. */
const maxFiles = 10_000;

/** A valid file without entries, in place of one that is not read yet. */
const unread = '#\n';

/**
 * A configuration as it is in a git revision: the main file, and the files that it includes there.
 *
 * @param path absolute path of the main file in the working tree
 * @throws CommandError
 */
export async function savedInGit(path: string, name: string, io: CliIo): Promise<SavedFiles> {
  const tree = await gitTree(gitIn(dirname(path), io), dirname(path), name);
  if (!tree.files.has(path)) throw new CommandError(exitCodes.invalid, `git revision "${name}" has no file ${printable(path)}`);
  const all: Record<string, string> = Object.fromEntries([...tree.files.keys()].map((one) => [one, unread]));
  const read = new Set<string>();
  // What a file includes is known when it is read.
  for (let wanted = [path]; wanted.length > 0; wanted = includedBy(path, all, io).filter((one) => !read.has(one))) {
    if (read.size + wanted.length > maxFiles)
      throw new CommandError(exitCodes.invalid, `the configuration has more than ${maxFiles} files`);
    const texts = await tree.texts(wanted);
    for (const [index, one] of wanted.entries()) {
      all[one] = texts[index] ?? '';
      read.add(one);
    }
  }
  return Object.fromEntries([...read].map((one) => [one, all[one] ?? '']));
}

/** All files of a configuration, as loading it finds them. */
const includedBy = (path: string, saved: SavedFiles, io: CliIo): string[] =>
  Object.keys(mergeFiles({ path }, silentContext(io), saved).texts);
