import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readProjectFile, root } from './tree.ts';

const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: Record<string, string> };

describe('npm scripts', () => {
  it.each(['dev', 'test', 'check', 'fix', 'gen', 'fuzz', 'bench'])('%s installs missing packages first', (name) => {
    expect(scripts[name]).toBeDefined();
    expect(scripts[`pre${name}`]).toBe('node .ci/ensure-install.mjs');
  });

  it.each(['start', 'gateway'])('%s installs missing production packages first', (name) => {
    expect(scripts[`pre${name}`]).toBe('node .ci/ensure-install.mjs --serving');
  });

  it('test runs types, lint, format, unit and integration in this order, and stops at the first failure', () => {
    expect(scripts.test).toBe(['types', 'lint', 'format', 'unit', 'integration'].map((kind) => `npm run --silent ${kind}`).join(' && '));
  });

  it('find the packages of the lock file installed', () => {
    const run = spawnSync(process.execPath, ['.ci/ensure-install.mjs'], { cwd: root, encoding: 'utf8' });
    expect(run).toMatchObject({ status: 0, stdout: '' });
    // The dashboard may be built: its sources can change while the tests run.
    expect(run.stderr).not.toMatch(/Installing|failed/);
  });
});

describe('ensure-install.mjs', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-install-'));
    mkdirSync(join(folder, '.ci'));
    for (const file of ['ensure-install.mjs', 'node.mjs']) copyFileSync(join(root, '.ci', file), join(folder, '.ci', file));
    // Replaces npm and prints its arguments.
    writeFileSync(join(folder, 'npm.mjs'), 'process.stdout.write(`asked: ${process.argv.slice(2).join(" ")}`);');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const current = { 'node_modules/run': { version: '2.0.0' } };
  const tool = { 'node_modules/tool': { version: '1.0.0', dev: true } };
  const lock = { ...current, ...tool };
  const outdated = { 'node_modules/run': { version: '1.0.0' } };

  it.each([
    { name: 'none are installed, for serving', flags: ['--serving'], have: undefined, asked: '--omit=dev' },
    { name: 'none are installed, for development', flags: [], have: undefined, asked: '--include=dev' },
    { name: 'production packages are installed, for serving', flags: ['--serving'], have: current, asked: undefined },
    { name: 'production packages are installed, for development', flags: [], have: current, asked: '--include=dev' },
    { name: 'outdated packages are installed, for serving', flags: ['--serving'], have: outdated, asked: '--omit=dev' },
    {
      name: 'outdated packages and tools are installed, for serving',
      flags: ['--serving'],
      have: { ...outdated, ...tool },
      asked: '--include=dev',
    },
    { name: 'all are installed, for development', flags: [], have: lock, asked: undefined },
  ])('installs the right packages if $name', ({ flags, have, asked }) => {
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: lock }));
    mkdirSync(join(folder, 'node_modules'));
    if (have !== undefined) writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages: have }));
    const env = { ...process.env, npm_execpath: join(folder, 'npm.mjs'), npm_node_execpath: process.execPath };
    const run = spawnSync(process.execPath, ['.ci/ensure-install.mjs', ...flags], { cwd: folder, env, encoding: 'utf8' });
    expect(run.status).toBe(0);
    expect(/asked: (.*)$/.exec(run.stderr)?.[1]).toBe(asked === undefined ? undefined : `ci --loglevel=error ${asked}`);
  });
});

describe('npm start', () => {
  it('forwards SIGTERM: the gateway drains, and both processes exit with 0', async () => {
    const child = spawn('npm', ['start', '--silent', '--', '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    const lines: Record<string, unknown>[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('{')) continue;
      lines.push(JSON.parse(line) as Record<string, unknown>);
      if (lines.at(-1)?.msg === 'gateway started') child.kill('SIGTERM');
    }
    // Its output is closed, so no process that could write to it is left.
    expect(await ended).toEqual([0, null]);
    expect(lines.map((line) => line.msg)).toEqual(['gateway started', 'stopping', 'stopped']);
  });
});

describe('summary line of CI', () => {
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
    { name: 'counts a run without tests as a failure', reports: [], statuses: ['0', '0'], line: '0 passed, 1 failed, 0 skipped', exit: 1 },
  ];

  it.each(cases)('$name', ({ reports, statuses, line, exit }) => {
    for (const [n, testResults] of reports.entries()) writeFileSync(join(folder, `${n}.json`), JSON.stringify({ testResults }));
    const run = spawnSync(process.execPath, [join(root, '.ci/counts.mjs'), folder, ...statuses], { encoding: 'utf8' });
    expect({ line: run.stdout, exit: run.status }).toEqual({ line: `${line}\n`, exit });
  });
});
