import { errorCode } from '../../../core/text/error-code.ts';
import { postgresTokens } from '../../../query/sql/words.ts';
import { bucketCounts, bucketTimes, type Column, requestColumns } from '../schema.ts';
import type { PostgresClient, PostgresSession } from './client.ts';
import { locks } from './locks.ts';

// Texts are compared by bytes, as in the rest of the gateway. An index can then also find prefixes.
const types: Readonly<Record<Column['type'], string>> = {
  text: 'text COLLATE "C"',
  integer: 'bigint',
  real: 'double precision',
  boolean: 'boolean',
  money: 'bigint',
};

const columnOf = ({ name, type, isNullable }: Column): string => `"${name}" ${types[type]}${isNullable ? '' : ' NOT NULL'}`;

/** Columns of the first version, in its order. */
const firstColumns = requestColumns.filter(({ name }) => !['retries', 'span_name', 'reason'].includes(name));

/** Tables with a partition for each day. */
export const dailyTables = ['requests', 'records', 'bodies', 'tags'] as const;

/** Each step is applied once, in this order, and must never be changed, because databases of every earlier version exist. */
const migrations: readonly string[] = [
  `
CREATE TABLE requests (seq bigint PRIMARY KEY, ${firstColumns.map(columnOf).join(', ')}, words text COLLATE "C" NOT NULL) PARTITION BY RANGE (seq);
CREATE INDEX requests_id ON requests (id);
CREATE INDEX requests_trace ON requests (trace);
CREATE INDEX requests_failed ON requests (seq) WHERE status >= 400;
CREATE INDEX requests_model ON requests (model, seq);
CREATE INDEX requests_key ON requests (key, seq);
CREATE INDEX requests_config ON requests (config, seq);
CREATE INDEX requests_words ON requests USING gin ((${postgresTokens('words')}));
CREATE TABLE records (seq bigint PRIMARY KEY, json text NOT NULL) PARTITION BY RANGE (seq);
CREATE TABLE bodies (seq bigint PRIMARY KEY, request bytea, upstream bytea, response bytea) PARTITION BY RANGE (seq);
CREATE TABLE tags (
  kind text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL, seq bigint NOT NULL,
  PRIMARY KEY (kind, name, value, seq)
) PARTITION BY RANGE (seq);
CREATE TABLE buckets (
  dim text COLLATE "C" NOT NULL, minute bigint NOT NULL, name text COLLATE "C" NOT NULL, writer text COLLATE "C" NOT NULL,
  ${bucketCounts.map((name) => `${name} bigint NOT NULL`).join(', ')}, ${bucketTimes.map((name) => `${name} text NOT NULL`).join(', ')},
  PRIMARY KEY (dim, minute, name, writer)
);
CREATE TABLE feedback (
  id text PRIMARY KEY, trace text COLLATE "C" NOT NULL, value double precision NOT NULL, weight double precision NOT NULL,
  metadata text NOT NULL, at bigint NOT NULL
);
CREATE INDEX feedback_trace ON feedback (trace);
CREATE TABLE positions (writer text NOT NULL, segment text NOT NULL, "offset" bigint NOT NULL, PRIMARY KEY (writer, segment));
CREATE TABLE marks (name text PRIMARY KEY, value bigint NOT NULL);
`,
  // Retries used to be all attempts after the first. For existing rows it is known only whether they moved to another
  // target, not how often. The default is for gateways of an earlier version that still write.
  `
ALTER TABLE requests ADD COLUMN retries bigint NOT NULL DEFAULT 0;
UPDATE requests SET retries = attempts - 1 - fallback::int WHERE attempts > 1;
UPDATE buckets SET retries = greatest(0, retries - fallbacks) WHERE retries > 0;
`,
  // Null for existing rows: lists show the names from their records, but filters do not find them.
  'ALTER TABLE requests ADD COLUMN span_name text COLLATE "C"',
  // The last use of each secret, independent of how long records are kept. For existing records it is taken from the
  // newest record of each key, found through the index on keys: a statement that reads all rows of a large log would
  // exceed its timeout.
  `
CREATE TABLE keys_used (key_id text COLLATE "C" NOT NULL, writer text NOT NULL, at bigint NOT NULL, PRIMARY KEY (key_id, writer));
INSERT INTO keys_used WITH RECURSIVE newest AS (
  (SELECT key, seq FROM requests WHERE key IS NOT NULL ORDER BY key DESC, seq DESC LIMIT 1)
  UNION ALL
  SELECT r.* FROM newest, LATERAL (SELECT key, seq FROM requests WHERE key < newest.key ORDER BY key DESC, seq DESC LIMIT 1) AS r
) SELECT id, '', max(at) FROM (
  SELECT substring(c.json FROM '"key_id":"([0-9a-f]+)"') AS id, c.seq / 1000 AS at FROM newest n JOIN records c ON c.seq = n.seq
) AS secrets WHERE id IS NOT NULL GROUP BY id
`,
  // Null for existing rows, whose minutes did not count it either.
  'ALTER TABLE requests ADD COLUMN reason text COLLATE "C"',
  // What each key spends, independent of how long records are kept. Before this version it is known as far as figures are
  // kept, for the keys that they count by name. The index finds the rows to merge.
  `
CREATE TABLE spending (
  day bigint NOT NULL, key text COLLATE "C" NOT NULL, writer text COLLATE "C" NOT NULL, cost bigint NOT NULL, unpriced bigint NOT NULL,
  PRIMARY KEY (day, key, writer)
);
CREATE INDEX spending_unmerged ON spending (day) WHERE writer <> '';
INSERT INTO spending (day, key, writer, cost, unpriced)
  SELECT minute / 1440, CASE WHEN ltrim(name, '~') = 'other' THEN substr(name, 2) ELSE name END, '',
    least(greatest(sum(cost), -9223372036854775807), 9223372036854775807), sum(unpriced)
  FROM buckets WHERE dim = 'key' AND name NOT IN ('', 'other') AND (cost <> 0 OR unpriced > 0) GROUP BY 1, 2
`,
];

