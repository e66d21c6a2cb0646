import { hostname } from 'node:os';
import type { LogStore, SqlSource } from '../log-store.ts';
import { createPostgresSource, openPostgresStore } from '../postgres/store.ts';
import { inMemory, openForReading } from '../sqlite/open.ts';
import { createSqliteSource } from '../sqlite/source.ts';
import { openSqliteStore } from '../sqlite/store.ts';
import type { Database } from './settings.ts';

/**
 * @param spool folder of the spool that is stored
 * @throws what the database says
 */
export async function openStore(database: Database, spool: string | undefined): Promise<LogStore> {
  switch (database.kind) {
    case 'sqlite':
      return openSqliteStore(database.path);
    case 'memory':
      return openSqliteStore(inMemory);
    case 'postgres':
      return openPostgresStore(database.url, { writer: `${hostname()}:${spool ?? ''}` });
    default:
      return database satisfies never;
  }
}

/** @throws what the database says */
export async function openSource(database: Database): Promise<SqlSource> {
  switch (database.kind) {
    case 'sqlite':
      return createSqliteSource(openForReading(database.path));
    case 'postgres':
      return createPostgresSource(database.url);
    case 'memory':
      throw new Error('a store in memory is read by its writer');
    default:
      return database satisfies never;
  }
}
