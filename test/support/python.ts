import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const requirements = join(here, 'python-requirements.txt');

/** A Python that has the client libraries, or why there is none. */
export type Python = { readonly python: string } | { readonly missing: string };

/**
 * The Python of GATEWAY_TEST_PYTHON, or a virtual environment in `node_modules/.cache` that is made once for each version of
 * `python-requirements.txt`. With GATEWAY_TEST_STRICT=1 (set by `.ci/run`) a missing one is an error instead of a skip.
 * @throws Error under GATEWAY_TEST_STRICT when there is none
 */
export function findPython(): Python {
  const found = prepare();
  if ('missing' in found && process.env.GATEWAY_TEST_STRICT === '1') throw new Error(`Python client libraries: ${found.missing}`);
  return found;
}

function prepare(): Python {
  const given = process.env.GATEWAY_TEST_PYTHON;
  if (given !== undefined && given !== '') return { python: given };
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const cache = join(here, '../../node_modules/.cache');
  const ready = join(cache, `python-${version}`);
  const python = join(ready, 'bin/python');
  if (existsSync(python)) return { python };
  // Made aside and renamed, so that an interrupted installation is never taken for a whole one.
  const draft = `${ready}.${process.pid}`;
  mkdirSync(cache, { recursive: true });
  const problem =
    failure('python3', ['-m', 'venv', draft]) ??
    failure(join(draft, 'bin/python'), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements]);
  if (problem === undefined && !existsSync(ready)) renameSync(draft, ready);
  rmSync(draft, { recursive: true, force: true });
  return problem === undefined ? { python } : { missing: problem };
}

function failure(command: string, args: readonly string[]): string | undefined {
  const run = spawnSync(command, args, { encoding: 'utf8', timeout: 300_000 });
  if (run.error !== undefined) return `${command} could not be run: ${run.error.message}`;
  return run.status === 0 ? undefined : `${command} ${args.slice(0, 3).join(' ')} failed: ${run.stderr.trim().split('\n').at(-1) ?? ''}`;
}
