import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../../config/read/files.ts';
import type { OpenConfig } from '../../manage/keys/shared.ts';
import { sumUnits } from '../../query/money.ts';
import { toStorable } from '../../query/text.ts';
import { createQueries } from '../../store/log/queries/index.ts';
import { openSource } from '../../store/log/worker/open-source.ts';
import { queryTimeoutMs } from '../../store/log/worker/query-timeout.ts';
import type { LogDatabase } from '../../store/log/worker/settings.ts';
import { logFile, spoolFolder, stateDirPath } from '../../store/state-dir.ts';
import { listSegments } from '../../store/spool.ts';
import { SegmentWindow } from '../../store/log/drain/segment-window.ts';
import { errorCode } from '../../core/text/error-code.ts';
import { barePath } from '../../core/text/display-path.ts';
import { errorMessage } from '../../core/error.ts';

/** In units of `moneyUnits`, and the number of requests whose price is unknown. */
interface KeyCost {
  readonly units: bigint;
  readonly unpriced: number;
}

type Costs = ReadonlyMap<number, Map<string, KeyCost>>;

/** What the request log shows about keys. */
export interface KeyUsage {
  /** When each secret was last used, by its id; Unix milliseconds. */
  readonly used: ReadonlyMap<string, number>;
  /** Since each of the given days, then by the name of a key. Empty if they cannot be read. */
  readonly costs: ReadonlyMap<number, ReadonlyMap<string, KeyCost>>;
}

/** Maximum number of bytes of the newest records to read. A key that they don't contain was not used recently. */
const readLimit = 256 * 1024 * 1024;
/** SQLSTATE of a missing table. */
const noTable = '42P01';

/**
 * Reads the last use from the request log, and from records that are not stored there yet; the costs from the log only.
 * @param days Unix days since which costs are added up
 * @param warn called with the reason if the request log cannot be read
 */
export async function keyUsage(
  { stateDir, store, path: configPath, keys }: OpenConfig,
  cwd: string,
  days: ReadonlySet<number>,
  warn: (why: string) => void,
): Promise<KeyUsage> {
  const used: Map<string, number> = new Map();
  const costs: Costs = new Map([...days].map((day) => [day, new Map()]));
  const names = keys.map(({ name }) => name);
  if (store.isUnknown) warn('logging.requests.store refers to a variable or a file that cannot be read here');
  else if (store.text !== undefined && store.text !== 'sqlite') {
    try {
      await readDatabase({ kind: 'postgres', url: store.text }, names, { used, costs });
    } catch (error) {
      // The tables are created with the first record.
      if (errorCode(error) !== noTable) warn(errorMessage(error));
    }
  }
  const folders = foldersOf(stateDirPath({ setting: stateDir, configPath, cwd }));
  let fault: string | undefined;
  const attempt = async (path: string, read: (path: string) => Promise<void> | void): Promise<void> => {
    try {
      await read(path);
    } catch (error) {
      // A segment may be deleted for newer ones while it is read.
      if (errorCode(error) !== 'ENOENT') fault ??= `${barePath(path, cwd)} cannot be read (${whyUnreadable(error)})`;
    }
  };
  for (const folder of folders) {
    await attempt(join(folder, logFile), (path) => {
      // SQLite's error does not contain the reason why a file cannot be opened.
      accessSync(path, constants.R_OK);
      return readDatabase({ kind: 'sqlite', path }, names, { used, costs });
    });
  }
  const window = new SegmentWindow();
  let remainingBytes = readLimit;
  for (const path of folders.flatMap(segmentsIn)) {
    await attempt(path, () => void (remainingBytes -= statSync(path).size));
    if (remainingBytes < 0) break;
    await attempt(path, () => fromSegment(used, path, window));
  }
  if (fault !== undefined) warn(fault);
  return { used, costs };
}

/** SQLite has no system errors: its message is the reason. */
const whyUnreadable = (error: unknown): string =>
  errorCode(error).startsWith('ERR_SQLITE') && error instanceof Error ? error.message : reasonOf(error);

/** Adds the last use of each secret, and the costs of the keys with these names. */
async function readDatabase(
  database: LogDatabase,
  names: readonly string[],
  { used, costs }: { readonly used: Map<string, number>; readonly costs: Costs },
): Promise<void> {
  const queries = createQueries(await openSource(database, () => queryTimeoutMs), Date.now);
  try {
    for (const [id, at] of Object.entries(await queries.keysUsed())) recordUse(used, id, at);
    for (const [day, sums] of costs) {
      const spent = await queries.spent(day, names);
      for (const name of names) {
        const { cost_usd: cost = '0', unpriced = 0 } = spent[toStorable(name)] ?? {};
        const before = sums.get(name) ?? { units: 0n, unpriced: 0 };
        sums.set(name, { units: before.units + (sumUnits(cost) ?? 0n), unpriced: before.unpriced + unpriced });
      }
    }
  } finally {
    await queries.close();
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
  const spool = join(folder, spoolFolder);
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
