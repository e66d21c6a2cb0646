// Compiles the schemas of the gateway, its providers and its plugins into dist/compiled-schemas: one module a schema, and an
// index by `compiledName`. Compiling them at each start would take longer than all other work of a start.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const sources = `
export { providers, stages } from './plugins/index.ts';
export { gatewaySchema, providerSchema, withNotes } from './src/config/schema/join.ts';
export { authSchema } from './src/config/schema/provider-auth.ts';
export { createAjv } from './src/config/validate/schemas/ajv.ts';
export { compiledName } from './src/config/validate/schemas/validators.ts';
export { default as standaloneCode } from 'ajv/dist/standalone/index.js';
`;

/** Writes the modules to `outdir`. Needs the development packages. Runs on any Node from 20 on. */
export async function compileSchemas(root, outdir) {
  const { build } = await import('esbuild');
  // Inside the project, where the generated code finds the packages that it imports.
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'schemas-'));
  try {
    const bundle = join(folder, 'sources.mjs');
    await build({
      stdin: { contents: sources, resolveDir: root, loader: 'ts' },
      outfile: bundle,
      bundle: true,
      packages: 'external',
      conditions: ['llm-gateway-source'],
      platform: 'node',
      format: 'esm',
      logLevel: 'warning',
    });
    const names = writeModules(folder, join(root, 'src/config/validate/range.ts'), await import(pathToFileURL(bundle).href));
    const index = names.map((name) => `  '${name}': () => import('./${name}.js').then((module) => module.default),`);
    writeFileSync(join(folder, 'index.js'), `export const compiledSchemas = {\n${index.join('\n')}\n};\n`);
    await build({
      absWorkingDir: folder,
      entryPoints: ['index.js', ...names.map((name) => `${name}.js`)],
      outdir,
      entryNames: '[name]',
      chunkNames: 'shared-[hash]',
      bundle: true,
      splitting: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      target: 'node22.19',
      logLevel: 'warning',
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes one module for each distinct schema. Returns their names. */
function writeModules(folder, range, source) {
  const { providers, stages, gatewaySchema, providerSchema, authSchema, withNotes } = source;
  const all = [
    gatewaySchema(providers),
    ...providers.flatMap((provider) => [providerSchema(provider), authSchema(provider.entry.authModes)]),
    ...stages.map((stage) => stage.options),
  ];
  const schemas = new Map(all.map(withNotes).map((schema) => [source.compiledName(schema), schema]));
  for (const [name, schema] of schemas) {
    const ajv = source.createAjv({ source: true, range });
    writeFileSync(join(folder, `${name}.js`), source.standaloneCode.default(ajv, ajv.compile(schema)));
  }
  return [...schemas.keys()];
}
