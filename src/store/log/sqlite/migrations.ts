import type { DatabaseSync } from 'node:sqlite';

/**
 * Nothing is indexed by a value that comes in no order (a trace id, a metadata value): each record would touch a page of
 * its own, which costs more than all the rest. A look through a million narrow rows is a fraction of a second.
 *
 * Each step is applied once, in this order, and never changed afterwards: files of every version before are out there.
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
  // When each secret of a key was used last, however old the record is.
  'CREATE TABLE keys_used (key_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;',
  // Retries were all attempts behind the first. Of these rows only whether they moved to another target is known, not how often.
  `
ALTER TABLE requests ADD COLUMN retries INTEGER NOT NULL DEFAULT 0;
UPDATE requests SET retries = attempts - 1 - fallback WHERE attempts > 1;
UPDATE buckets SET retries = max(0, retries - fallbacks) WHERE retries > 0;
`,
  // Of rows from before it is null: lists show the names in their records, filters do not find them.
  'ALTER TABLE requests ADD COLUMN span_name TEXT;',
  // A record that came late, or whose clock was wrong, is not as old as its block is.
  'CREATE INDEX blocks_newest ON blocks (newest);',
];

/**
 * Brings a database to the newest version, one transaction a step.
 * @throws Error for a database of a later version of the gateway, which this one would damage
 */
export function migrate(db: DatabaseSync, steps = migrations): void {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > steps.length) throw new LaterVersion(version, steps.length);
  for (const [index, step] of steps.entries()) {
    if (index < version) continue;
    try {
      db.exec(`BEGIN IMMEDIATE; ${step}; PRAGMA user_version = ${index + 1}; COMMIT;`);
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }
}

/** The file was written by a later version of the gateway. */
class LaterVersion extends Error {
  override readonly name = 'LaterVersion';

  constructor(found: number, known: number) {
    super(`the request log has version ${found}, and this gateway knows versions up to ${known}`);
  }
}
