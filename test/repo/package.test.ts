import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { importsOf, packageOf, readProjectFile, root } from './tree.ts';

const manifest = JSON.parse(readProjectFile('package.json')) as {
  name: string;
  config: { node: string };
  bin: Record<string, string>;
  exports: Record<string, string | { types: string; default: string }>;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
};

function packed(): string[] {
  const run = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' });
  const answer = JSON.parse(run.stdout) as unknown;
  // npm 11 answers a list, older and newer ones an object by package name.
  const [report] = Array.isArray(answer) ? answer : Object.values(answer as object);
  return (report as { files: { path: string }[] }).files.map((file) => file.path);
}

describe('the package', () => {
  const files = packed();

  it('contains what its manifest points at', () => {
    const named = [
      ...Object.values(manifest.bin),
      ...Object.values(manifest.exports).flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry))),
    ];
    const missing = named.map((file) => file.replace(/^\.\//, '')).filter((file) => !files.includes(file));
    expect(missing).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'gateway.yaml', 'src/main.ts', 'plugins/index.ts']),
    );
  });

  it('leaves tests, fixtures, benchmarks and state at home', () => {
    expect(files.filter((file) => /\.test\.ts$|fixtures\/|^(test|bench|\.ci|\.gateway)\//.test(file))).toEqual([]);
  });

  it('brings every file and every package that its sources import', () => {
    const imports = files.filter((file) => file.endsWith('.ts')).flatMap((file) => importsOf(file, readProjectFile(file)));
    const broken = imports.filter((entry) => {
      if (entry.own) return !files.includes(entry.target);
      // Examples of plugins import types by the package's own name.
      if (packageOf(entry.target) === manifest.name) return manifest.exports[entry.target.replace(manifest.name, '.')] === undefined;
      const erased = entry.typeOnly && packageOf(entry.target) === 'json-schema-to-ts';
      const named = { ...manifest.dependencies, ...manifest.peerDependencies };
      return !erased && !entry.target.startsWith('node:') && named[packageOf(entry.target)] === undefined;
    });
    expect(broken.map((entry) => `${entry.file}: ${entry.specifier}`)).toEqual([]);
  });

  it('runs the command with the same flags for Node as npm start', () => {
    expect(readProjectFile('src/cli/bin.js').split('\n')[0]).toBe(`#!/usr/bin/env -S node ${manifest.config.node}`);
  });

  it('answers an old Node with a sentence', () => {
    const old = 'data:text/javascript,Object.defineProperty(process, "versions", { value: { node: "20.1.0" } })';
    const run = spawnSync(process.execPath, ['--import', old, 'src/cli/bin.js', 'check'], { cwd: root, encoding: 'utf8' });
    expect(run).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(/^gateway needs Node 24 or newer.*\n$/) });
  });
});
