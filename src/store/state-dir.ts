import { accessSync, constants, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '../core/files/folder.ts';
import { type Lock, ownerOf, acquireLock } from './lock.ts';
import { errorCode } from '../core/text/error-code.ts';

/** Where this process stores data that outlives it. */
export type StateDir =
  | {
      readonly kind: 'disk';
      /** Absolute path. This process has exclusive use of it while it holds the lock. */
      readonly path: string;
      /** Logged once at start: another gateway uses the configured folder itself. */
      readonly warning: string | undefined;
      /** Releases the folder. Called once, at the end. */
      release(): void;
    }
  | { readonly kind: 'memory'; readonly warning: string | undefined };

export interface StateDirRequest {
  /** `server.state_dir` or the flag: a path, `memory`, or undefined for the default. */
  readonly setting: string | undefined;
  /** The loaded configuration file; undefined if there is none. */
  readonly configPath: string | undefined;
  readonly cwd: string;
  /** `server.state_dir_required`: the gateway must not start without the folder. */
  readonly isRequired?: boolean | undefined;
  /** `server.state_dir_shared`: a further gateway uses a subfolder of its own. */
  readonly isShared?: boolean | undefined;
}

/** The folder is required and cannot be used, so the gateway must not start. */
export class StateDirError extends Error {
  override readonly name = 'StateDirError';
}

/** What to do about `StateDirLocked`. */
export const lockedHint =
  'Stop it, or set another server.state_dir for this gateway. With server.state_dir_shared: true, each gateway uses its own sub-folder.';

/** Another running gateway uses the folder. */
export class StateDirLocked extends Error {
  override readonly name = 'StateDirLocked';

  constructor(path: string, owner: ReturnType<typeof ownerOf>) {
    const who = owner === undefined ? 'Another gateway' : `Another gateway (pid ${owner.pid} on ${owner.host})`;
    super(`${who} uses the state directory ${path}.`);
  }
}

const defaultStateDir = '.gateway';

/** Names in a state directory: the folder of records that are not stored yet, and the database file that stores them. */
export const spoolFolder = 'spool';
export const logFile = 'log.sqlite';
/** Names the gateway that uses the folder. */
export const lockFile = 'lock';

/** Maximum gateways that share a folder. More are a mistake. */
const maxInstances = 64;

/**
 * Opens and locks the state directory. By default it is `.gateway/` next to the configuration file; without a file,
 * memory is used. If the folder cannot be written (read-only, full), memory is used, with a warning.
 *
 * @throws StateDirLocked if another gateway uses the folder and it is not shared
 * @throws StateDirError if the folder is required and cannot be used
 */
export function openStateDir(request: StateDirRequest): StateDir {
  const path = stateDirPath(request);
  if (path === undefined) {
    if (request.isRequired === true) throw new StateDirError('server.state_dir is required, but nothing is kept on disk');
    return { kind: 'memory', warning: undefined };
  }
  try {
    return lockStateDir(path, request.isShared === true);
  } catch (error) {
    if (error instanceof StateDirLocked) throw error;
    const why = (error as Error).message;
    if (request.isRequired === true) throw new StateDirError(`server.state_dir ${path} can't be used: ${why}`, { cause: error });
    return { kind: 'memory', warning: `${path} can't be used, records are kept in memory only: ${why}` };
  }
}

/** Path of the folder that all gateways of one configuration share; undefined for memory. Opens nothing. */
export function stateDirPath({ setting, configPath, cwd }: StateDirRequest): string | undefined {
  if (setting === 'memory' || (setting === undefined && configPath === undefined)) return undefined;
  const base = configPath === undefined ? cwd : dirname(resolve(cwd, configPath));
  return resolve(base, setting ?? defaultStateDir);
}

function lockStateDir(path: string, isShared: boolean): StateDir {
  prepareFolder(path);
  const lockPath = join(path, lockFile);
  const lock = acquireLock(lockPath);
  if (lock !== undefined) return diskState(path, lock, undefined);
  if (!isShared) throw new StateDirLocked(path, ownerOf(lockPath));
  for (let n = 2; n <= maxInstances; n += 1) {
    const folder = join(path, `instance-${n}`);
    prepareFolder(folder);
    const instanceLock = acquireLock(join(folder, lockFile));
    if (instanceLock !== undefined) return diskState(folder, instanceLock, `another gateway uses ${path}, this one uses ${folder}`);
  }
  throw new Error(`${maxInstances} gateways use ${path} already`);
}

function diskState(path: string, lock: Lock, warning: string | undefined): StateDir {
  return { kind: 'disk', path, warning, release: () => lock.release() };
}

/** What is in the folder may have another owner, if the gateway ran as another user before. */
function checkAccess(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** Creates the folder for the owner only, and excludes it from version control regardless of the project's ignore file. */
function prepareFolder(path: string): void {
  makeFolder(path);
  accessSync(path, constants.W_OK | constants.X_OK);
  // Create the request log's folder now, to detect early that a file has its name or that there is no space for it.
  makeFolder(join(path, spoolFolder));
  for (const name of [spoolFolder, logFile]) checkAccess(join(path, name));
  try {
    writeFileSync(join(path, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}
