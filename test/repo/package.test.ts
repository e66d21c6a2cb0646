import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundled, ensureDashboard } from '../../.ci/dashboard.mjs';
import { packageOf, readProjectFile, root } from './tree.ts';

const manifest = JSON.parse(readProjectFile('package.json')) as {
  config: { node: string; env: string };
  bin: Record<string, string>;
  exports: Record<string, string | { types: string; default: string }>;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
};

const folder = mkdtempSync(join(tmpdir(), 'gateway-package-'));

/** Built by the scripts that `npm pack` runs, so the compiled files are new. */
function pack(): string[] {
  const run = spawnSync('npm', ['pack', '--json', '--silent', '--pack-destination', folder], { cwd: root, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`npm pack failed: ${run.stderr}`);
  const response = JSON.parse(run.stdout) as unknown;
  // npm 11 prints a list, older and newer versions an object by package name.
  const [report] = Array.isArray(response) ? response : Object.values(response as object);
  tarball = join(folder, (report as { filename: string }).filename);
  return (report as { files: { path: string }[] }).files.map((file) => file.path);
}

const dashboard = join(root, 'dist/dashboard');
let tarball = '';
let files: string[] = [];
let before = 0;
beforeAll(async () => {
  await ensureDashboard(root, (args: string[], cwd: string) => spawnSync('npm', args, { cwd }));
  before = statSync(dashboard).ino;
  files = pack();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the package', () => {
  it('contains the files that its manifest refers to', () => {
    const named = [
      ...Object.values(manifest.bin),
      ...Object.values(manifest.exports).flatMap((entry) => (typeof entry === 'string' ? [entry] : [entry.types, entry.default])),
    ];
    const missing = named.map((file) => file.replace(/^\.\//, '')).filter((file) => !files.includes(file));
    expect(missing).toEqual([]);
    const whole = ['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'gateway.yaml', 'dist/config-worker.js'];
    expect(files).toEqual(expect.arrayContaining(whole));
  });

  it('is built without replacing the dashboard folder, so a gateway that starts meanwhile can serve it', () => {
    expect(statSync(dashboard).ino).toBe(before);
  });

  it('contains the licenses of the packages in the script of the dashboard', () => {
    const licenses = readProjectFile('dist/dashboard/licenses.txt');
    for (const name of bundled) expect(licenses).toContain(readProjectFile(`node_modules/${name}/LICENSE`));
    expect(files).toContain('dist/dashboard/licenses.txt');
  });

  it('contains no sources, source maps, tests, fixtures, benchmarks or state', () => {
    expect(files.filter((file) => /\.test\.|\.map$|fixtures\/|^(src|plugins|test|bench|\.ci|\.gateway)\/(?!.*\.md$)/.test(file))).toEqual(
      [],
    );
  });

  it('contains every file that its pages link to', () => {
    const broken = files
      .filter((file) => file.endsWith('.md'))
      .flatMap((page) =>
        [...readProjectFile(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
          .map(([, link]) => join(dirname(page), link ?? '').replace(/\/$/, ''))
          .filter((target) => !files.some((file) => file === target || file.startsWith(`${target}/`)))
          .map((target) => `${page}: ${target}`),
      );
    expect(broken).toEqual([]);
  });

  it('is smaller than 1.5 MB, including the dashboard', () => {
    expect(statSync(tarball).size).toBeLessThan(1_500_000);
  });

  it('imports only its own files and its dependencies', () => {
    const named = { ...manifest.dependencies, ...manifest.peerDependencies };
    const compiled = files.filter((file) => /^dist\/.*\.(js|d\.ts)$/.test(file));
    const imports = compiled.flatMap((file) => {
      const text = readProjectFile(file);
      // The compiler writes double quotes and one import per line.
      return [
        ...text.matchAll(/^(?:import|export)\b(?:[^;'"`]*?\bfrom )? ?["']([^"'\n]+)["'];|\bimport\(\s*["']([^"'\n]+)["']\s*\)/gm),
      ].map(([, whole, lazy]) => ({ file, specifier: whole ?? lazy ?? '' }));
    });
    expect(imports.length).toBeGreaterThan(100);
    const broken = imports.filter(({ file, specifier }) => {
      if (!specifier.startsWith('.')) return !specifier.startsWith('node:') && named[packageOf(specifier)] === undefined;
      return !files.includes(join(dirname(file), specifier).replace(/(?<!\.d)\.ts$/, '.d.ts'));
    });
    expect(broken).toEqual([]);
  });

  it('checks a configuration without compiling a schema', () => {
    const list = join(folder, 'loaded');
    writeFileSync(list, '');
    const hook = pathToFileURL(join(root, 'test/repo/loaded-packages.mjs')).href;
    const env = { ...process.env, GATEWAY_LOADED_PACKAGES: list };
    const { status, stdout } = spawnSync(process.execPath, ['--import', hook, 'dist/bin.js', 'check'], {
      cwd: root,
      encoding: 'utf8',
      env,
    });
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringMatching(/^ok: /) });
    expect(readFileSync(list, 'utf8').trim().split('\n').toSorted()).toEqual(['commander', 'mustache', 'yaml']);
  });

  it('runs its command with the same flags and variable as npm start', () => {
    expect(readProjectFile('src/cli/bin.js').split('\n')[0]).toBe(`#!/usr/bin/env -S ${manifest.config.env} node ${manifest.config.node}`);
  });

  it('uses only flags that Node 20 accepts, so that an old Node can print the error', () => {
    const accepted = ['--no-allocation-site-pretenuring', '--max-semi-space-size', '--v8-pool-size'];
    expect(manifest.config.node.split(' ').filter((flag) => !accepted.includes(flag.replace(/=.*/, '')))).toEqual([]);
  });

  it.each(['20.1.0', '22.18.0'])('prints an error with Node %s', (node) => {
    const old = `data:text/javascript,Object.defineProperty(process, "versions", { value: { node: "${node}" } })`;
    const run = spawnSync(process.execPath, ['--import', old, 'dist/bin.js', 'check'], { cwd: root, encoding: 'utf8' });
    expect(run).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(/^gateway needs Node 22\.19 or newer.*\n$/) });
  });
});

/** The oldest supported Node; downloaded if CI requires all tests. */
const oldest = '22.19.0';
const isStrict = process.env.GATEWAY_TEST_STRICT === '1';
const prefix = join(folder, 'prefix');

/** Set if packages cannot be installed; with GATEWAY_TEST_STRICT=1 that is a failure. */
let missing: string | undefined;

interface ProcessResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const withNode = (node: string): NodeJS.ProcessEnv => {
  const { NODE_OPTIONS: _, ...env } = process.env;
  return { ...env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`, npm_config_prefer_offline: 'true' };
};

function run(command: string, args: readonly string[], cwd: string, node = process.execPath): ProcessResult {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env: withNode(node), encoding: 'utf8', timeout: 240_000 });
  return { status, stdout, stderr };
}

const newFolder = (name: string): string => {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
};

/** The path of the Node that npm installed, or the reason why it is missing. */
function fetchNode(version: string): { readonly path: string } | { readonly missing: string } {
  if (!isStrict) return { missing: 'only with GATEWAY_TEST_STRICT=1, since it is a download of 50 MB' };
  const name = `node-${process.platform}-${process.arch}`;
  const cwd = newFolder(`node-${version}`);
  const { status, stderr } = run('npm', ['install', '--prefix', cwd, '--ignore-scripts', '--no-save', `${name}@${version}`], cwd);
  if (status !== 0) throw new Error(`Node ${version}: ${stderr}`);
  return { path: join(cwd, 'node_modules', name, 'bin', 'node') };
}

const nodes = [
  { name: process.versions.node, found: { path: process.execPath } },
  { name: oldest, found: fetchNode(oldest) },
];

beforeAll(() => {
  const installed = run('npm', ['install', '--global', '--prefix', prefix, tarball], folder);
  if (installed.status === 0) return;
  if (isStrict || !/ENOTFOUND|ECONN|EAI_AGAIN|ETIMEDOUT|ENOTCACHED/.test(installed.stderr)) throw new Error(installed.stderr);
  missing = 'the registry is out of reach';
}, 300_000);

describe.each(nodes)('the installed package on Node $name', ({ name, found }) => {
  const gateway = join(prefix, 'bin', 'gateway');
  const node = 'path' in found ? found.path : '';

  it('prints its version', (test) => {
    if ('missing' in found) test.skip(found.missing);
    test.skip(missing !== undefined, missing);
    expect(run(gateway, ['--version'], folder, node)).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  });

  it('checks a configuration with a TypeScript plugin', (test) => {
    if ('missing' in found) test.skip(found.missing);
    test.skip(missing !== undefined, missing);
    const cwd = newFolder(`own-plugin-${name}`);
    const example = join(root, 'configs/examples/own-plugin');
    for (const file of readdirSync(example)) copyFileSync(join(example, file), join(cwd, file));
    expect(run(gateway, ['check', '-c', 'gateway.yaml'], cwd, node)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('ok: 1 file'),
    });
  });

  it('serves requests, and exits with 0 on SIGTERM', async (test) => {
    if ('missing' in found) test.skip(found.missing);
    test.skip(missing !== undefined, missing);
    const cwd = newFolder(`serve-${name}`);
    writeFileSync(join(cwd, 'gateway.yaml'), 'version: 1\nproviders:\n  mock: {type: mock}\n');
    const child = spawn(gateway, ['start', '--listen', '127.0.0.1:0'], { cwd, env: withNode(node), stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    try {
      const { url, node: version } = await started(child);
      expect(version).toBe(`v${name}`);
      const body = JSON.stringify({ model: '@mock/echo', messages: [{ role: 'user', content: 'hello' }] });
      const response = await fetch(`${url}/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'hello' } }] });
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

/** Waits for the log line of a started gateway. */
async function started(child: ChildProcess): Promise<{ url: string; node: string }> {
  const seen: string[] = [];
  if (child.stdout === null || child.stderr === null) throw new Error('the child has no outputs');
  child.stderr.on('data', (chunk: Buffer) => seen.push(chunk.toString()));
  for await (const line of createInterface({ input: child.stdout })) {
    seen.push(line);
    if (line.includes('"gateway started"')) {
      child.stdout.resume();
      return JSON.parse(line) as { url: string; node: string };
    }
  }
  throw new Error(`the gateway did not start: ${seen.join('\n')}`);
}

describe('the packed file', () => {
  it('runs with npx', (test) => {
    test.skip(missing !== undefined, missing);
    const result = run('npx', ['--yes', `--package=${tarball}`, 'gateway', '--version'], newFolder('npx'));
    expect(result).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  it('installs as a dependency with its command, types and functions', (test) => {
    test.skip(missing !== undefined, missing);
    const cwd = newFolder('dependency');
    writeFileSync(join(cwd, 'package.json'), '{"private":true,"type":"module"}');
    expect(run('npm', ['install', tarball], cwd)).toMatchObject({ status: 0 });
    expect(run(join(cwd, 'node_modules/.bin/gateway'), ['--version'], cwd)).toMatchObject({ status: 0 });
    writeFileSync(
      join(cwd, 'plugin.ts'),
      `import { definePlugin, type Plugin } from 'llm-gateway/plugin';
       import type { Provider } from 'llm-gateway/provider';
       export const name = (provider: Provider): string => provider.type;
       const plugin: Plugin<{ team: string }> = {
         name: 'mine', options: { type: 'object' },
         setup: ({ team }, host) => ({ admit: (ctx) => { if (ctx.metadata.team !== team) throw host.error('not_allowed', { message: team }); return undefined; } }),
       };
       const named: number = plugin.name; // wrong on purpose
       export default definePlugin(plugin);`,
    );
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types'), '--noEmit', '--strict', '--module', 'nodenext'];
    const checked = run(
      process.execPath,
      [join(root, 'node_modules/typescript/bin/tsc'), ...types, '--target', 'esnext', 'plugin.ts'],
      cwd,
    );
    // The only error is the intended one, which proves that the types are used.
    expect(checked.stdout.split('\n').filter((line) => /error TS/.test(line))).toEqual([
      expect.stringMatching(/^plugin\.ts\(8,\d+\): error TS2322/),
    ]);
    const used = run(process.execPath, ['-e', "import('llm-gateway/plugin').then(m => console.log(m.definePlugin({name:'a'}).name))"], cwd);
    expect(used).toMatchObject({ status: 0, stdout: 'a\n' });
  });
});
