import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { stateDirPath } from '../../store/state-dir.ts';
import { listSegments } from '../../store/spool.ts';
import { readSegment } from '../../store/spool-reader.ts';
import { errorCode } from '../../core/text/error-code.ts';

/** When each secret was last used, by its id; Unix milliseconds. */
export type LastUse = ReadonlyMap<string, number>;

/** Bytes of the newest records that are looked through: a key that was not used in them was not used lately. */
const readLimit = 256 * 1024 * 1024;

/** Reads the newest records of the state directory. Empty where there are none. */
export async function lastUse(setting: string | undefined, configPath: string, cwd: string): Promise<LastUse> {
  const used = new Map<string, number>();
  let left = readLimit;
  for (const path of segmentsOf(stateDirPath({ setting, configPath, cwd }))) {
    left -= statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (left < 0) break;
    await readInto(used, path);
  }
  return used;
}

async function readInto(used: Map<string, number>, path: string): Promise<void> {
  try {
    for await (const { entry } of readSegment(path)) {
      if (entry.kind !== 'record' || !entry.record.key_id) continue;
      const { key_id: id, at } = entry.record;
      if ((used.get(id) ?? 0) < at) used.set(id, at);
    }
  } catch (error) {
    // It made room for newer ones while it was read.
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** Segments of every gateway on this state directory, the newest of each first. */
function segmentsOf(stateDir: string | undefined): string[] {
  if (stateDir === undefined) return [];
  return [stateDir, ...instancesIn(stateDir)].flatMap((folder) => {
    const spool = join(folder, 'spool');
    return listSegments(spool)
      .toReversed()
      .map((name) => join(spool, name));
  });
}

function instancesIn(stateDir: string): string[] {
  try {
    return readdirSync(stateDir).flatMap((name) => (/^instance-\d+$/.test(name) ? join(stateDir, name) : []));
  } catch {
    return [];
  }
}
