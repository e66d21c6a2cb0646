import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readProjectFile, root } from './tree.ts';

interface LockEntry {
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly libc?: readonly string[];
  readonly cpu?: readonly string[];
}

const { packages } = JSON.parse(readProjectFile('package-lock.json')) as { packages: Record<string, LockEntry> };
const { dependencies } = JSON.parse(readProjectFile('package.json')) as { dependencies: Record<string, string> };
const entries = Object.entries(packages).filter(([path, entry]) => path !== '' && entry.link !== true);

/** The platforms whose packages the registry in reach has: Linux with glibc on the two usual processors. */
const isElsewhere = ({ os = [], libc = [], cpu = [] }: LockEntry): boolean =>
  !os.includes('linux') || libc.includes('musl') || !(cpu.includes('x64') || cpu.includes('arm64'));

describe('the lock file', () => {
  it('has a SHA-512 hash for each package that runs, or is installed on Linux', () => {
    const bare = entries.filter(([, entry]) => entry.integrity?.startsWith('sha512-') !== true);
    // Development tools for other platforms: their entries were added without the registry, and npm does not check them.
    expect(bare.filter(([, entry]) => !(entry.dev === true && entry.optional === true && isElsewhere(entry)))).toEqual([]);
  });
});

describe('npm run sbom', () => {
  const made = (): string => spawnSync(process.execPath, ['.ci/sbom.mjs'], { cwd: root, encoding: 'utf8' }).stdout;

  it('names what runs, with hashes, and the same bytes each time', () => {
    const text = made();
    const bom = JSON.parse(text) as {
      bomFormat: string;
      metadata: { component: { name: string } };
      components: { name: string; version: string; hashes: { alg: string; content: string }[] }[];
    };
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'llm-gateway' } } });
    const listed = new Map(bom.components.map((one) => [one.name, one]));
    for (const [name, version] of Object.entries(dependencies)) expect(listed.get(name)).toMatchObject({ version });
    for (const { name, hashes } of bom.components) {
      expect({ name, alg: hashes[0]?.alg }).toEqual({ name, alg: 'SHA-512' });
      expect(hashes[0]?.content).toMatch(/^[0-9a-f]{128}$/);
    }
    for (const tool of ['vitest', 'typescript', 'oxlint']) expect(listed.has(tool)).toBe(false);
    expect(text).not.toContain(root);
    expect(made()).toBe(text);
  });
});
