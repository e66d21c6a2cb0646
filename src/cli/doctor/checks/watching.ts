import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createWatcher } from '../../../config/reload/watch.ts';
import { reasonOf } from '../../../config/read/files.ts';
import { type EndingSignal, endingSignals, signalCodes } from '../../command.ts';
import { type Check, fail, ok, type CheckResult, skip, warn } from '../result.ts';
import type { CheckedConfig } from '../subject.ts';
import { errorCode } from '../../../core/text/error-code.ts';

/** Times in milliseconds: between two writes, between two polls, and of the whole test. */
const times = { write: 100, poll: 250, all: 3000 } as const;

/** Whether a change of a file is seen, tested with a temporary file. */
export const checkWatching: Check = async ({ config }) => {
  if (config?.path === undefined) return [skip('file watching: there is no configuration file')];
  const folder = await testFolder({ ...config, path: config.path });
  if (folder === undefined)
    return [skip('file watching was not tested: neither the state directory nor the folder of the file is writable')];
  return [watchResult(await testWatching(folder))];
};

/** The state directory, if it is on the file system of the configuration; otherwise the folder of the file. */
async function testFolder({ path, stateDir }: CheckedConfig & { path: string }): Promise<string | undefined> {
  const configFolder = dirname(path);
  const isSame = stateDir !== undefined && (await deviceOf(stateDir)) === (await deviceOf(configFolder));
  return [...(isSame ? [stateDir] : []), configFolder, ...(stateDir === undefined ? [] : [stateDir])].find(isWritable);
}

async function deviceOf(folder: string): Promise<number | undefined> {
  try {
    return (await stat(folder)).dev;
  } catch {
    return undefined;
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

interface WatchTest {
  /** The file system reported a change. */
  hasEvents: boolean;
  /** A comparison found a change. */
  hasChange: boolean;
  fault: unknown;
}

/** Changes a file until the watcher of the gateway has seen it, or the time is over. */
async function testWatching(parent: string): Promise<WatchTest> {
  const seen: WatchTest = { hasEvents: false, hasChange: false, fault: undefined };
  const folder = mkdtempSync(join(parent, '.gateway-doctor-'));
  const clear = (): void => rmSync(folder, { recursive: true, force: true });
  const ended = (signal: EndingSignal): void => {
    clear();
    process.exit(signalCodes[signal]);
  };
  for (const signal of endingSignals) process.once(signal, ended);
  const file = join(folder, 'watched');
  const watcher = createWatcher({
    onFirstEvent: () => (seen.hasEvents = true),
    onChange: () => (seen.hasChange = true),
    onFault: (error) => (seen.fault ??= error),
    pollMs: times.poll,
  });
  try {
    await watcher.setPaths([file]);
    const until = performance.now() + times.all;
    for (let count = 1; performance.now() < until && !(seen.hasEvents && seen.hasChange); count += 1) {
      writeFileSync(file, String(count));
      await pause(times.write);
    }
    return seen;
  } finally {
    await watcher.close();
    clear();
    for (const signal of endingSignals) process.off(signal, ended);
  }
}

/** Result of what was seen. */
export function watchResult({ hasEvents, hasChange, fault }: WatchTest): CheckResult {
  if (hasEvents && hasChange) return ok('file watching works here (native events + 5 s poll)');
  const why = fault === undefined ? '' : `: ${watchFaults[errorCode(fault)] ?? reasonOf(fault)}`;
  if (hasChange)
    return warn(`the file system reports no changes here${why}; the poll finds them within 5 s`, 'gateway reload applies a change at once');
  return fail(`changes of files are not seen here${why}`, 'gateway reload after each change');
}

const watchFaults: Readonly<Record<string, string>> = {
  ENOSPC: 'fs.inotify.max_user_watches is reached',
  EMFILE: 'fs.inotify.max_user_instances is reached',
};
