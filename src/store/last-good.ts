import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile } from '../core/files/regular-file.ts';

/** The files of the configuration that served last, as they were there: references unresolved. */
export interface LastGood {
  /** Absolute path of the entry file. */
  readonly entry: string;
  /** Absolute path → text. */
  readonly files: Readonly<Record<string, string>>;
  readonly revision: string;
}

/** The most that a copy may hold, in bytes. */
const maxCopy = 256 * 1024 * 1024;

/** Keeps the copy of an entry file in a state directory, for the owner alone. Rejects when the disk does. */
export async function saveLastGood(dir: string, copy: LastGood): Promise<void> {
  const path = pathIn(dir, copy.entry);
  const half = `${path}.${process.pid}`;
  try {
    await writeFile(half, JSON.stringify(copy), { mode: 0o600, flush: true });
    await rename(half, path);
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
}

/** The copy of an entry file and when it was saved, in Unix milliseconds; undefined when there is none that can be read. */
export function readLastGood(dir: string, entry: string): { readonly copy: LastGood; readonly savedAt: number } | undefined {
  try {
    const path = pathIn(dir, entry);
    const copy = JSON.parse(readRegularFile(path, maxCopy).toString('utf8')) as LastGood;
    return copy.entry === entry && typeof copy.files[entry] === 'string' ? { copy, savedAt: statSync(path).mtimeMs } : undefined;
  } catch {
    return undefined;
  }
}

/** Configurations that share a folder, and so the state directory, keep a copy each. */
function pathIn(dir: string, entry: string): string {
  return join(dir, `last-good-${createHash('sha256').update(entry).digest('hex').slice(0, 8)}.json`);
}
