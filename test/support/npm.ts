import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure, type Installed, installed, orSkip } from './installed.ts';

/**
 * A folder whose `node_modules` has the packages of a folder's `package-lock.json`. No install scripts run.
 * @param after Node scripts that are run once in the folder, for packages that need one of their install scripts
 * @throws Error under GATEWAY_TEST_STRICT if the packages are missing
 */
export function npmPackages(name: string, from: string, after: readonly string[] = []): Installed {
  const lock = join(from, 'package-lock.json');
  const install = installed(name, lock, (folder) => {
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(from, file), join(folder, file));
    const problem = failure('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
    return after.reduce<string | undefined>((failed, script) => failed ?? failure(process.execPath, [script], folder), problem);
  });
  return orSkip('Packages of npm for the recipes', install);
}
