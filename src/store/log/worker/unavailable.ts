import { GatewayError } from '../../../core/error.ts';
import { tooSlow } from '../rpc/client.ts';
import { questionMs } from './clock.ts';

/** Postgres ended a statement that took too long. */
const canceled = '57014';
/** SQLSTATE: a statement or a value in it is wrong, which is a mistake of ours, but for a table that is missing or not granted. */
const isMistake = /^(?:22|42(?!P01|501))/;
const isSqlState = /^[0-9A-Z]{5}$/;
/** SQLite: busy, locked, out of memory, not allowed, not readable, damaged, full, not there, no database. */
const fileCodes: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 11, 13, 14, 23, 26]);

/** What whoever asked is shown of what a database threw: `log_unavailable` where the database is the cause, else what was thrown. */
export function asUnavailable(thrown: unknown): unknown {
  const { code, errcode, message } = thrown as { code?: unknown; errcode?: unknown; message?: unknown };
  const text = typeof message === 'string' ? message : '';
  if (code === canceled) return tooSlow(questionMs);
  const isOfPostgres = typeof code === 'string' && isSqlState.test(code) && !isMistake.test(code);
  // Its tables are made with the first record.
  const isOfFile = typeof errcode === 'number' && (fileCodes.has(errcode % 256) || text.startsWith('no such table'));
  if (!isOfPostgres && !isOfFile) return thrown;
  return new GatewayError('log_unavailable', { message: `The request log cannot be read: ${text}.`, cause: thrown });
}
