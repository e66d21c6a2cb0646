import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../../core/files/regular-file.ts';
import { errorCode } from '../../core/text/error-code.ts';

/** File in the state directory that lets programs of the same user sign in. */
const tokenFile = 'admin-token';

const tokenPattern = /^[\w-]{16,256}$/;

/** Returns the token in a state directory; undefined if there is no readable one. */
export function readToken(dir: string): string | undefined {
  try {
    const text = readRegularFile(join(dir, tokenFile), 1024).toString('utf8').trim();
    return tokenPattern.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the token of a state directory. Creates it if necessary, readable by the owner only. @throws Error of the file system */
export function ensureToken(dir: string): string {
  const path = join(dir, tokenFile);
  const found = readToken(dir);
  if (found !== undefined) {
    chmodSync(path, 0o600);
    return found;
  }
  const token = randomBytes(32).toString('base64url');
  const write = (): void => writeFileSync(path, `${token}\n`, { mode: 0o600, flag: 'wx' });
  try {
    write();
    return token;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  // A gateway that shares the folder may have been faster.
  const theirs = readToken(dir);
  if (theirs !== undefined) return theirs;
  // The file exists but is empty or damaged, for example after a full disk. It may be a symbolic link, whose target must not be written.
  rmSync(path, { force: true });
  write();
  return token;
}
