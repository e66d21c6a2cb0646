import { readRegularFile } from '../../core/files/regular-file.ts';

/** The most that one file of a configuration may hold, in bytes: far beyond any real one. */
export const maxConfigFile = 16 * 1024 * 1024;

/** The text of a regular file. @throws Error for `reasonOf` */
export function readText(path: string, maxBytes: number): string {
  return readRegularFile(path, maxBytes).toString('utf8');
}

/** `ENOENT` and the like in words. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? (code === '' ? 'unknown error' : code);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'not allowed',
  EISDIR: 'it is a directory',
  ENOTDIR: 'no such directory',
  ENOTREG: 'it is a pipe, a socket or a device; only regular files are read',
  EFBIG: 'it is too large',
  ELOOP: 'its symbolic links form a cycle',
  EMFILE: 'the process has too many open files',
  ENFILE: 'the system has too many open files',
};
