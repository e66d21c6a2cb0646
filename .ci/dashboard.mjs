// Compiles the dashboard (src/admin/ui) into dist/dashboard: one page, one script, one style sheet. Plain JavaScript without
// packages, since `npm start` on a fresh clone runs it with any installed Node (20 or newer).
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Packages of which the bundle contains code. */
export const bundled = ['preact', '@preact/signals', 'uplot'];
/** Inputs of the bundle: packages at the versions of the lock file, and folders of the sources. */
const packages = ['esbuild', ...bundled];
const sources = ['src/admin/ui', 'src/admin/api-types.ts', 'src/query', 'src/core', '.ci/dashboard.mjs'];

const stampOf = (root) => join(root, 'dist', 'dashboard', 'built-from.txt');

/**
 * Returns a hash of all inputs of the bundle. Uses contents instead of file times, because a checkout changes the times of
 * unchanged files.
 */
function stateOf(root) {
  const hash = createHash('sha256');
  const add = (path) =>
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, path)))
      .update('\0');
  for (const source of sources) {
    if (!existsSync(join(root, source))) continue;
    if (/\.m?ts$|\.mjs$/.test(source)) {
      add(source);
      continue;
    }
    const entries = readdirSync(join(root, source), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && /\.(tsx?|css|html)$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name));
    for (const entry of files.map(({ parentPath, path, name }) => join(parentPath ?? path, name)).sort()) add(entry.slice(root.length + 1));
  }
  const lock = lockOf(root);
  for (const name of packages) hash.update(`${name}@${lock[`node_modules/${name}`]?.version ?? ''}`);
  return hash.digest('hex');
}

function lockOf(root) {
  try {
    return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages ?? {};
  } catch {
    return {};
  }
}

/** True if dist/dashboard matches the sources. */
export const isBuilt = (root) => existsSync(stampOf(root)) && readFileSync(stampOf(root), 'utf8') === stateOf(root);

/** @param modules folder of the packages esbuild and preact */
export async function buildDashboard(root, modules = join(root, 'node_modules')) {
  const state = stateOf(root);
  const ui = join(root, 'src/admin/ui');
  mkdirSync(join(root, 'dist'), { recursive: true });
  // Built in a separate folder and then moved, so that a running gateway never serves a partial file.
  const out = mkdtempSync(join(root, 'dist', '.dashboard-'));
  try {
    const { build } = await import(pathToFileURL(createRequire(join(modules, 'x.js')).resolve('esbuild')).href);
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: [
        { in: join(ui, 'main.tsx'), out: 'dashboard' },
        { in: join(ui, 'styles/main.css'), out: 'dashboard' },
      ],
      outdir: out,
      bundle: true,
      minify: true,
      format: 'iife',
      target: ['chrome110', 'firefox115', 'safari16.4'],
      jsx: 'automatic',
      jsxImportSource: 'preact',
      nodePaths: [modules],
      legalComments: 'none',
      metafile: true,
      logLevel: 'warning',
    });
    cpSync(join(ui, 'index.html'), join(out, 'index.html'));
    writeFileSync(join(out, 'licenses.txt'), licensesOf(Object.keys(metafile.inputs), root));
    const to = dirname(stampOf(root));
    mkdirSync(to, { recursive: true });
    // Each file is replaced at once, so that none is missing at any time, also if several processes build. The stamp is the last.
    const move = (name) => renameSync(join(out, name), join(to, name));
    for (const name of readdirSync(out)) move(name);
    writeFileSync(join(out, 'built-from.txt'), state);
    move('built-from.txt');
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/**
 * Returns the licenses of the bundled packages, which require that every copy contains them.
 *
 * @param {string[]} inputs paths of the files in the bundle
 * @param {string} root
 */
function licensesOf(inputs, root) {
  const folders = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
  const textOf = (folder) =>
    `${folder.slice(folder.lastIndexOf('node_modules/') + 13)}\n\n${readFileSync(join(root, folder, 'LICENSE'), 'utf8')}`;
  return [...folders].sort().map(textOf).join('\n\n');
}

/**
 * Builds the dashboard if the sources have changed. Without development packages it installs the packages for the bundle into a
 * temporary folder, verified by the hashes of the lock file.
 *
 * @param npm runs npm with arguments in a folder: { status }
 * @returns the problem, or undefined; a failed build of the dashboard never stops the gateway
 */
export async function ensureDashboard(root, npm) {
  if (!existsSync(join(root, 'src/admin/ui/main.tsx')) || isBuilt(root)) return undefined;
  const modules = join(root, 'node_modules');
  if (packages.every((name) => existsSync(join(modules, name, 'package.json')))) return attempt(() => buildDashboard(root, modules));
  const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
  try {
    const lock = neededOf(lockOf(root));
    const dependencies = Object.fromEntries(packages.map((name) => [name, lock[`node_modules/${name}`]?.version]));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies }));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages: { '': { dependencies }, ...lock } }));
    if (npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder).status !== 0)
      return 'npm could not fetch the packages of the build';
    return await attempt(() => buildDashboard(root, join(folder, 'node_modules')));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function attempt(build) {
  try {
    await build();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns the lock file's entries of `packages` and their dependencies, as production entries. */
function neededOf(lock) {
  const needed = {};
  const visit = (name) => {
    const path = `node_modules/${name}`;
    const entry = lock[path];
    if (entry === undefined || path in needed) return;
    const { dev: _dev, devOptional: _devOptional, ...rest } = entry;
    needed[path] = rest;
    for (const next of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) visit(next);
  };
  for (const name of packages) visit(name);
  return needed;
}
