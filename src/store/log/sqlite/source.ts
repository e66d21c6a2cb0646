import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { tryParseObject } from '../../../core/json/scan.ts';
import type { SqlSource, SqlValue } from '../log-store.ts';
import { toRow } from '../../../core/logs/row.ts';
import { searchTextOf } from '../../../query/match.ts';
import { frameAt, headAt, seqsIn, unpackBlock } from './blocks.ts';

/** Maximum unpacked blocks in the cache. Rows of one page are in neighboring blocks. */
const maxCachedBlocks = 8;
/** Maximum prepared statements in the cache. */
const maxCachedStatements = 32;

const views = `
CREATE TEMP VIEW records AS
  SELECT r.seq, record_at(r.block, r.start, a.amended) AS json FROM main.requests r LEFT JOIN main.amendments a ON a.seq = r.seq;
CREATE TEMP VIEW rows AS
  SELECT r.seq, row_at(r.block, r.start, a.amended) AS json FROM main.requests r LEFT JOIN main.amendments a ON a.seq = r.seq;
CREATE TEMP VIEW bodies AS
  SELECT seq, body_at(block, start, 'request') AS request, body_at(block, start, 'upstream') AS upstream,
    body_at(block, start, 'response') AS response FROM main.requests;
CREATE TEMP VIEW unindexed AS
  SELECT r.seq, words_at(r.block, r.start) AS words
  FROM main.blocks b JOIN json_each(seqs_in(b.seqs)) each JOIN main.requests r ON r.seq = each.value
  WHERE b.block > coalesce((SELECT value FROM main.marks WHERE name = 'indexed'), 0);
`;

/** Queries to a SQLite file. Closing the source closes the connection. */
export function createSqliteSource(db: DatabaseSync): SqlSource {
  const blocks = new BlockCache(db);
  db.function('record_at', (block, start, amended) => blocks.record(Number(block), Number(start), amended));
  db.function('row_at', (block, start, amended) => blocks.row(Number(block), Number(start), amended));
  db.function('body_at', (block, start, part) => blocks.body(Number(block), Number(start), String(part)));
  db.function('words_at', (block, start) => blocks.words(Number(block), Number(start)));
  db.function('seqs_in', (seqs) => JSON.stringify([...seqsIn(seqs as Uint8Array)]));
  db.exec('PRAGMA query_only = OFF');
  db.exec(views);
  const statements = new Map<string, StatementSync>();
  return {
    dialect: 'sqlite',
    all: (sql, parameters) =>
      new Promise((resolve) => {
        let statement = statements.get(sql);
        if (statement === undefined) {
          statement = db.prepare(sql);
          if (statements.size >= maxCachedStatements) statements.clear();
          statements.set(sql, statement);
        }
        resolve(statement.all(...parameters) as Record<string, SqlValue>[]);
      }),
    close: () => new Promise((resolve) => resolve(db.close())),
  };
}

class BlockCache {
  readonly #find: StatementSync;
  readonly #cache = new Map<number, Buffer>();

  constructor(db: DatabaseSync) {
    this.#find = db.prepare('SELECT bytes FROM main.blocks WHERE block = ?');
  }

  /** The record as JSON, including its amendment. */
  record(block: number, start: number, amended: unknown): string | null {
    const bytes = this.#block(block);
    const decoded = bytes === undefined ? undefined : frameAt(bytes, start);
    if (decoded?.entry.kind !== 'record') return null;
    const { record } = decoded.entry;
    const amendment = typeof amended === 'string' ? tryParseObject(amended) : undefined;
    if (amendment === undefined) return JSON.stringify(record);
    return JSON.stringify({
      ...record,
      end: amendment['end'],
      ms: { ...record.ms, total: amendment['total'] },
      bytes: { ...record.bytes, out: amendment['out'] },
    });
  }

  /** The row of a record as JSON, including its amendment. Does not read the record's messages. */
  row(block: number, start: number, amended: unknown): string | null {
    const bytes = this.#block(block);
    const decoded = bytes === undefined ? undefined : headAt(bytes, start);
    if (decoded?.entry.kind !== 'record') return null;
    const row = toRow(decoded.entry.record);
    const amendment = typeof amended === 'string' ? tryParseObject(amended) : undefined;
    return JSON.stringify(
      amendment === undefined ? row : { ...row, end: amendment['end'], latency: amendment['total'], bytes_out: amendment['out'] },
    );
  }

  body(block: number, start: number, part: string): Uint8Array | null {
    const bytes = this.#block(block);
    const decoded = bytes === undefined ? undefined : frameAt(bytes, start);
    if (decoded?.entry.kind !== 'record') return null;
    return decoded.entry.bodies[part as keyof typeof decoded.entry.bodies] ?? null;
  }

  words(block: number, start: number): string {
    const bytes = this.#block(block);
    const decoded = bytes === undefined ? undefined : headAt(bytes, start);
    return decoded?.entry.kind === 'record' ? searchTextOf(toRow(decoded.entry.record)) : '';
  }

  #block(block: number): Buffer | undefined {
    const cached = this.#cache.get(block);
    if (cached !== undefined) return cached;
    const found = this.#find.get(block) as { bytes: Uint8Array } | undefined;
    if (found === undefined) return undefined;
    if (this.#cache.size >= maxCachedBlocks) this.#cache.delete(this.#cache.keys().next().value as number);
    const bytes = unpackBlock(found.bytes);
    this.#cache.set(block, bytes);
    return bytes;
  }
}
