import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../../config/read/files.ts';
import type { OpenConfig } from '../../manage/keys/shared.ts';
import type { LogQueries } from '../../store/log/log-store.ts';
import { createPostgresSource } from '../../store/log/postgres/store.ts';
import { createQueries } from '../../store/log/queries/index.ts';
import { keysUsed } from '../../store/log/sqlite/keys-used.ts';
import { logFile, stateDirPath } from '../../store/state-dir.ts';
import { listSegments } from '../../store/spool.ts';
import { SegmentWindow } from '../../store/log/drain/segment-window.ts';
import { errorCode } from '../../core/text/error-code.ts';
import { barePath } from '../text.ts';

/** When each secret was last used, by its id; Unix milliseconds. */
export type LastUse = ReadonlyMap<string, number>;

/** Maximum number of bytes of the newest records to read. A key that they don't contain was not used recently. */
const readLimit = 256 * 1024 * 1024;
/** SQLSTATE of a missing table. */
const noTable = '42P01';

/**
 * Reads the last use from the request log, and from records that are not stored there yet.
 * @param warn called with the reason if the request log cannot be read
 */
export async function lastUse(
  { stateDir, store, path: configPath }: OpenConfig,
  cwd: string,
  warn: (why: string) => void,
): Promise<LastUse> {
  const used = new Map<string, number>();
  if (store.isUnknown) warn('logging.requests.store refers to a variable or a file that cannot be read here');
  else if (store.text !== undefined && store.text !== 'sqlite') await fromPostgres(used, store.text, warn);
  const folders = foldersOf(stateDirPath({ setting: stateDir, configPath, cwd }));
  let fault: string | undefined;
  const attempt = (path: string, read: (path: string) => void): void => {
    try {
      read(path);
    } catch (error) {
      // A segment may be deleted for newer ones while it is read.
      if (errorCode(error) !== 'ENOENT') fault ??= `${barePath(path, cwd)} cannot be read (${whyUnreadable(error)})`;
    }
  };
  for (const folder of folders) attempt(join(folder, logFile), (path) => fromSqlite(used, path));
  const window = new SegmentWindow();
  let remainingBytes = readLimit;
  for (const path of folders.flatMap(segmentsIn)) {
    attempt(path, () => (remainingBytes -= statSync(path).size));
    if (remainingBytes < 0) break;
    attempt(path, () => fromSegment(used, path, window));
  }
  if (fault !== undefined) warn(fault);
  return used;
}

/** SQLite has no system errors: its message is the reason. */
const whyUnreadable = (error: unknown): string =>
  errorCode(error).startsWith('ERR_SQLITE') && error instanceof Error ? error.message : reasonOf(error);

function fromSqlite(used: Map<string, number>, path: string): void {
  for (const [id, at] of keysUsed(path)) recordUse(used, id, at);
}

async function fromPostgres(used: Map<string, number>, url: string, warn: (why: string) => void): Promise<void> {
  let queries: LogQueries | undefined;
  try {
    queries = createQueries(createPostgresSource(url), Date.now);
    for (const [id, at] of Object.entries(await queries.keysUsed())) recordUse(used, id, at);
  } catch (error) {
    // The tables are created with the first record.
    if (errorCode(error) !== noTable) warn(error instanceof Error ? error.message : String(error));
  } finally {
    await queries?.close();
  }
}

function fromSegment(used: Map<string, number>, path: string, window: SegmentWindow): void {
  for (const read of window.entries(path, 0)) {
    if (read.kind !== 'record' || !read.entry.row.key_id) continue;
    recordUse(used, read.entry.row.key_id, read.entry.row.at);
  }
}

function recordUse(used: Map<string, number>, id: string, at: number): void {
  if ((used.get(id) ?? 0) < at) used.set(id, at);
}

/** Returns the state directories of all instances. */
function foldersOf(stateDir: string | undefined): string[] {
  return stateDir === undefined ? [] : [stateDir, ...instancesIn(stateDir)];
}

/** Newest segment first. */
function segmentsIn(folder: string): string[] {
  const spool = join(folder, 'spool');
  return listSegments(spool)
    .toReversed()
    .map((name) => join(spool, name));
}

function instancesIn(stateDir: string): string[] {
  try {
    return readdirSync(stateDir).flatMap((name) => (/^instance-\d+$/.test(name) ? join(stateDir, name) : []));
  } catch {
    return [];
  }
}
