import { GatewayError } from '../../../core/error.ts';
import { queryTimeoutError } from '../rpc/client.ts';
import { queryTimeoutMs } from './query-timeout.ts';

/** SQLSTATE: Postgres ended a statement that took too long. */
const canceled = '57014';
/** SQLSTATE classes for an invalid statement or value, which is a defect of the gateway, except for a missing or inaccessible table. */
const invalidStatementCode = /^(?:22|42(?!P01|501))/;
const isSqlState = /^[0-9A-Z]{5}$/;
/** SQLite: busy, locked, out of memory, read-only, I/O error, corrupt, full, cannot open, authorization denied, not a database. */
const sqliteFileErrorCodes: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 11, 13, 14, 23, 26]);

/** The error to show for a database error: `log_unavailable` if the database is the cause, else the original error. */
export function asUnavailable(thrown: unknown): unknown {
  const { code, errcode, message } = thrown as { code?: unknown; errcode?: unknown; message?: unknown };
  const text = typeof message === 'string' ? message : '';
  if (code === canceled) return queryTimeoutError(queryTimeoutMs);
  const isOfPostgres = typeof code === 'string' && isSqlState.test(code) && !invalidStatementCode.test(code);
  // The tables are created with the first record.
  const isOfFile = typeof errcode === 'number' && (sqliteFileErrorCodes.has(errcode % 256) || text.startsWith('no such table'));
  if (!isOfPostgres && !isOfFile) return thrown;
  return new GatewayError('log_unavailable', { message: `The request log cannot be read: ${text}.`, cause: thrown });
}
