import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Status } from '../../../admin/api-types.ts';
import { compileRequestLog } from '../../../config/compile/logging/request-log.ts';
import { reasonOf } from '../../../config/read/files.ts';
import { errorMessage } from '../../../core/error.ts';
import { barePath } from '../../../core/text/display-path.ts';
import { errorCode } from '../../../core/text/error-code.ts';
import { withoutFullStop } from '../../../core/text/wording.ts';
import { isLocked, ownerOf } from '../../../store/lock.ts';
import { createQueries } from '../../../store/log/queries/index.ts';
import { openSource } from '../../../store/log/worker/open-source.ts';
import { queryTimeoutMs } from '../../../store/log/worker/query-timeout.ts';
import type { LogDatabase } from '../../../store/log/worker/settings.ts';
import { asUnavailable } from '../../../store/log/worker/unavailable.ts';
import { lockedHint, lockFile, logFile, spoolFolder } from '../../../store/state-dir.ts';
import { adminClient } from '../../admin-client.ts';
import { CommandError } from '../../command.ts';
import { type Check, type CheckResult, fail, ok, skip, warn } from '../result.ts';
import type { Subject } from '../subject.ts';

/** SQLSTATE of a missing table; SQLite has only a message. */
const noTable = '42P01';

/** The database of the request log, who uses its folder, and what the running gateway reports. */
export const checkRequestLog: Check = async (subject) => {
  const { config } = subject;
  if (config?.loaded.tree === undefined) return [skip('request log: there is no valid configuration')];
  const { isOff, postgres } = compileRequestLog(config.loaded.tree.logging);
  if (isOff) return [ok('no request log (logging.requests: off)')];
  const running = await runningStatus(subject);
  const found = postgres === undefined ? await file(subject) : await server(postgres, subject);
  const problems = running?.store.problems.map((problem) => warn(`the running gateway reports: ${withoutFullStop(problem)}`, undefined));
  return [found, ...lockOf(subject, running?.pid), ...(problems ?? [])];
};

/** Undefined if no gateway runs with this configuration, or it cannot be asked. */
async function runningStatus({ config, flags, io }: Subject): Promise<Status | undefined> {
  if (flags.offline === true) return undefined;
  try {
    const status = await adminClient(flags, io).get<Status>('/api/status');
    return status.config_path === config?.path ? status : undefined;
  } catch (error) {
    // The check of the configuration reports it.
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

async function file({ config, io }: Subject): Promise<CheckResult> {
  const stateDir = config?.stateDir;
  if (stateDir === undefined) return ok('the request log is kept in memory');
  const path = join(stateDir, logFile);
  const name = barePath(path, io.cwd);
  for (const used of [join(stateDir, spoolFolder), path]) {
    try {
      accessSync(used, constants.R_OK | constants.W_OK);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') continue;
      const says = `${barePath(used, io.cwd)} cannot be read and written (${reasonOf(error)}): requests are recorded in memory only`;
      return warn(says, 'make the files of the state directory belong to the user of the gateway');
    }
  }
  if (!existsSync(path)) return ok(`request log ${name} is created at the start`);
  return read({ kind: 'sqlite', path }, `request log ${name}`);
}

async function server(url: string, { flags }: Subject): Promise<CheckResult> {
  return flags.offline === true
    ? skip('request log in Postgres: not connected (--offline)')
    : read({ kind: 'postgres', url }, 'request log in Postgres');
}

/** Reads the newest record. */
async function read(database: LogDatabase, name: string): Promise<CheckResult> {
  let isDamaged = false;
  try {
    const source = await openSource(database, () => queryTimeoutMs);
    try {
      const queries = createQueries({ ...source, reportDamage: () => (isDamaged = true) }, Date.now);
      await queries.search({ query: '', limit: 1 });
      await queries.keysUsed();
    } finally {
      await source.close();
    }
  } catch (error) {
    if (errorCode(error) === noTable || errorMessage(error).startsWith('no such table'))
      return ok(`${name} can be reached; its tables are created with the first record`);
    const known = asUnavailable(error);
    return fail(`${name}: ${withoutFullStop(errorMessage(known))}`, (known as { hint?: string }).hint);
  }
  return isDamaged
    ? warn(`${name} can be read, but its newest record is damaged`, 'check the disk of the database')
    : ok(`${name} can be read`);
}

/** Another gateway in the same state directory. @param running process id of the gateway that answered */
function lockOf({ config, io }: Subject, running: number | undefined): CheckResult[] {
  const stateDir = config?.stateDir;
  if (stateDir === undefined || config?.loaded.tree?.server?.state_dir_shared === true) return [];
  const path = join(stateDir, lockFile);
  if (!isLocked(path)) return [];
  const owner = ownerOf(path);
  if (owner !== undefined && owner.pid === running) return [];
  const who = owner === undefined ? 'a gateway' : `a gateway (pid ${owner.pid} on ${owner.host})`;
  return [warn(`${who} uses the state directory ${barePath(stateDir, io.cwd)}: a second one does not start`, withoutFullStop(lockedHint))];
}
