import { isUtf8 } from 'node:buffer';
import { readRegularFile, readRegularFileLater } from '../../core/files/regular-file.ts';
import type { SavedFiles } from './merge-files.ts';
import { errorCode } from '../../core/text/error-code.ts';

/** The most that one file of a configuration may hold, in bytes: far beyond any real one. */
export const maxConfigFile = 16 * 1024 * 1024;

/** A file has bytes that are no text: what is read of it would not be what is written there. */
export class NotText extends Error {
  /** Where the first of them are, counted from 1. */
  readonly line: number;
  readonly column: number;

  /** @param text with U+FFFD in their place */
  constructor(text: string) {
    super('it is not text in UTF-8');
    const before = text.slice(0, text.indexOf('\ufffd')).split('\n');
    this.line = before.length;
    this.column = (before.at(-1)?.length ?? 0) + 1;
  }
}

/** The text of a regular file. @throws Error for `reasonOf` */
export function readText(path: string, maxBytes: number): string {
  const bytes = readRegularFile(path, maxBytes);
  const text = bytes.toString('utf8');
  if (!isUtf8(bytes)) throw new NotText(text);
  return text;
}

/** `ENOENT` and the like in words. */
export function reasonOf(error: unknown): string {
  if (error instanceof NotText) return `${error.message}: see line ${error.line}`;
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
