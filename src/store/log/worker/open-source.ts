import type { SqlSource } from '../log-store.ts';
import { createPostgresSource } from '../postgres/store.ts';
import { openForReading } from '../sqlite/open.ts';
import { createSqliteSource } from '../sqlite/source.ts';
import type { Database } from './settings.ts';

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
