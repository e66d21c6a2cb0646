import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const cache = new URL('../../node_modules/.cache', import.meta.url).pathname;

/** A folder that holds what was installed, or why it could not be. */
export type Installed = { readonly folder: string } | { readonly missing: string };

/**
 * A folder in `node_modules/.cache`, filled once for each content of `file`.
 * @param fill fills the folder; returns what failed
 */
export function installed(name: string, file: string, fill: (folder: string) => string | undefined): Installed {
  const version = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12);
  const ready = join(cache, `${name}-${version}`);
  if (existsSync(ready)) return { folder: ready };
  // Filled aside and renamed, so that an interrupted installation is never taken for a whole one.
  const draft = `${ready}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  const problem = fill(draft);
  if (problem === undefined) publish(draft, ready);
  rmSync(draft, { recursive: true, force: true });
  return problem === undefined ? { folder: ready } : { missing: problem };
}

/** Another process may have been faster. */
function publish(draft: string, ready: string): void {
  try {
    renameSync(draft, ready);
  } catch (error) {
    if (!existsSync(ready)) throw error;
  }
}

/** Runs a command to its end; why it failed. */
export function failure(command: string, args: readonly string[], cwd?: string): string | undefined {
  const run = spawnSync(command, args, { encoding: 'utf8', timeout: 300_000, cwd, env: { ...process.env, UV_HTTP_TIMEOUT: '180' } });
  if (run.error !== undefined) return `${command} could not be run: ${run.error.message}`;
  return run.status === 0 ? undefined : `${command} ${args.slice(0, 3).join(' ')} failed: ${lastLine(run.stderr)}`;
}

/** Hints of the installer come after its error. */
const lastLine = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('hint:'))
    .at(-1) ?? '';

/**
 * Prints what is missing: a runner's report does not name skipped tests.
 * @throws Error under GATEWAY_TEST_STRICT=1 (set by `.ci/run`), where what is missing is an error instead of a skip
 */
export function orSkip<T extends object>(what: string, found: T): T {
  if (!('missing' in found)) return found;
  const problem = `${what}: ${String(found.missing)}`;
  if (process.env.GATEWAY_TEST_STRICT === '1') throw new Error(problem);
  process.stderr.write(`Tests are skipped. ${problem}\n`);
  return found;
}
