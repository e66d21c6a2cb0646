import { hostname } from 'node:os';
import type { LogStore } from '../log-store.ts';
import { openPostgresStore } from '../postgres/store.ts';
import { inMemory } from '../sqlite/open.ts';
import { openSqliteStore } from '../sqlite/store.ts';
import type { LogDatabase } from './settings.ts';

/**
 * @param spool folder of the spool that is stored
 * @throws database errors
 */
export async function openStore(database: LogDatabase, spool: string | undefined): Promise<LogStore> {
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
