// Runs before every npm script: installs the packages if they are missing or differ from the lock file. `--serving` checks only
// those that a running gateway needs, a small part of the download. Plain JavaScript without packages, since it runs on a fresh
// clone with any installed Node (20 or newer).
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasNode, installNode, oldest, version } from './node.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const isServing = process.argv.includes('--serving');

/** npm writes this file last, so it exists only after a complete installation. */
const installed = join(modules, '.package-lock.json');

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
  } catch {
    return undefined;
  }
}

/** Compares versions instead of file times, because a checkout changes the time of an unchanged lock file. */
function isCurrent() {
  const have = packagesOf(installed);
  const want = packagesOf(join(root, 'package-lock.json'));
  if (have === undefined || want === undefined) return false;
  return Object.entries(want).every(([path, entry]) => {
    if (path === '' || entry.optional || entry.devOptional || entry.peer || (isServing && entry.dev)) return true;
    return have[path]?.version === entry.version;
  });
}

/** True if development packages are installed. They are kept if only a package of the gateway is outdated. */
const hasTools = () => Object.values(packagesOf(installed) ?? {}).some((entry) => entry.dev);

/** Runs the Node and npm that the user called, not those in node_modules, which are about to be replaced. */
function npm(args, cwd = root) {
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.startsWith(modules));
  const { npm_execpath: script, npm_node_execpath: node } = process.env;
  const outerNode = node !== undefined && !node.startsWith(modules) && existsSync(node);
  const [command, first] = script !== undefined && outerNode ? [node, [script]] : ['npm', []];
  return spawnSync(command, [...first, ...args], {
    cwd,
    // npm's progress goes to stderr, so that a script's stdout contains only its own output.
    stdio: ['ignore', 2, 2],
    env: { ...process.env, PATH: path.join(delimiter) },
  });
}

if (!isCurrent()) {
  process.stderr.write('Installing the packages of package-lock.json …\n');
  const result = npm(['ci', '--loglevel=error', isServing && !hasTools() ? '--omit=dev' : '--include=dev']);
  if (result.status !== 0) {
    process.stderr.write(`npm ci failed${result.error === undefined ? '' : `: ${result.error.message}`}. Run it by hand to see why.\n`);
    process.exit(result.status ?? 1);
  }
}

if (!hasNode(modules, isServing ? oldest.serving : oldest.developing)) {
  process.stderr.write(`Installing Node ${version} …\n`);
  const problem = installNode(modules, npm);
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`);
    process.exit(1);
  }
}

// A copy with only the tools has no dashboard sources.
if (existsSync(join(root, 'src/admin/ui/main.tsx'))) {
  const { ensureDashboard, isBuilt } = await import('./dashboard.mjs');
  if (!isBuilt(root)) process.stderr.write('Building the dashboard …\n');
  const problem = await ensureDashboard(root, npm);
  if (problem !== undefined) process.stderr.write(`The dashboard was not built: ${problem}\nThe gateway works without it.\n`);
}
