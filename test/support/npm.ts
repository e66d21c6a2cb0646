import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure, type Installed, installed, orSkip } from './installed.ts';

/**
 * A folder whose `node_modules` has the packages of a folder's `package-lock.json`. No package runs a script.
 * @param after commands of Node that are run in it once, for packages that need one of their scripts
 * @throws Error under GATEWAY_TEST_STRICT when there is none
 */
export function npmPackages(name: string, from: string, after: readonly string[] = []): Installed {
  const lock = join(from, 'package-lock.json');
  const made = installed(name, lock, (folder) => {
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(from, file), join(folder, file));
    const problem = failure('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
    return after.reduce<string | undefined>((failed, script) => failed ?? failure(process.execPath, [script], folder), problem);
  });
  return orSkip('Packages of npm for the recipes', made);
}
