import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { unpackBlock } from '../../src/store/log/sqlite/blocks.ts';

/** The complete content of a SQLite file by table, decompressed. */
export function dumpSqlite(path: string): Map<string, string> {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
    return new Map(tables.map(({ name }) => [name, db.prepare(`SELECT * FROM "${name}"`).all().map(textOf).join('\n')]));
  } finally {
    db.close();
  }
}

/** The complete content of a Postgres database by table. */
export async function dumpPostgres(url: string): Promise<Map<string, string>> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'");
    const dump = new Map<string, string>();
    for (const { name } of tables.rows) {
      const { rows } = await client.query<Record<string, unknown>>(`SELECT * FROM "${name}"`);
      dump.set(name, rows.map(textOf).join('\n'));
    }
    return dump;
  } finally {
    await client.end();
  }
}

const textOf = (row: object): string =>
  Object.values(row)
    .map((value) => (value instanceof Uint8Array ? unpackBlock(value).toString('latin1') : String(value)))
    .join('|');
