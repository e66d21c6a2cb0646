import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readUnresolved } from '../../../config/edit/written.ts';
import { publicNames, visitPlainSecrets } from '../../../config/read/secrets.ts';
import { barePath } from '../../../core/text/display-path.ts';
import { plural } from '../../../core/text/wording.ts';
import { type Check, ok, type CheckResult, skip, warn } from '../result.ts';

/** Files with secrets written in them, and who can read those. */
export const checkPermissions: Check = async ({ config, io, registry }) => {
  if (config?.path === undefined) return [skip('permissions: there is no configuration file')];
  if (process.platform === 'win32') return [skip('permissions of files are not checked on Windows')];
  const { root, texts } = readUnresolved(config.source, io);
  if (texts[config.path] === undefined) return [skip(`permissions: ${config.name} cannot be read`)];
  const counts = new Map<string, number>();
  visitPlainSecrets(root, publicNames(root, registry.providers), ({ at }) => {
    counts.set(at.file.path, (counts.get(at.file.path) ?? 0) + 1);
  });
  if (counts.size === 0) return [ok('no secret is written in the configuration')];
  const results = [...counts].map(async ([path, count]): Promise<CheckResult> => {
    const name = barePath(path, io.cwd);
    const secrets = `${plural(count, 'secret')} in plain text`;
    if (await isPublic(path))
      return warn(`${name} is readable by every user and contains ${secrets}`, `chmod o-r ${name}, or use \${env:…}`);
    return ok(`${name} contains ${secrets} and is not readable by other users`);
  });
  return Promise.all(results);
};

/** True if every user of the machine can read the file: its mode and those of its folders allow it. */
async function isPublic(path: string): Promise<boolean> {
  if (((await stat(path)).mode & 0o004) === 0) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
