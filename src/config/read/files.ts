import { isUtf8 } from 'node:buffer';
import { readRegularFile, readRegularFileAsync } from '../../core/files/regular-file.ts';
import { errorCode } from '../../core/text/error-code.ts';

/** Largest file of a configuration, in bytes; far above any real one. */
export const maxConfigFile = 16 * 1024 * 1024;

/** Absolute path → text: saved files, read instead of the files on disk. */
export type SavedFiles = Readonly<Record<string, string>>;

/** A file contains bytes that are not UTF-8, so that decoding would change its content. */
export class NotUtf8Error extends Error {
  /** Position of the first invalid bytes, counted from 1. */
  readonly line: number;
  readonly column: number;

  /** @param text decoded text, with U+FFFD in place of the invalid bytes */
  constructor(text: string) {
    super('it is not text in UTF-8');
    const before = text.slice(0, text.indexOf('\ufffd')).split('\n');
    this.line = before.length;
    this.column = (before.at(-1)?.length ?? 0) + 1;
  }
}

/**
 * The text of a regular file.
 * @throws Error that `reasonOf` explains
 */
export function readText(path: string, maxBytes: number): string {
  const bytes = readRegularFile(path, maxBytes);
  const text = bytes.toString('utf8');
  if (!isUtf8(bytes)) throw new NotUtf8Error(text);
  return text;
}

/** Readable reason for a system error such as `ENOENT`. */
export function reasonOf(error: unknown): string {
  if (error instanceof NotUtf8Error) return `${error.message}: see line ${error.line}`;
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
  ERR_FS_FILE_TOO_LARGE: 'it is too large',
  ERR_STRING_TOO_LONG: 'it is too large',
  ELOOP: 'its symbolic links form a cycle',
  EMFILE: 'the process has too many open files',
  ENFILE: 'the system has too many open files',
  ENAMETOOLONG: 'a name in the path is too long',
  ERR_INVALID_ARG_VALUE: 'it contains a NUL character',
};

/**
 * True when the files still have the content that was read. A file being overwritten is empty for a moment, and an empty
 * or partial file may be valid: content read at such a moment must not be applied.
 */
export async function areUnchanged(texts: SavedFiles): Promise<boolean> {
  const same = await Promise.all(Object.entries(texts).map(async ([path, text]) => (await currentText(path)) === text));
  return same.every(Boolean);
}

async function currentText(path: string): Promise<string | undefined> {
  try {
    return (await readRegularFileAsync(path, maxConfigFile)).toString('utf8');
  } catch {
    return undefined;
  }
}
