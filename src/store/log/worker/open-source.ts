import type { SqlSource } from '../log-store.ts';
import { createPostgresSource } from '../postgres/store.ts';
import { openForReading } from '../sqlite/open.ts';
import { createSqliteSource } from '../sqlite/source.ts';
import type { LogDatabase } from './settings.ts';

/**
 * @param timeLeft remaining milliseconds of the current query
 * @throws database errors
 */
export async function openSource(database: LogDatabase, timeLeft: () => number): Promise<SqlSource> {
  switch (database.kind) {
    case 'sqlite':
      return sqliteSource(database.path);
    case 'postgres':
      return createPostgresSource(database.url, { timeLeft });
    case 'memory':
      throw new Error('a store in memory is read by its writer');
    default:
      return database satisfies never;
  }
}

function sqliteSource(path: string): SqlSource {
  const db = openForReading(path);
  try {
    return createSqliteSource(db);
  } catch (error) {
    // Damaged, or without its tables yet. Close it, because each query would open another connection.
    db.close();
    throw error;
  }
}
