import { isUtf8 } from 'node:buffer';
import { dirname, posix, resolve } from 'node:path';
import { maxConfigFile } from '../../../config/read/files.ts';
import { printable } from '../../../core/text/printable.ts';
import { CommandError, exitCodes } from '../../command.ts';
import { type Git, GitError } from './process.ts';

/** The files of a git revision. */
export interface GitTree {
  /** Absolute path of each file, where it is in the working tree, → id of its content. */
  readonly files: ReadonlyMap<string, string>;
  /**
   * Texts of some of these files, in their order.
   * @throws CommandError
   */
  texts(paths: readonly string[]): Promise<readonly string[]>;
}

/** Most links of a chain of symbolic links that are followed. */
const maxLinks = 10;

/**
 * Reads the list of files of a revision.
 *
 * @param folder folder in the working tree, from which `git` runs
 * @param name a name for a commit: branch, tag, hash or an expression such as HEAD~2
 * @throws CommandError
 */
export async function gitTree(git: Git, folder: string, name: string): Promise<GitTree> {
  // Git would read a leading hyphen as an option.
  if (name === '' || name.startsWith('-') || printable(name) !== name)
    throw new CommandError(exitCodes.usage, `"${printable(name)}" is not a valid git revision; write git:main or git:HEAD~1`);
  const prefix = await prefixOf(git, folder);
  const commit = await commitOf(git, name);
  const list = await git(['ls-tree', '-r', '-z', '--full-tree', commit]);
  const files = new Map<string, string>();
  const links: string[] = [];
  for (const line of list.toString('utf8').split('\0')) {
    const [, mode, id, path] = /^(\d+) blob ([0-9a-f]+)\t([^]+)$/.exec(line) ?? [];
    if (id === undefined || path === undefined) continue;
    const absolute = resolve(folder, posix.relative(`/${prefix}`, `/${path}`));
    files.set(absolute, id);
    if (mode === '120000') links.push(absolute);
  }
  await followLinks(git, files, links);
  return { files, texts: async (paths) => textsOf(git, files, paths, name) };
}

/** Path of the folder in the repository: '' or ending with a slash. */
async function prefixOf(git: Git, folder: string): Promise<string> {
  try {
    return (await git(['rev-parse', '--show-prefix'])).toString('utf8').replace(/\r?\n$/, '');
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // Usual in containers of CI systems.
    const [, foreign] = /dubious ownership in repository at '(.+)'$/.exec(error.message) ?? [];
    if (foreign !== undefined)
      throw new CommandError(error.code, error.message, `Trust it: git config --global --add safe.directory ${foreign}`);
    if (!error.message.includes('not a git repository')) throw error;
    throw new CommandError(exitCodes.invalid, `${printable(folder)} is not in a git repository`);
  }
}

async function commitOf(git: Git, name: string): Promise<string> {
  try {
    return (await git(['rev-parse', '--verify', '--quiet', `${name}^{commit}`])).toString('utf8').trim();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const hint = 'A shallow clone, as CI systems make, lacks most revisions: fetch this one first.';
    throw new CommandError(exitCodes.invalid, `there is no git revision "${name}" in this repository`, hint);
  }
}

/** Gives symbolic links the content of their files, or the files of their folders. Removes those that lead out of the revision. */
async function followLinks(git: Git, files: Map<string, string>, links: readonly string[]): Promise<void> {
  const contents = await blobs(git, new Set(links.map((path) => files.get(path) ?? '')));
  const targets = new Map(links.map((path) => [path, resolve(dirname(path), String(contents.get(files.get(path) ?? '')))]));
  const ends = links.map((path) => {
    const end = endOf(path, targets);
    return { path, end, id: targets.has(end) ? undefined : files.get(end) };
  });
  for (const { path, id } of ends) {
    if (id === undefined) files.delete(path);
    else files.set(path, id);
  }
  const folders = Map.groupBy(ends, ({ end }) => end);
  // A link to the folder that contains it would go on for ever.
  const all = [...files];
  for (const [name, id] of all)
    for (let folder = dirname(name); folder !== dirname(folder); folder = dirname(folder))
      for (const { path } of folders.get(folder) ?? []) files.set(`${path}${name.slice(folder.length)}`, id);
}

/** Where a path leads. Still a link, if there are too many of them. */
function endOf(path: string, targets: ReadonlyMap<string, string>): string {
  let end = path;
  for (let left = maxLinks; left > 0; left -= 1) {
    let link = end;
    while (!targets.has(link) && link !== dirname(link)) link = dirname(link);
    end = `${targets.get(link) ?? link}${end.slice(link.length)}`;
  }
  return end;
}

async function textsOf(git: Git, files: ReadonlyMap<string, string>, paths: readonly string[], name: string): Promise<string[]> {
  const contents = await blobs(git, new Set(paths.map((path) => files.get(path) ?? '')));
  return paths.map((path) => {
    const bytes = contents.get(files.get(path) ?? '');
    const fault = bytes === undefined ? 'is missing' : bytes.length > maxConfigFile ? 'is too large' : 'is not text in UTF-8';
    if (bytes === undefined || bytes.length > maxConfigFile || !isUtf8(bytes))
      throw new CommandError(exitCodes.invalid, `the file ${printable(path)} in git revision "${name}" ${fault}`);
    return bytes.toString('utf8');
  });
}

/** Contents by id, from one process. */
async function blobs(git: Git, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  if (ids.size === 0) return found;
  const output = await git(['cat-file', '--batch'], `${[...ids].join('\n')}\n`);
  // Each is "id blob size", a line end, the content and a line end; "id missing" for one that a partial clone lacks.
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf('\n', at);
    const [id = '', kind, size] = output.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (kind !== 'blob') continue;
    found.set(id, output.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return found;
}
