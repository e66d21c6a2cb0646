import { errorMessage } from '../../../core/error.ts';
import { errorCode } from '../../../core/text/error-code.ts';
import { storeFeedback } from '../feedback.ts';
import type { Batch, LogStore } from '../log-store.ts';
import { DamagedFrame } from './entry.ts';

/** SQLSTATE for errors in a record (an invalid, too large or missing value), as opposed to the state of the server. */
const codesOfRecords = /^(?:(?:22|54)[0-9A-Z]{3}|23502)$/;

/** Codes of SQLite for a missing value and for one of another type: SQLITE_CONSTRAINT and SQLITE_MISMATCH; the higher bits contain details. */
const sqliteCodesOfRecords: readonly number[] = [19, 20];
/** Code of Node for a value that SQLite does not have. */
const invalidValue = 'ERR_INVALID_ARG_TYPE';

/** True if storing failed because of a record's content. */
function isRecordError(error: unknown): boolean {
  const code = errorCode(error);
  if (error instanceof DamagedFrame || code === invalidValue || codesOfRecords.test(code)) return true;
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && sqliteCodesOfRecords.includes(errcode % 256);
}

/** Records that cannot be stored because of their content, and the last error. */
export interface Rejected {
  count: number;
  why: string;
}

/**
 * Stores a batch. If a record cannot be stored because of its content, stores each record in a transaction of its own. The
 * store ignores records that are already stored. Rejects with every other error.
 *
 * @param rejected updated
 */
export async function storeBatch(store: LogStore, batch: Batch, rejected: Rejected): Promise<void> {
  if (await tryStore(store, batch, rejected)) return;
  const emptyBatch = { amendments: [], positions: [], deletedSegments: [] };
  let count = 0;
  for (const record of batch.records) {
    if (!(await tryStore(store, { ...emptyBatch, records: [record] }, rejected))) count += 1;
  }
  await store.write({ ...batch, records: [] });
  // If the database becomes unavailable before this point, the next attempt finds the rejected records again.
  rejected.count += count;
}

/** Returns false if the records cannot be stored because of their content. Rejects with every other error. */
async function tryStore(store: LogStore, batch: Batch, rejected: Rejected): Promise<boolean> {
  try {
    await storeFeedback(store, batch.records);
    await store.write(batch);
    return true;
  } catch (error) {
    if (!isRecordError(error)) throw error;
    rejected.why = errorMessage(error);
    return false;
  }
}
