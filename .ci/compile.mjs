import { join } from 'node:path';
import { compileSchemas } from './compile-schemas.mjs';

/** Replaces the module that says that no schema is compiled. */
const inPackage = {
  name: 'compiled-schemas',
  setup: ({ onResolve }) => onResolve({ filter: /\/in-package\.ts$/ }, () => ({ path: './compiled-schemas/index.js', external: true })),
};

/** Compiles the gateway to JavaScript in `outdir`. Needs the development packages. Runs on any Node from 20 on. */
export async function compile(root, outdir) {
  const { build } = await import('esbuild');
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
    outdir,
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
  await compileSchemas(root, join(outdir, 'compiled-schemas'));
}
