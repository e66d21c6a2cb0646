import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { compile } from '../../.ci/compile.mjs';
import { ensureDashboard } from '../../.ci/dashboard.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** The compiled command, as in the package: it starts in a third of the time that the sources take. */
    command: string;
  }
}

/** Builds the dashboard and compiles the command, once for all tests, so that neither changes while tests use it. */
export default async function setup(project: TestProject): Promise<() => void> {
  const root = join(import.meta.dirname, '../..');
  const problem = await ensureDashboard(root, (args, cwd) => spawnSync('npm', args, { cwd }));
  if (problem !== undefined) throw new Error(`the dashboard was not built: ${problem}`);
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'compiled-'));
  const dist = join(folder, 'dist');
  await compile(root, dist);
  symlinkSync(join(root, 'dist/dashboard'), join(dist, 'dashboard'));
  project.provide('command', join(dist, 'bin.js'));
  return () => rmSync(folder, { recursive: true, force: true });
}
