import { statSync } from 'node:fs';
import { openForReading } from './open.ts';

/** When each secret was used last, by its id, in Unix milliseconds; empty where there is no request log that can be read. */
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
    // Damaged, or of a version before this was kept: the newest records in the spool tell still.
    return new Map();
  }
}
