import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReloadPlan } from '../../src/cli/plan/routing.ts';
import { type RunResult, runHere } from './in-process.ts';

const plain = 'sk-in-the-old-file-0123456789abcdef';
const main = `version: 1
include: ["configs/*.yaml", "\${env:EXTRA:-linked.yaml}", ../shared.yaml, "parts/*.yaml", through.yaml]
providers:
  mock: {type: mock}
  plain: {type: openai, api_key: ${plain}}
`;
const config = (name: string, temperature: number): string =>
  `configs:\n  ${name}: {targets: [{provider: mock, override_params: {temperature: ${temperature}}}]}\n`;

let root: string;
let folder: string;
const env = { PATH: process.env['PATH'] ?? '' };

function git(...args: string[]): void {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.invalid', '-c', 'commit.gpgsign=false'];
  const { status, stderr } = spawnSync('git', ['-C', root, ...who, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
}

async function commit(tag: string, files: Readonly<Record<string, string>>): Promise<void> {
  await write(files);
  git('add', '--all');
  git('commit', '--quiet', '--message', tag);
  git('tag', tag);
}

const plan = (...args: string[]): Promise<RunResult> => runHere(['plan', ...args], folder, { env });

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'plan-git-'));
  folder = join(root, 'deploy');
  git('init', '--quiet');
  await commit('empty', { 'README.md': 'nothing\n' });
  await commit('broken', { 'deploy/gateway.yaml': 'version: 1\nproviders:\n  mock: {type: mokc}\n' });
  await commit('bytes', { 'deploy/gateway.yaml': 'version: 1\n' });
  await writeFile(join(folder, 'gateway.yaml'), Buffer.from([0x78, 0xff, 0xfe]));
  git('commit', '--quiet', '--all', '--message', 'not text', '--amend');
  git('tag', '--force', 'bytes');
  await symlink('../real/other.yaml', join(folder, 'linked.yaml'));
  await symlink('../real/parts', join(folder, 'parts'));
  await symlink('parts/below/through.yaml', join(folder, 'through.yaml'));
  await symlink('.', join(folder, 'itself'));
  await commit('old', {
    'deploy/gateway.yaml': main,
    'deploy/configs/support.yaml': config('support', 0.5),
    'deploy/configs/gone.yaml': config('gone', 0.5),
    'deploy/not-included.yaml': 'nonsense: true\n',
    'real/other.yaml': config('linked', 0.1),
    'real/parts/part.yaml': config('part', 0.1),
    'real/parts/below/through.yaml': config('through', 0.1),
    'shared.yaml': config('shared', 0.1),
  });
  await rm(join(folder, 'configs/gone.yaml'));
  await commit('new', {
    'deploy/configs/more.yaml': config('more', 0.5),
    'real/other.yaml': config('linked', 0.2),
    'real/parts/part.yaml': config('part', 0.2),
  });
  await write({ 'deploy/configs/support.yaml': config('support', 0.7), 'deploy/gateway.yaml': main.replace(plain, `${plain}-2`) });
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe('gateway plan --against git:', () => {
  it('compares uncommitted files with a revision', async () => {
    const { code, out, err } = await plan('--against', 'git:HEAD', '--exit-code');
    expect([code, err]).toEqual([1, '']);
    expect(out).toContain(`comparing ${join(folder, 'gateway.yaml')} with git:HEAD\n`);
    expect(out).toContain('--- configs/support.yaml\n+++ configs/support.yaml\n');
    expect(out).not.toContain(plain);
  });

  it.each<[string, string[]]>([
    ['HEAD', ['support', 'plain']],
    ['new', ['support', 'plain']],
    ['old', ['gone', 'linked', 'more', 'part', 'support', 'plain']],
    ['HEAD~1', ['gone', 'linked', 'more', 'part', 'support', 'plain']],
  ])('reads included files of %s in that revision', async (name, entries) => {
    const { values } = JSON.parse((await plan('--against', `git:${name}`, '--json')).out) as ReloadPlan;
    expect(new Set(values.map(({ path }) => path.split('.')[1]))).toEqual(new Set(entries));
  });

  it('finds no change in an unchanged worktree, from another folder and with GIT_DIR set', async () => {
    const there = join(root, 'checkout');
    git('worktree', 'add', '--quiet', '--detach', there, 'old');
    const args = ['plan', '-c', join(there, 'deploy/gateway.yaml'), '--against', 'git:old', '--exit-code'];
    const { code, out, err } = await runHere(args, tmpdir(), { env: { ...env, GIT_DIR: join(root, 'nowhere') } });
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/\nno changes\n$/);
  });

  it.each<[string, string, number, RegExp]>([
    ['an unknown revision', 'git:nosuch', 3, /^error: there is no git revision "nosuch" in this repository\n/],
    ['an empty revision', 'git:', 2, /^error: "" is not a valid git revision; write git:main/],
    ['an option', 'git:--output=made', 2, /^error: "--output=made" is not a valid git revision/],
    ['a control character', 'git:a\u0000b', 2, /is not a valid git revision/],
    ['a file of a revision', 'git:HEAD:deploy/gateway.yaml', 3, /^error: there is no git revision/],
    ['a revision without the file', 'git:empty', 3, /^error: git revision "empty" has no file .*deploy\/gateway\.yaml\n$/],
    ['a revision with a binary file', 'git:bytes', 3, /in git revision "bytes" is not text in UTF-8\n$/],
    [
      'a revision with an invalid configuration',
      'git:broken',
      3,
      /^error: nothing was compared, because the version in git:broken is not valid\n.*mokc/,
    ],
  ])('fails for %s', async (_, against, code, err) => {
    const result = await plan('--against', against);
    expect([result.code, result.out, result.err]).toEqual([code, '', expect.stringMatching(err)]);
  });

  it('shows how to trust a repository of another user', async () => {
    const foreign = { ...env, GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' };
    const { code, err } = await runHere(['plan', '--against', 'git:HEAD'], folder, { env: foreign });
    expect([code, err]).toEqual([
      3,
      expect.stringMatching(/^error: git failed: .*\nTrust it: git config --global --add safe\.directory \//),
    ]);
  });

  it('reports a folder without repository, and a machine without git', async () => {
    const alone = await mkdtemp(join(tmpdir(), 'plan-alone-'));
    await writeFile(join(alone, 'gateway.yaml'), 'version: 1\nproviders:\n  mock: {type: mock}\n');
    const args = ['plan', '--against', 'git:HEAD'];
    const outside = await runHere(args, alone, { env: { ...env, GIT_CEILING_DIRECTORIES: dirname(alone) } });
    const without = await runHere(args, alone, { env: { PATH: alone } });
    await rm(alone, { recursive: true });
    expect([outside.code, outside.err]).toEqual([3, `error: ${alone} is not in a git repository\n`]);
    expect([without.code, without.err]).toEqual([3, expect.stringMatching(/^error: git was not found\nInstall git/)]);
  });
});
