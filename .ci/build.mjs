// Compiles the package into dist/. Runs before `npm pack`, so that the package also works on Node versions and in folders
// (node_modules) where Node does not strip types. Runs on any Node from 20 on.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileSchemas } from './compile-schemas.mjs';
import { buildDashboard, isBuilt } from './dashboard.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
// Keeps the dashboard, for a gateway that starts in the meantime.
for (const name of existsSync(dist) ? readdirSync(dist) : [])
  if (name !== 'dashboard') rmSync(join(dist, name), { recursive: true, force: true });

const { build } = await import('esbuild').catch(() => {
  process.stderr.write('The package is compiled by development packages: run npm ci first.\n');
  process.exit(1);
});
/** Replaces the module that says that no schema is compiled. */
const inPackage = {
  name: 'compiled-schemas',
  setup: ({ onResolve }) => onResolve({ filter: /\/in-package\.ts$/ }, () => ({ path: './compiled-schemas/index.js', external: true })),
};
await build({
  absWorkingDir: root,
  // Threads and processes are started by the URL of their file, so chunks and entry points must be in the same folder.
  entryPoints: [
    'src/cli/bin.js',
    'src/cli/start/serving-worker.js',
    'src/gateway/loading/config-worker.js',
    'src/gateway/log/log-reader.js',
    'src/gateway/log/log-worker.js',
    'src/gateway/masking/masking-worker.js',
    'src/gateway/observe/export-worker.js',
    'src/core/plugin.ts',
    'src/core/provider.ts',
  ],
  outdir: dist,
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  plugins: [inPackage],
  platform: 'node',
  format: 'esm',
  target: 'node22.19',
  sourcemap: true,
  sourcesContent: false,
  // Identifiers are not minified, so that stack traces are readable without source maps.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
});
await compileSchemas(root, join(dist, 'compiled-schemas'));
if (!isBuilt(root)) await buildDashboard(root);

const tsc = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.ci/tsconfig.types.json'], {
  cwd: root,
  stdio: ['ignore', 2, 2],
});
if (tsc.status !== 0) throw new Error(`the types were not written: ${tsc.error?.message ?? `tsc ended with ${tsc.status}`}`);
