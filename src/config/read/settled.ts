import { readRegularFileLater } from '../../core/files/regular-file.ts';
import { maxConfigFile } from './files.ts';
import type { SavedFiles } from './merge-files.ts';

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
