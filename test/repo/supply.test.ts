import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bundled } from '../../.ci/dashboard.mjs';
import { hasNode, installNode, oldest, version } from '../../.ci/node.mjs';
import { readProjectFile, root } from './tree.ts';

interface LockEntry {
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly libc?: readonly string[];
  readonly cpu?: readonly string[];
}

const { packages } = JSON.parse(readProjectFile('package-lock.json')) as { packages: Record<string, LockEntry> };
const { dependencies } = JSON.parse(readProjectFile('package.json')) as { dependencies: Record<string, string> };
const entries = Object.entries(packages).filter(([path, entry]) => path !== '' && entry.link !== true);

/** True for packages of platforms other than Linux with glibc on x64 or arm64. */
const isElsewhere = ({ os = [], libc = [], cpu = [] }: LockEntry): boolean =>
  !os.includes('linux') || libc.includes('musl') || !(cpu.includes('x64') || cpu.includes('arm64'));

describe('package-lock.json', () => {
  it('has a SHA-512 hash for each production package, and for each package installed on Linux', () => {
    const bare = entries.filter(([, entry]) => entry.integrity?.startsWith('sha512-') !== true);
    // Entries of development tools for other platforms were added without the registry; npm does not check them.
    expect(bare.filter(([, entry]) => !(entry.dev === true && entry.optional === true && isElsewhere(entry)))).toEqual([]);
  });
});

describe('install scripts', () => {
  it('exist only in packages that unpack their own files', () => {
    const scripted = entries.filter(([, entry]) => entry.hasInstallScript === true && !entry.os?.includes('darwin'));
    expect(scripted.map(([path]) => path)).toEqual(['node_modules/esbuild']);
  });
});

describe('Node for development', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-node-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is not installed if the hash of its package is wrong', () => {
    const commands: string[][] = [];
    const npm = (args: string[], cwd: string): { status: number } => {
      commands.push(args);
      writeFileSync(join(cwd, 'node.tgz'), 'something else');
      return { status: 0 };
    };
    expect(installNode(folder, npm)).toMatch(/is not what it was: its hash is sha512-/);
    expect(commands).toEqual([['pack', expect.stringContaining(`@${version}`), '--loglevel=error']]);
    expect(existsSync(join(folder, '.bin', 'node'))).toBe(false);
  });

  it.each([
    ['serving', '20.19.1', false],
    ['serving', '22.18.0', false],
    ['serving', '22.19.0', true],
    ['serving', '24.0.0', true],
    ['developing', '20.19.1', false],
    ['developing', '22.21.0', false],
    ['developing', '24.0.0', true],
    ['developing', '25.1.0', true],
  ] as const)('for %s, the installed Node %s is sufficient: %s', (purpose, running, has) => {
    expect(hasNode(folder, oldest[purpose], running)).toBe(has);
  });
});

describe('npm run sbom', () => {
  const made = (): string => spawnSync(process.execPath, ['.ci/sbom.mjs'], { cwd: root, encoding: 'utf8' }).stdout;

  it('lists production packages with hashes, and always the same bytes', () => {
    const text = made();
    const bom = JSON.parse(text) as {
      bomFormat: string;
      metadata: { component: { name: string } };
      components: { name: string; version: string; hashes: { alg: string; content: string }[] }[];
    };
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'llm-gateway' } } });
    const listed = new Map(bom.components.map((one) => [one.name, one]));
    for (const [name, version] of Object.entries(dependencies)) expect(listed.get(name)).toMatchObject({ version });
    for (const name of bundled) expect(listed.has(name)).toBe(true);
    for (const { name, hashes } of bom.components) {
      expect({ name, alg: hashes[0]?.alg }).toEqual({ name, alg: 'SHA-512' });
      expect(hashes[0]?.content).toMatch(/^[0-9a-f]{128}$/);
    }
    for (const tool of ['vitest', 'typescript', 'oxlint']) expect(listed.has(tool)).toBe(false);
    expect(text).not.toContain(root);
    expect(made()).toBe(text);
  });
});