/** SQLSTATE for a missing table. */
const noTable = '42P01';

/** A database that has been migrated before. */
export interface FoundLog {
  readonly isCurrentVersion: boolean;
  readonly encoding: string;
}

/** Undefined for a database without a request log. */
export async function findLog(client: PostgresClient): Promise<FoundLog | undefined> {
  try {
    const [found] = await client.query(`SELECT max(version) AS version, ${encodingOfServer} FROM log_version`);
    return { isCurrentVersion: Number(found?.version ?? 0) === migrations.length, encoding: String(found?.encoding) };
  } catch (error) {
    if (errorCode(error) === noTable) return undefined;
    throw error;
  }
}

/**
 * Migrates a database to the newest version: one gateway at a time, all steps in one transaction.
 *
 * @throws Error for a database of a later version of the gateway, which this one would damage
 */
export async function migrate(client: PostgresClient): Promise<void> {
  await client.transaction(async (session) => {
    await session.query('SET LOCAL lock_timeout = 0');
    await session.query(`SELECT pg_advisory_xact_lock(${locks.space}, ${locks.migrate})`);
    await session.query('CREATE TABLE IF NOT EXISTS log_version (version integer NOT NULL)');
    const [found] = await session.query('SELECT max(version) AS version FROM log_version');
    const version = Number(found?.version ?? 0);
    if (version === 0) await checkEncoding(session);
    if (version > migrations.length) {
      throw new Error(`the request log has version ${version}, and this gateway supports versions up to ${migrations.length}`);
    }
    for (const [index, step] of migrations.entries()) {
      if (index < version) continue;
      await session.query(step);
      await session.query('INSERT INTO log_version (version) VALUES ($1)', [index + 1]);
    }
  });
}

const encodingOfServer = "current_setting('server_encoding') AS encoding";

/** False for an encoding that lacks characters. The server rejects each record that contains one, and it is lost. */
export const isCompleteEncoding = (encoding: string): boolean => encoding === 'UTF8' || encoding === 'SQL_ASCII';

async function checkEncoding(session: PostgresSession): Promise<void> {
  const [found] = await session.query(`SELECT ${encodingOfServer}`);
  const encoding = String(found?.encoding);
  if (!isCompleteEncoding(encoding)) throw new Error(`the database has the encoding ${encoding}: create one with ENCODING UTF8`);
}
