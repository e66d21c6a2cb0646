import { parseSize } from '../../../core/text/units.ts';
import type { LoggingEntry } from '../../schema/index.ts';
import { requireDuration } from '../timeouts.ts';

/** Where records are stored, and for how long. Sizes in bytes, times in milliseconds. */
export interface RequestLogSettings {
  /** True for `logging.requests: off`. */
  readonly isOff: boolean;
  /** Address of a Postgres database. Undefined means a file in the state directory. */
  readonly postgres: string | undefined;
  readonly spoolSize: number;
  readonly retention: { readonly age: number; readonly size: number };
  /** Number of records kept when nothing is stored on disk. */
  readonly memoryRows: number;
}

const mebibyte = 1024 * 1024;
const defaults = { spoolSize: 1024 * mebibyte, age: 14 * 86_400_000, size: 2048 * mebibyte, memoryRows: 50_000 } as const;

/** Compiles the storage settings of `logging.requests`. */
export function compileRequestLog(entry: LoggingEntry = {}): RequestLogSettings {
  const { spool_size: spoolSize, store, retention, memory_rows: memoryRows } = requestsOf(entry);
  return Object.freeze({
    isOff: typeof entry.requests === 'string',
    postgres: store === undefined || store === 'sqlite' ? undefined : store,
    spoolSize: bytesOf(spoolSize) ?? defaults.spoolSize,
    retention: Object.freeze({
      age: retention?.age === undefined ? defaults.age : requireDuration(retention.age),
      size: bytesOf(retention?.size) ?? defaults.size,
    }),
    memoryRows: memoryRows ?? defaults.memoryRows,
  });
}

/** Settings of records; empty when records are off. */
export function requestsOf({ requests }: LoggingEntry): Exclude<NonNullable<LoggingEntry['requests']>, string> {
  return typeof requests === 'object' ? requests : {};
}

/** Size in bytes. The schema has checked the syntax. */
function bytesOf(size: string | number | undefined): number | undefined {
  return size === undefined ? undefined : parseSize(size);
}
