import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const cache = new URL('../../node_modules/.cache', import.meta.url).pathname;

/** A folder with an installation, or the reason why it failed. */
export type Installed = { readonly folder: string } | { readonly missing: string };

/**
 * A folder in `node_modules/.cache`, created once per content of `file`.
 * @param fill fills the folder; returns the error
 */
export function installed(name: string, file: string, fill: (folder: string) => string | undefined): Installed {
  const version = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12);
  const ready = join(cache, `${name}-${version}`);
  if (existsSync(ready)) return { folder: ready };
  // Filled under a temporary name and then renamed, so that an interrupted installation is never used.
  const draftFolder = `${ready}.${process.pid}`;
  mkdirSync(draftFolder, { recursive: true });
  const problem = fill(draftFolder);
  if (problem === undefined) publish(draftFolder, ready);
  rmSync(draftFolder, { recursive: true, force: true });
  return problem === undefined ? { folder: ready } : { missing: problem };
}

/** Another process may have created it first. */
function publish(draftFolder: string, ready: string): void {
  try {
    renameSync(draftFolder, ready);
  } catch (error) {
    if (!existsSync(ready)) throw error;
  }
}

/** Runs a command; returns the reason if it failed. */
export function failure(command: string, args: readonly string[], cwd?: string): string | undefined {
  const run = spawnSync(command, args, { encoding: 'utf8', timeout: 300_000, cwd, env: { ...process.env, UV_HTTP_TIMEOUT: '180' } });
  if (run.error !== undefined) return `${command} could not be run: ${run.error.message}`;
  return run.status === 0 ? undefined : `${command} ${args.slice(0, 3).join(' ')} failed: ${lastLine(run.stderr)}`;
}

/** The installer prints hints after its error. */
const lastLine = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('hint:'))
    .at(-1) ?? '';

/**
 * Prints what is missing, because the test report does not list the reasons of skipped tests.
 * @throws Error under GATEWAY_TEST_STRICT=1 (set by `.ci/run`), where a missing prerequisite is an error instead of a skip
 */
export function orSkip<T extends object>(description: string, found: T): T {
  if (!('missing' in found)) return found;
  const problem = `${description}: ${String(found.missing)}`;
  if (process.env.GATEWAY_TEST_STRICT === '1') throw new Error(problem);
  process.stderr.write(`Tests are skipped. ${problem}\n`);
  return found;
}
