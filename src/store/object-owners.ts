import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { ObjectOwners } from '../core/objects/owners.ts';
import { fileIdentity, isCorruptionError, renameDamagedFile } from './damage/damaged-file.ts';
import { emptyLog, hasLostTransactions } from './damage/wal.ts';

/** Maximum rows of each table: at most about 300 MB on disk. */
const maxRows = 2_000_000;
/** Number of writes between sweeps. A sweep deletes up to twice as many rows, so that the limit is reached. */
const sweepEvery = 512;

/** Milliseconds to wait for a write of another gateway in the same folder, which takes less than one. */
const busyMs = 1000;

/** A table of owners that can be closed. */
export interface OwnerTable extends ObjectOwners {
  close(): void;
}

/**
 * Opens the table of owners: one file for all gateways of a configuration on this machine, accessible to the user only.
 * SQLite creates its other files with the same permissions.
 *
 * @param path a file, or `:memory:`
 * @param limit maximum rows of each kind
 * @param onLoss called if owners cannot be recovered because their pages are damaged
 * @throws Error of the file system or of SQLite
 */
export function openOwners(path: string, limit = maxRows, onLoss?: () => void): OwnerTable {
  if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
  // Before SQLite opens the log, because it writes to one that it cannot read.
  const isIncomplete = path !== ':memory:' && hasLostTransactions(path);
  const db = new DatabaseSync(path, { timeout: busyMs });
  try {
    // A commit must survive the death of the process but not a power failure, so it need not wait for the disk.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    if (isIncomplete) {
      db.exec(emptyLog);
      onLoss?.();
    }
    const opened = fileIdentity(path);
    return new SqliteOwnerTable(db, limit, () => {
      if (fileIdentity(path) !== opened) throw new Error('the file was removed or replaced');
    });
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Called when owners are lost. */
export interface OwnerLoss {
  /** @param aside the new path of the damaged file */
  replaced(aside: string): void;
  /** The file is usable, but its last transactions cannot be read. */
  incomplete(): void;
}

/**
 * Opens the table in a file. A damaged file is renamed, and a new one created.
 *
 * @throws Error of the file system or of SQLite
 */
export function openOrReplaceOwners(path: string, now: () => number, onLoss: OwnerLoss): OwnerTable {
  const found = fileIdentity(path);
  try {
    return openOwners(path, maxRows, () => onLoss.incomplete());
  } catch (error) {
    if (!isCorruptionError(error)) throw error;
    // Another gateway on the same folder may have replaced the file in the meantime.
    if (fileIdentity(path) === found) onLoss.replaced(renameDamagedFile(path, now()));
    return openOwners(path);
  }
}

/** Keeps in memory what the file cannot store (a full disk), so that owners keep access until the process ends. */
export function withMemoryFallback(file: OwnerTable, onFault: (error: unknown) => void): OwnerTable {
  const memory = openOwners(':memory:', 10_000);
  return {
    ownerOf: (account, id) => file.ownerOf(account, id) ?? memory.ownerOf(account, id),
    bind: (account, ids, owner, isBrief) => {
      try {
        file.bind(account, ids, owner, isBrief);
      } catch (error) {
        memory.bind(account, ids, owner, isBrief);
        onFault(error);
      }
    },
    close: () => {
      file.close();
      memory.close();
    },
  };
}

class SqliteOwnerTable implements OwnerTable {
  readonly #db: DatabaseSync;
  readonly #lasting: OwnerRows;
  readonly #brief: OwnerRows;
  readonly #checkFile: () => void;

  /** @param checkFile throws if the file is not at its path any more: SQLite goes on writing to it without an error */
  constructor(db: DatabaseSync, limit: number, checkFile: () => void) {
    this.#db = db;
    this.#checkFile = checkFile;
    this.#lasting = new OwnerRows(db, 'lasting', limit);
    this.#brief = new OwnerRows(db, 'brief', limit);
  }

  ownerOf(account: string, id: string): string | undefined {
    return this.#lasting.ownerOf(account, id) ?? this.#brief.ownerOf(account, id);
  }

  bind(account: string, ids: readonly string[], owner: string, isBrief: boolean): void {
    this.#checkFile();
    const table = isBrief ? this.#brief : this.#lasting;
    for (const id of ids) if (this.ownerOf(account, id) === undefined) table.add(account, id, owner);
  }

  close(): void {
    this.#db.close();
  }
}

class OwnerRows {
  readonly #limit: number;
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #ends: StatementSync;
  readonly #deleteBefore: StatementSync;
  #added = 0;

  constructor(db: DatabaseSync, name: 'lasting' | 'brief', limit: number) {
    this.#limit = limit;
    db.exec(
      `CREATE TABLE IF NOT EXISTS ${name} (row INTEGER PRIMARY KEY, account TEXT NOT NULL, id TEXT NOT NULL, owner TEXT NOT NULL, UNIQUE (account, id))`,
    );
    this.#find = db.prepare(`SELECT owner FROM ${name} WHERE account = ? AND id = ?`);
    this.#insert = db.prepare(`INSERT OR IGNORE INTO ${name} (account, id, owner) VALUES (?, ?, ?)`);
    this.#ends = db.prepare(`SELECT min(row) AS first, max(row) AS last FROM ${name}`);
    this.#deleteBefore = db.prepare(`DELETE FROM ${name} WHERE row < ?`);
  }

  ownerOf(account: string, id: string): string | undefined {
    return this.#find.get(account, id)?.['owner'] as string | undefined;
  }

  add(account: string, id: string, owner: string): void {
    this.#insert.run(account, id, owner);
    this.#added += 1;
    if (this.#added % sweepEvery === 0) this.#sweep();
  }

  /** Row numbers only increase, and the oldest rows are deleted first, so the difference of row numbers is the row count. */
  #sweep(): void {
    const { first, last } = this.#ends.get() as { first: number; last: number };
    const excess = last - first + 1 - this.#limit;
    if (excess > 0) this.#deleteBefore.run(first + Math.min(excess, 2 * sweepEvery));
  }
}
