import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { readdir, statfs, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { compileRequestLog } from '../../../config/compile/logging/request-log.ts';
import { reasonOf } from '../../../config/read/files.ts';
import { barePath } from '../../../core/text/display-path.ts';
import { formatSize } from '../../../core/text/units.ts';
import { logFile, spoolFolder } from '../../../store/state-dir.ts';
import { type Check, fail, ok, type CheckResult, skip, warn } from '../result.ts';
import type { Subject } from '../subject.ts';

/** The state directory: whether it can be written, and whether the disk has space for what the request log may use. */
export const checkStateDir: Check = async (subject) => {
  const { config, io } = subject;
  if (config === undefined) return [skip('state directory: there is no configuration')];
  const { stateDir, loaded } = config;
  if (stateDir === undefined) return [ok('nothing is kept on disk (server.state_dir: memory)')];
  const name = barePath(stateDir, io.cwd);
  const existing = nearestExisting(stateDir);
  const fault = whyNotWritable(existing);
  if (fault !== undefined) {
    // A required folder that cannot be used makes the configuration invalid.
    const isRequired = loaded.diagnostics.some(({ code, message }) => code === 'unusable-path' && message.includes('state_dir'));
    const says = `state directory ${name} is not writable (${fault}): ${isRequired ? 'the gateway does not start' : 'requests are recorded in memory only'}`;
    return [(isRequired ? fail : warn)(says, `make ${barePath(existing, io.cwd)} writable for this user, or set server.state_dir`)];
  }
  const text = `state directory ${name} ${existing === stateDir ? 'is writable' : 'can be created'}`;
  return [await withSpace(text, stateDir, existing, subject)];
};

/** The folder, or the nearest one above it that exists. */
function nearestExisting(folder: string): string {
  let at = folder;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

function whyNotWritable(folder: string): string | undefined {
  try {
    if (!statSync(folder).isDirectory()) return 'it is not a directory';
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Compares free space with what the request log may use in addition to what it has. */
async function withSpace(text: string, stateDir: string, present: string, { config }: Subject): Promise<CheckResult> {
  const tree = config?.loaded.tree;
  if (tree === undefined) return ok(text);
  const { isOff, postgres, spoolSize, retention } = compileRequestLog(tree.logging);
  if (isOff) return ok(`${text}; no request log (logging.requests: off)`);
  const { bavail, bsize } = await statfs(present);
  const free = bavail * bsize;
  const limit = spoolSize + (postgres === undefined ? retention.size : 0);
  const used = await usedIn(stateDir, postgres === undefined);
  const more = Math.max(0, limit - used);
  const says = `${text}, ${formatSize(free)} free; the request log may use ${formatSize(limit)} and has ${formatSize(used)}`;
  if (free >= more) return ok(says);
  const key = postgres === undefined ? 'logging.requests.retention.size and spool_size' : 'logging.requests.spool_size';
  return warn(says, `free ${formatSize(more - free)}, or lower ${key}`);
}

/** Bytes of the request log. A file that disappears meanwhile counts nothing. */
async function usedIn(stateDir: string, hasStore: boolean): Promise<number> {
  const spool = join(stateDir, spoolFolder);
  const names = await readdir(spool).catch(() => []);
  const store = hasStore ? ['', '-wal', '-shm'].map((end) => join(stateDir, `${logFile}${end}`)) : [];
  const sizes = await Promise.all([...store, ...names.map((name) => join(spool, name))].map(sizeOf));
  return sizes.reduce((all, one) => all + one, 0);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}
