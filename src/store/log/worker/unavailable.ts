import { GatewayError } from '../../../core/error.ts';

/** SQLSTATE classes for an invalid statement or value, which is a defect of the gateway, except for a missing or inaccessible table. */
const invalidStatementCode = /^(?:22|42(?!P01|501))/;
const isSqlState = /^[0-9A-Z]{5}$/;
/** SQLite: busy, locked, out of memory, read-only, I/O error, corrupt, full, cannot open, authorization denied, not a database. */
const sqliteFileErrorCodes: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 11, 13, 14, 23, 26]);

/** What to do, by SQLSTATE. */
const postgresHints: Readonly<Record<string, string>> = {
  '42501': 'Grant the user in logging.requests.store all rights on the tables of the request log.',
  '42P01': 'The tables are created with the first record. If one was deleted, restore it, or use an empty database.',
  '55P03': 'Another session locks a table of the request log: find it in pg_locks, and end it.',
};
const cannotOpen = 'Check that the gateway may read and write the file and its folder.';
const locked = 'Another process locks the file: find it with fuser or lsof, and end it.';
const damaged = 'The file is damaged. Rename it and its -wal file, and the gateway creates a new one.';
/** What to do, by SQLite's result code. */
const sqliteHints: Readonly<Record<number, string>> = {
  5: locked,
  6: locked,
  8: cannotOpen,
  10: 'Check the disk.',
  11: damaged,
  13: 'Free some space on the disk.',
  14: cannotOpen,
  23: cannotOpen,
  26: damaged,
};

/** The error to show for a database error: `log_unavailable` if the database is the cause, else the original error. */
export function asUnavailable(thrown: unknown): unknown {
  const { code, errcode, message, hint: own } = thrown as { code?: unknown; errcode?: unknown; message?: unknown; hint?: string };
  const text = typeof message === 'string' ? message : '';
  if (thrown instanceof GatewayError) return thrown;
  if (code === 'log_unavailable') return unavailableError(text, own, thrown);
  const isOfPostgres = typeof code === 'string' && isSqlState.test(code) && !invalidStatementCode.test(code);
  // The tables are created with the first record.
  const isOfFile = typeof errcode === 'number' && (sqliteFileErrorCodes.has(errcode % 256) || text.startsWith('no such table'));
  if (!isOfPostgres && !isOfFile) return thrown;
  const hint = isOfPostgres ? postgresHints[code] : sqliteHints[Number(errcode) % 256];
  return unavailableError(text, hint, thrown);
}

const unavailableError = (text: string, hint: string | undefined, cause: unknown): GatewayError =>
  new GatewayError('log_unavailable', { message: `The request log cannot be read: ${text}.`, hint, cause });
