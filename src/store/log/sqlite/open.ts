import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { makeFolder } from '../../../core/files/folder.ts';
import { migrate } from './migrations.ts';
import { emptyLog, hasLostTransactions } from '../../damage/wal.ts';

export const inMemory = ':memory:';

/** Milliseconds to wait for another process (`gateway keys list`), which reads for a moment. */
const busyMs = 5000;

/**
 * Opens the file for writing, created for the owner only, at the newest version.
 *
 * @param onLoss called if transactions cannot be recovered because their pages are damaged
 * @throws SQLite or file system errors
 */
export function openForWriting(path: string, onLoss?: () => void): DatabaseSync {
  if (path !== inMemory) {
    makeFolder(dirname(path));
    closeSync(openSync(path, 'a', 0o600));
  }
  // Before SQLite opens the log, because it writes to one that it cannot read.
  const isIncomplete = path !== inMemory && hasLostTransactions(path);
  if (isIncomplete) onLoss?.();
  const db = new DatabaseSync(path, { timeout: busyMs });
  try {
    // Large pages, because rows are appended and blocks of records fill them. A commit must survive the death of the
    // process but not a power failure, so it does not wait for the disk. Deleted pages are returned to the file system, a
    // few at a time.
    db.exec(`
      PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      PRAGMA cache_size = -8000; PRAGMA journal_size_limit = 16777216; PRAGMA trusted_schema = OFF;
    `);
    if (isIncomplete) db.exec(emptyLog);
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Prepares a statement that changes rows. Its result has big integers, because it contains the id of the last written
 * row, and the ids of the full-text tables exceed JavaScript's exact integers, for which Node 26 throws.
 */
export function prepareChange(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

/** Opens the file for queries, which cannot change it. */
export function openForReading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: busyMs, readOnly: true });
  db.exec('PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY; PRAGMA query_only = ON;');
  return db;
}
