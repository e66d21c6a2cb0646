import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { readRegularFile } from '../core/files/regular-file.ts';
import { tryParseObject } from '../core/json/scan.ts';

/** The lock of a folder, held by this process only. */
export interface Lock {
  release(): void;
}

/** SQLite's result code for a file that another connection has locked. */
const busy = 5;

/**
 * Acquires the lock of a folder; undefined if a living process has it. The kernel holds the lock (POSIX record locks), so
 * it is released when the process ends for any reason, and it works between containers that share a volume. Node has no API
 * for such locks; SQLite uses them.
 *
 * @param path the file that names the owner; the locked file, which stays empty, is next to it
 * @throws file system errors, also if the file system has no locks
 */
export function acquireLock(path: string): Lock | undefined {
  const file = openLockedFile(`${path}.db`);
  if (file === undefined) return undefined;
  try {
    // A new file: an existing one is left over from an earlier process, and may be a link to another file.
    rmSync(path, { force: true });
    writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname() }), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    file.close();
    throw error;
  }
  return {
    release() {
      rmSync(path, { force: true });
      file.close();
    },
  };
}

/** True if a living process has the lock. Changes nothing. */
export function isLocked(path: string): boolean {
  if (!existsSync(`${path}.db`)) return false;
  const file = new DatabaseSync(`${path}.db`, { readOnly: true });
  try {
    file.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    return (error as { errcode?: unknown }).errcode === busy;
  } finally {
    file.close();
  }
}

/** Nothing else may open the locked file: the kernel releases the locks of a process when it closes any descriptor of the file. */
function openLockedFile(path: string): DatabaseSync | undefined {
  const file = new DatabaseSync(path);
  try {
    // SQLite opens a file of another user for reading only, and then locks nothing.
    accessSync(path, constants.R_OK | constants.W_OK);
    file.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return file;
  } catch (error) {
    file.close();
    if ((error as { errcode?: unknown }).errcode === busy) return undefined;
    throw error;
  }
}

/** The owner that a lock names, if it is readable. */
export function ownerOf(path: string): { readonly pid: number; readonly host: string } | undefined {
  let text: string;
  try {
    text = readRegularFile(path, 64 * 1024).toString('utf8');
  } catch {
    return undefined;
  }
  const { pid, host } = tryParseObject(text) ?? {};
  return Number.isSafeInteger(pid) && typeof host === 'string' ? { pid: pid as number, host } : undefined;
}
