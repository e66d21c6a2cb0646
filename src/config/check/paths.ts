import { existsSync, lstatSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '../../core/files/folder.ts';
import { listenAddress, type ListenSetting } from '../../core/http/listen-address.ts';
import { reasonOf } from '../read/files.ts';
import { child, keyLocation, type Node, textOf, toValue } from '../read/node.ts';
import { type CheckContext, valueOf } from './context.ts';

/** Longest path of a Unix socket on the supported systems, in bytes. */
const longestSocket = 107;

/** Checks folders and sockets that a start opens. A running gateway has already opened them. */
export function checkPaths(context: CheckContext): void {
  const { root, isValid, start } = context;
  if (start.isRunning === true) return;
  for (const key of ['listen', 'probe_listen'] as const) {
    const node = child(child(root, 'server'), key);
    if (node !== undefined && isValid(['server', key]) && start.overridden?.includes(key) !== true) checkSocket(node, context);
  }
  if (isValid(['server'])) checkStateDir(context);
}

function checkSocket(node: Node, { registry, report }: CheckContext): void {
  const address = listenAddress(toValue(node) as ListenSetting);
  if (address === undefined || !('path' in address)) return;
  const at = child(node, 'unix')?.at ?? node.at;
  const path = resolve(registry.cwd, address.path);
  const bytes = Buffer.byteLength(path);
  if (bytes > longestSocket) {
    const hint = `use at most ${longestSocket}`;
    report({ code: 'out-of-range', at, message: `the path of the socket has ${bytes} bytes`, hint });
    return;
  }
  const problem = socketProblem(path);
  if (problem !== undefined) report({ code: 'unusable-path', at, ...problem });
}

/** Why a socket cannot be created at a path. */
function socketProblem(path: string): { readonly message: string; readonly hint: string } | undefined {
  const folder = dirname(path);
  try {
    if (!isFolder(folder))
      return { message: `the folder of the socket, ${folder}, does not exist`, hint: 'create it before the start, or name another path' };
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.isSocket()) return undefined;
    return { message: `${path} exists and is not a socket`, hint: 'delete it, or name another path' };
  } catch (error) {
    return { message: `the path of the socket can't be used: ${reasonOf(error)}`, hint: 'name another path' };
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Checks the state directory, but only where it is required: otherwise the gateway serves without it and reports that. */
function checkStateDir({ root, start, report }: CheckContext): void {
  const server = child(root, 'server');
  const required = child(server, 'state_dir_required');
  if (valueOf(required) !== true || start.overridden?.includes('state_dir') === true) return;
  const node = child(server, 'state_dir');
  const setting = textOf(node);
  const { path: file } = root.at.file;
  if (setting === 'memory' || (setting === undefined && file === '')) {
    const at = node?.at ?? keyLocation(root, ['server', 'state_dir_required']);
    report({
      code: 'conflict',
      at,
      message: `server.state_dir_required is set, but server.state_dir is ${setting ?? 'not'}`,
      hint: 'name a folder as state_dir',
    });
    return;
  }
  const path = resolve(file === '' ? '.' : dirname(file), setting ?? '.gateway');
  const why = unwritable(path);
  if (why === undefined) return;
  const at = node?.at ?? keyLocation(root, ['server', 'state_dir_required']);
  report({
    code: 'unusable-path',
    at,
    message: `server.state_dir ${path} can't be used: ${why}`,
    hint: 'make the folder writable, or remove state_dir_required to keep records in memory only',
  });
}

/** Why a folder cannot be written to. Only a write shows it; everything created for the test is removed. */
function unwritable(path: string): string | undefined {
  const missing = missingFolders(path);
  try {
    makeFolder(path);
    const probe = join(path, `.check-${process.pid}`);
    writeFileSync(probe, '', { flag: 'wx' });
    rmSync(probe);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    removeFolders(missing);
  }
}

/** Missing folders of a path, the deepest first. */
function missingFolders(path: string): readonly string[] {
  const missing: string[] = [];
  for (let folder = path; dirname(folder) !== folder && !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  return missing;
}

/** Removes folders, the deepest first. A folder that another process has filled in the meantime is kept. */
function removeFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}
