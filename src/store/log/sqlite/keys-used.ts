import { statSync } from 'node:fs';
import { openForReading } from './open.ts';

/** When each secret was last used, by its id, in Unix milliseconds. Empty if there is no readable request log. */
export function keysUsed(path: string): ReadonlyMap<string, number> {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return new Map();
  try {
    const db = openForReading(path);
    try {
      const rows = db.prepare('SELECT key_id, at FROM keys_used').all() as { key_id: string; at: number }[];
      return new Map(rows.map(({ key_id: id, at }) => [id, at]));
    } finally {
      db.close();
    }
  } catch {
    // The file is damaged or of an earlier version. The newest records in the spool still have this information.
    return new Map();
  }
}
