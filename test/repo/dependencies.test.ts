import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProjectFile, root } from './tree.ts';

interface LockEntry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock = JSON.parse(readProjectFile('package-lock.json')) as { packages: Record<string, LockEntry> };
const entries = Object.entries(lock.packages).filter(([path]) => path !== '');
const runtime = entries.filter(([, entry]) => entry.dev !== true && entry.devOptional !== true);
const manifest = JSON.parse(readProjectFile('package.json')) as Record<'dependencies' | 'devDependencies', Record<string, string>>;

const allowedLicences = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0', 'Unlicense', '0BSD']);

/** The licence in the package, or in the lock file if the package is not installed on this platform. */
function licenceOf(path: string, entry: LockEntry): string {
  try {
    const { license } = JSON.parse(readProjectFile(join(path, 'package.json'))) as { license?: string | { type: string } };
    return (typeof license === 'object' ? license.type : license) ?? 'none stated';
  } catch {
    return entry.license ?? 'none stated';
  }
}

describe('dependencies', () => {
  it('for production have a permitted licence', () => {
    expect(runtime.length).toBeGreaterThan(10);
    const others = runtime
      .map(([path, entry]) => `${path}: ${licenceOf(path, entry)}`)
      .filter((line) => !allowedLicences.has(line.split(': ')[1] ?? ''));
    expect(others).toEqual([]);
  });

  it('for production have no install script', () => {
    expect(runtime.filter(([, entry]) => entry.hasInstallScript === true).map(([path]) => path)).toEqual([]);
  });

  it.each(['', 'test/recipes/clients/libraries/', 'test/recipes/clients/programs/'])(
    'are pinned to exact versions, and their lock file contains no URLs: %s',
    (folder) => {
      const text = readProjectFile(`${folder}package-lock.json`);
      expect(text).not.toMatch(/"resolved":|https?:\/\/[^"]*\.tgz/);
      const { dependencies, devDependencies } = JSON.parse(readProjectFile(`${folder}package.json`)) as Partial<typeof manifest>;
      expect(Object.values({ ...dependencies, ...devDependencies }).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    },
  );

  it('are locked for every platform, which npm ci requires', () => {
    const named = entries.flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}));
    const missing = named.filter((name) => lock.packages[`node_modules/${name}`] === undefined);
    expect(missing, 'run node .ci/complete-lock.mjs').toEqual([]);
  });

  it('are installed in the locked versions', () => {
    const installed = JSON.parse(readProjectFile('node_modules/.package-lock.json')) as { packages: Record<string, LockEntry> };
    const different = runtime.filter(([path, entry]) => installed.packages[path]?.version !== entry.version);
    expect(
      different.map(([path]) => path),
      `run npm ci in ${root}`,
    ).toEqual([]);
  });
});
