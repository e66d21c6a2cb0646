// Compiles the package into dist/. Runs before `npm pack`, so that the package also works on Node versions and in folders
// (node_modules) where Node does not strip types. Runs on any Node from 20 on.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from './compile.mjs';
import { buildDashboard, isBuilt } from './dashboard.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

if (!existsSync(join(root, 'node_modules/esbuild'))) {
  process.stderr.write('The package is compiled by development packages: run npm ci first.\n');
  process.exit(1);
}
// Keeps the dashboard, for a gateway that starts in the meantime, and the folders of builds in progress.
for (const name of existsSync(dist) ? readdirSync(dist) : [])
  if (name !== 'dashboard' && !name.startsWith('.dashboard-')) rmSync(join(dist, name), { recursive: true, force: true });

await compile(root, dist);
if (!isBuilt(root)) await buildDashboard(root);

const tsc = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.ci/tsconfig.types.json'], {
  cwd: root,
  stdio: ['ignore', 2, 2],
});
if (tsc.status !== 0) throw new Error(`the types were not written: ${tsc.error?.message ?? `tsc ended with ${tsc.status}`}`);
