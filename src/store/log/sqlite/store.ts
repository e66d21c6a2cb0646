import type { DatabaseSync } from 'node:sqlite';
import type { FeedbackInput } from '../../../core/logs/reader.ts';
import { toStorable } from '../../../query/text.ts';
import type { Batch, LogStore, Retention, StoreSize } from '../log-store.ts';
import { TextIndexer } from './indexer.ts';
import { prepareChange, inMemory, openForReading, openForWriting } from './open.ts';
import { countRecords, Retainer } from './retention/retainer.ts';
import { SqliteBatchWriter } from './writer.ts';

/** A request log in one file. */
export interface SqliteStore extends LogStore {
  /** For queries if there is no file that another connection could open. */
  readonly db: DatabaseSync;
}

/**
 * Opens the file, creating it if needed, at the newest version.
 *
 * @param path a file, or `:memory:`
 * @throws SQLite or file system errors
 */
export function openSqliteStore(path: string): SqliteStore {
  let warning: string | undefined;
  const db = openForWriting(path, () => {
    warning = `The write-ahead log of ${path} was damaged: records that were stored in its last transactions may be missing.`;
  });
  try {
    return new SqliteLogStore(path, db, warning);
  } catch (error) {
    db.close();
    throw error;
  }
}

class SqliteLogStore implements SqliteStore {
  readonly kind: string;
  readonly db: DatabaseSync;
  readonly warning: string | undefined;
  readonly #writer: SqliteBatchWriter;
  readonly #retainer: Retainer;
  readonly #indexer: TextIndexer;

  constructor(path: string, db: DatabaseSync, warning: string | undefined) {
    this.warning = warning;
    this.kind = path === inMemory ? 'memory' : `sqlite ${path}`;
    this.db = db;
    this.#writer = new SqliteBatchWriter(db);
    this.#retainer = new Retainer(db);
    this.#indexer = new TextIndexer(db);
  }

  positions(): Promise<ReadonlyMap<string, number>> {
    return asPromise(() => {
      const rows = this.db.prepare('SELECT segment, "offset" FROM positions').all() as { segment: string; offset: number }[];
      return new Map(rows.map(({ segment, offset }) => [segment, offset]));
    });
  }

  write(batch: Batch): Promise<void> {
    return asPromise(() => this.#retainer.added(this.#writer.write(batch)));
  }

  feedback({ id, trace_id: trace, value, weight, metadata, at }: FeedbackInput): Promise<void> {
    return asPromise(() => {
      prepareChange(
        this.db,
        `INSERT INTO feedback (id, trace, value, weight, metadata, at) VALUES (?1, ?2, ?3, coalesce(?4, -1), coalesce(?5, ''), ?6)
         ON CONFLICT (id) DO UPDATE SET
           value = iif(?6 < at, value, ?3),
           weight = iif(?6 < at AND weight >= 0, weight, coalesce(?4, weight)),
           metadata = iif(?6 < at AND metadata <> '', metadata, coalesce(?5, metadata)),
           at = max(?6, at)`,
      ).run(toStorable(id), toStorable(trace), value, weight, metadata === null ? null : JSON.stringify(metadata), at);
    });
  }

  retain(retention: Retention, now: number): Promise<boolean> {
    return asPromise(() => this.#retainer.slice(retention, now));
  }

  index(which: 'all' | 'many'): Promise<boolean> {
    return asPromise(() => this.#indexer.slice(which));
  }

  size(): Promise<StoreSize> {
    return asPromise(() => ({ ...extentOf(this.db), records: this.#retainer.records }));
  }

  close(): Promise<void> {
    return asPromise(() => this.db.close());
  }
}

function extentOf(db: DatabaseSync): Omit<StoreSize, 'records'> {
  const sql = `SELECT (SELECT min(seq) / 1000 FROM requests) AS oldest,
    c.page_count * p.page_size AS bytes FROM pragma_page_count c, pragma_page_size p`;
  return db.prepare(sql).get() as unknown as Omit<StoreSize, 'records'>;
}

/** The size of a file that cannot be opened for writing, as on a full disk; undefined if it cannot be read either. */
export function sizeOfUnwritable(path: string): StoreSize | undefined {
  let db: DatabaseSync | undefined;
  try {
    db = openForReading(path);
    return { ...extentOf(db), records: countRecords(db) };
  } catch {
    return undefined;
  } finally {
    db?.close();
  }
}

/** Converts a thrown error to a rejection. */
function asPromise<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}
