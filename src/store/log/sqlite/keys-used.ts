import { accessSync, constants } from 'node:fs';
import { openForReading } from './open.ts';

/**
 * When each secret was last used, by its id, in Unix milliseconds.
 * @throws SQLite errors (a damaged file, or one of an earlier version) or file system errors; `ENOENT` if there is no file
 */
export function keysUsed(path: string): ReadonlyMap<string, number> {
  // SQLite's error does not contain the reason why a file cannot be opened.
  accessSync(path, constants.R_OK);
  const db = openForReading(path);
  try {
    const rows = db.prepare('SELECT key_id, at FROM keys_used').all() as { key_id: string; at: number }[];
    return new Map(rows.map(({ key_id: id, at }) => [id, at]));
  } finally {
    db.close();
  }
}
