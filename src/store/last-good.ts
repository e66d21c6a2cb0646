import { statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../core/secrets/sha256.ts';
import { readRegularFile } from '../core/files/regular-file.ts';

/** The configuration files that were last in use, with references unresolved. */
export interface LastGood {
  /** Absolute path of the entry file. */
  readonly entry: string;
  /** Absolute path → text. */
  readonly files: Readonly<Record<string, string>>;
  readonly revision: string;
}

/** Maximum size of a copy, in bytes. */
const maxCopy = 256 * 1024 * 1024;

/** Saves the copy for an entry file in a state directory, readable by the owner only. Rejects with file system errors. */
export async function saveLastGood(dir: string, copy: LastGood): Promise<void> {
  const path = lastGoodPath(dir, copy.entry);
  const temporaryPath = `${path}.${process.pid}`;
  try {
    await writeFile(temporaryPath, JSON.stringify(copy), { mode: 0o600, flush: true });
    await rename(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true });
    throw error;
  }
}

/** The copy for an entry file and when it was saved, in Unix milliseconds; undefined if there is no readable copy. */
export function readLastGood(dir: string, entry: string): { readonly copy: LastGood; readonly savedAt: number } | undefined {
  try {
    const path = lastGoodPath(dir, entry);
    const copy = JSON.parse(readRegularFile(path, maxCopy).toString('utf8')) as LastGood;
    return copy.entry === entry && typeof copy.files[entry] === 'string' ? { copy, savedAt: statSync(path).mtimeMs } : undefined;
  } catch {
    return undefined;
  }
}

/** Configurations in the same folder share a state directory, so each has a copy of its own. */
function lastGoodPath(dir: string, entry: string): string {
  return join(dir, `last-good-${sha256(entry).slice(0, 8)}.json`);
}
