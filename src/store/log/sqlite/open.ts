import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { makeFolder } from '../../../core/files/folder.ts';
import { migrate } from './migrations.ts';

export const inMemory = ':memory:';

/** Another process (`gateway keys list`) reads for a moment. */
const busyMs = 5000;

/** Opens the file for writing, made for the owner alone, at the newest version. @throws what SQLite or the file system says */
export function openForWriting(path: string): DatabaseSync {
  if (path !== inMemory) {
    makeFolder(dirname(path));
    closeSync(openSync(path, 'a', 0o600));
  }
  const db = new DatabaseSync(path, { timeout: busyMs });
  try {
    // Large pages: rows are appended, and blocks of records fill them. A commit survives the death of the process, not a
    // power cut, and so waits for no disk. Deleted pages are given back, a few at a time.
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
 * A statement that changes rows. What it says of them are big integers: the id of the row that was written last is part of
 * it, and what full text writes for itself has ids beyond the numbers of JavaScript, which Node 26 throws for.
 */
export function changing(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

/** Opens the file for questions: nothing that is asked can change it. */
export function openForReading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: busyMs, readOnly: true });
  db.exec('PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY; PRAGMA query_only = ON;');
  return db;
}

/** Which file there is at a path: another one has another text. Undefined where there is none. */
export function fileAt(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

/** The file is no database any more, or one that contradicts itself. */
export function isDamage(error: unknown): boolean {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  // SQLITE_CORRUPT and SQLITE_NOTADB; the higher bits say more.
  return typeof code === 'number' && [11, 26].includes(code % 256);
}

/** Moves a damaged file and what lies beside it out of the way, for whoever wants to rescue it. @returns its new path */
export function setAside(path: string, now: number): string {
  const aside = `${path}.corrupt-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const suffix of ['', '-wal', '-shm']) {
    try {
      renameSync(path + suffix, aside + suffix);
    } catch {
      // There is none.
    }
  }
  return aside;
}
