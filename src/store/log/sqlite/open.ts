import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { makeFolder } from '../../../core/files/folder.ts';
import { errorCode } from '../../../core/text/error-code.ts';
import { migrate } from './migrations.ts';

export const inMemory = ':memory:';

/** Milliseconds to wait for another process (`gateway keys list`), which reads for a moment. */
const busyMs = 5000;

/** Opens the file for writing, created for the owner only, at the newest version. @throws SQLite or file system errors */
export function openForWriting(path: string): DatabaseSync {
  if (path !== inMemory) {
    makeFolder(dirname(path));
    closeSync(openSync(path, 'a', 0o600));
  }
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
export function changing(db: DatabaseSync, sql: string): StatementSync {
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

/** Identifies the file at a path. A different file has a different text. Undefined if there is none. */
export function fileAt(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

/** True if the file is not a database or is corrupt. */
export function isDamage(error: unknown): boolean {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  // SQLITE_CORRUPT and SQLITE_NOTADB; the higher bits contain details.
  return typeof code === 'number' && [11, 26].includes(code % 256);
}

/**
 * Renames a damaged file and its companion files, so that they can be recovered later.
 *
 * @returns the new path
 * @throws file system errors
 */
export function setAside(path: string, now: number): string {
  const aside = `${path}.corrupt-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const suffix of ['', '-wal', '-shm']) {
    try {
      renameSync(path + suffix, aside + suffix);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
  return aside;
}
