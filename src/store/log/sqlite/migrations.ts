import type { DatabaseSync } from 'node:sqlite';

/**
 * There is no index on values in random order (a trace id, a metadata value): each record would change a separate page,
 * which costs more than everything else. Scanning a million narrow rows takes a fraction of a second.
 *
 * Each step is applied once, in this order, and must never be changed, because files of every earlier version exist.
 */
export const migrations: readonly string[] = [
  `
CREATE TABLE requests (
  seq INTEGER PRIMARY KEY,
  block INTEGER NOT NULL,
  start INTEGER NOT NULL,
  id TEXT NOT NULL,
  trace TEXT NOT NULL,
  span TEXT,
  status INTEGER NOT NULL,
  "end" TEXT NOT NULL,
  error TEXT,
  config TEXT,
  provider TEXT,
  model TEXT,
  key TEXT,
  virtual_key TEXT,
  endpoint TEXT NOT NULL,
  stream INTEGER NOT NULL,
  finish TEXT,
  cache TEXT NOT NULL,
  fallback INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  latency REAL NOT NULL,
  ttft REAL,
  overhead REAL NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  tokens_cached INTEGER NOT NULL,
  cost INTEGER,
  guardrail TEXT,
  prompt TEXT,
  revision TEXT NOT NULL,
  upstream_id TEXT,
  agent TEXT,
  at INTEGER GENERATED ALWAYS AS (seq / 1000) VIRTUAL
);
CREATE UNIQUE INDEX requests_id ON requests (id);
CREATE INDEX requests_failed ON requests (seq) WHERE status >= 400;
CREATE TABLE blocks (
  block INTEGER PRIMARY KEY,
  newest INTEGER NOT NULL,
  seqs BLOB NOT NULL,
  bytes BLOB NOT NULL
);
CREATE TABLE amendments (seq INTEGER PRIMARY KEY, amended TEXT NOT NULL);
CREATE TABLE tags (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (seq, kind, name)
) WITHOUT ROWID;
CREATE TABLE buckets (
  dim TEXT NOT NULL,
  minute INTEGER NOT NULL,
  name TEXT NOT NULL,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  fallbacks INTEGER NOT NULL,
  retries INTEGER NOT NULL,
  cache_hits INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  tokens_cached INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  unpriced INTEGER NOT NULL,
  latency TEXT NOT NULL,
  ttft TEXT NOT NULL,
  overhead TEXT NOT NULL,
  PRIMARY KEY (dim, minute, name)
) WITHOUT ROWID;
CREATE TABLE feedback (
  id TEXT PRIMARY KEY,
  trace TEXT NOT NULL,
  value REAL NOT NULL,
  weight REAL NOT NULL,
  metadata TEXT NOT NULL,
  at INTEGER NOT NULL
);
CREATE INDEX feedback_trace ON feedback (trace);
CREATE TABLE positions (segment TEXT PRIMARY KEY, "offset" INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE marks (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE texts USING fts5 (words, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '.'");
`,
  // The last use of each secret, independent of how long records are kept.
  'CREATE TABLE keys_used (key_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;',
  // Retries used to be all attempts after the first. For existing rows it is known only whether they moved to another
  // target, not how often.
  `
ALTER TABLE requests ADD COLUMN retries INTEGER NOT NULL DEFAULT 0;
UPDATE requests SET retries = attempts - 1 - fallback WHERE attempts > 1;
UPDATE buckets SET retries = max(0, retries - fallbacks) WHERE retries > 0;
`,
  // Null for existing rows: lists show the names from their records, but filters do not find them.
  'ALTER TABLE requests ADD COLUMN span_name TEXT;',
  // A record that arrived late, or with a wrong clock, has another age than its block.
  'CREATE INDEX blocks_newest ON blocks (newest);',
  // Null for existing rows, whose minutes did not count it either.
  'ALTER TABLE requests ADD COLUMN reason TEXT;',
  // What each key spends, independent of how long records are kept. Before this version it is known as far as figures are
  // kept, for the keys that they count by name. A sum beyond an integer becomes a real number, which the cast limits.
  `
CREATE TABLE spending (
  day INTEGER NOT NULL,
  key TEXT NOT NULL,
  cost INTEGER NOT NULL,
  unpriced INTEGER NOT NULL,
  PRIMARY KEY (day, key)
) WITHOUT ROWID;
INSERT INTO spending (day, key, cost, unpriced)
  SELECT minute / 1440, iif(ltrim(name, '~') = 'other', substr(name, 2), name),
    CAST(sum(cost / 1000000) * 1000000 + sum(cost % 1000000) AS INTEGER), sum(unpriced)
  FROM buckets WHERE dim = 'key' AND name NOT IN ('', 'other') AND (cost <> 0 OR unpriced > 0) GROUP BY 1, 2;
`,
];

/**
 * Migrates a database to the newest version, one transaction per step.
 *
 * @throws Error for a database of a later version of the gateway, which this one would damage
 */
export function migrate(db: DatabaseSync): void {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > migrations.length)
    throw new Error(`the request log has version ${version}, and this gateway supports versions up to ${migrations.length}`);
  for (const [index, step] of migrations.entries()) {
    if (index < version) continue;
    try {
      db.exec(`BEGIN IMMEDIATE; ${step}; PRAGMA user_version = ${index + 1}; COMMIT;`);
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }
}
