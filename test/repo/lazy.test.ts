import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from './tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-lazy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Loaded {
  readonly status: number | null;
  readonly output: string;
  readonly packages: string[];
}

/** The npm packages that a command loads in any of its threads. */
const packagesOf = (args: readonly string[]): Loaded => loadedBy([join(root, 'src/main.ts'), ...args]);

function loadedBy(args: readonly string[]): Loaded {
  const list = join(folder, 'loaded');
  writeFileSync(list, '');
  const hook = pathToFileURL(join(root, 'test/repo/loaded-packages.mjs')).href;
  const run = spawnSync(process.execPath, ['--import', hook, ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, GATEWAY_LOADED_PACKAGES: list },
  });
  const packages = [...new Set(readFileSync(list, 'utf8').split('\n'))].filter((name) => name !== '').sort();
  return { status: run.status, output: run.stdout + run.stderr, packages };
}

describe('packages that a command loads', () => {
  it('gateway check loads no library for network, logging or proxying', () => {
    const { status, output, packages } = packagesOf(['check', 'gateway.yaml']);
    expect({ status, output }).toMatchObject({ status: 0 });
    expect(packages).toEqual(expect.arrayContaining(['yaml', 'ajv', 'commander']));
    expect(packages.filter((name) => ['undici', 'pino', 'chokidar', 'jose', 'ws'].includes(name))).toEqual([]);
  });

  it('gateway health loads only the libraries to read its address', () => {
    const file = join(folder, 'closed.yaml');
    writeFileSync(file, 'version: 1\nserver: {listen: "127.0.0.1:1"}\n');
    const { status, output, packages } = packagesOf(['health', '-c', file]);
    expect({ status, output }).toMatchObject({ status: 1, output: expect.stringContaining('unreachable') });
    expect(packages).toEqual(['commander', 'yaml']);
  });

  it('gateway --help loads only the command line library', () => {
    const { status, packages } = packagesOf(['--help']);
    expect(status).toBe(0);
    expect(packages).toEqual(['commander']);
  });

  it('gateway start loads only what a plain configuration needs', () => {
    const script = `for (const file of ['./src/cli/start/index.ts', './src/admin/start.ts', './plugins/index.ts']) await import(file);
      console.log(process.moduleLoadList.filter((name) => /undici|http2/.test(name)).join());`;
    const { status, output, packages } = loadedBy(['--input-type=module', '--eval', script]);
    // Node's `fetch` is loaded by an import statement of `node:http`.
    expect({ status, output }).toEqual({ status: 0, output: '\n' });
    expect(packages.filter((name) => !['chokidar', 'readdirp'].includes(name) && !pinoParts.test(name))).toEqual([]);
  });
});

const pinoParts = /pino|thread-stream|sonic-boom|atomic-sleep|on-exit-leak-free|quick-format-unescaped|safe-stable-stringify/;
