/**
 * Numbers of advisory locks. All end with their transaction, because a connection pooler may use another connection for
 * each transaction, and so that a gateway that dies leaves no lock.
 */
export const locks = { space: 0x67_77, migrate: 1, partitions: 2, retain: 3 } as const;

/** A lock per writer: a repeated batch waits for an earlier transaction that may still be in progress. */
export const writerLock = `SELECT pg_advisory_xact_lock(${locks.space + 1}, hashtext($1))`;
