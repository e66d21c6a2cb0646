/**
 * Numbers of advisory locks. All of them end with their transaction: a connection pooler may give each transaction another
 * connection, and a gateway that dies leaves none.
 */
export const locks = { space: 0x67_77, migrate: 1, partitions: 2, retain: 3 } as const;

/** A lock of one writer: a batch that is repeated waits for the transaction that may still be in progress. */
export const writerLock = `SELECT pg_advisory_xact_lock(${locks.space + 1}, hashtext($1))`;
