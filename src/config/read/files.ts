import { readRegularFile, readRegularFileLater } from '../../core/files/regular-file.ts';
import type { SavedFiles } from './merge-files.ts';
import { errorCode } from '../../core/text/error-code.ts';

/** The most that one file of a configuration may hold, in bytes: far beyond any real one. */
export const maxConfigFile = 16 * 1024 * 1024;

/** The text of a regular file. @throws Error for `reasonOf` */
export function readText(path: string, maxBytes: number): string {
  return readRegularFile(path, maxBytes).toString('utf8');
}

/** `ENOENT` and the like in words. */
export function reasonOf(error: unknown): string {
  const code = errorCode(error);
  return reasons[code] ?? (code === '' ? 'unknown error' : code);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'not allowed',
  EPERM: 'not allowed',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on device',
  EISDIR: 'it is a directory',
  ENOTDIR: 'no such directory',
  ENOTREG: 'it is a pipe, a socket or a device; only regular files are read',
  EFBIG: 'it is too large',
  ELOOP: 'its symbolic links form a cycle',
  EMFILE: 'the process has too many open files',
  ENFILE: 'the system has too many open files',
};

/**
 * True when the files hold what was read of them. A file that is written over is empty for a moment, and an empty or
 * half file may be a valid one: what was read in such a moment must not serve.
 */
export async function areSettled(texts: SavedFiles): Promise<boolean> {
  const same = await Promise.all(Object.entries(texts).map(async ([path, text]) => (await textNow(path)) === text));
  return same.every(Boolean);
}

async function textNow(path: string): Promise<string | undefined> {
  try {
    return (await readRegularFileLater(path, maxConfigFile)).toString('utf8');
  } catch {
    return undefined;
  }
}
