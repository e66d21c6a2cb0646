import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readProjectFile, root } from './tree.ts';

const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: Record<string, string> };

describe('npm scripts', () => {
  it.each(['start', 'dev', 'gateway', 'test', 'check', 'fix', 'gen', 'fuzz', 'bench'])('%s installs what is missing first', (name) => {
    expect(scripts[name]).toBeDefined();
    expect(scripts[`pre${name}`]).toBe('node .ci/ensure-install.mjs');
  });

  it('test runs types, lint, format, unit and integration in this order, and stops at the first that fails', () => {
    expect(scripts.test).toBe(['types', 'lint', 'format', 'unit', 'integration'].map((kind) => `npm run --silent ${kind}`).join(' && '));
  });

  it('find the packages of the lock file installed', () => {
    const run = spawnSync(process.execPath, ['.ci/ensure-install.mjs'], { cwd: root, encoding: 'utf8' });
    expect(run).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });
});

describe('the closing line of CI', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-counts-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const file = (status: string, ...results: string[]) => ({ status, assertionResults: results.map((result) => ({ status: result })) });
  const cases = [
    {
      name: 'adds up reports',
      reports: [[file('passed', 'passed', 'passed')], [file('passed', 'passed', 'skipped')]],
      statuses: ['0', '0'],
      line: '3 passed, 0 failed, 1 skipped',
      exit: 0,
    },
    {
      name: 'counts failures',
      reports: [[file('failed', 'passed', 'failed')]],
      statuses: ['1', '0'],
      line: '1 passed, 1 failed, 0 skipped',
      exit: 1,
    },
    {
      name: 'counts a file that could not be loaded',
      reports: [[file('failed'), file('passed', 'passed')]],
      statuses: ['1', '0'],
      line: '1 passed, 1 failed, 0 skipped',
      exit: 1,
    },
    { name: 'counts a failing part without tests', reports: [], statuses: ['2', '0'], line: '0 passed, 1 failed, 0 skipped', exit: 1 },
    {
      name: 'counts dead code',
      reports: [[file('passed', 'passed')]],
      statuses: ['0', '1'],
      line: '1 passed, 1 failed, 0 skipped',
      exit: 1,
    },
    { name: 'takes a run without tests for a failure', reports: [], statuses: ['0', '0'], line: '0 passed, 1 failed, 0 skipped', exit: 1 },
  ];

  it.each(cases)('$name', ({ reports, statuses, line, exit }) => {
    for (const [n, testResults] of reports.entries()) writeFileSync(join(folder, `${n}.json`), JSON.stringify({ testResults }));
    const run = spawnSync(process.execPath, [join(root, '.ci/counts.mjs'), folder, ...statuses], { encoding: 'utf8' });
    expect({ line: run.stdout, exit: run.status }).toEqual({ line: `${line}\n`, exit });
  });
});
