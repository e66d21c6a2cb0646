import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { providers, stages } from '../../plugins/index.ts';
import type { CliCommand } from '../../src/cli/builders.ts';
import { createProgram } from '../../src/cli/index.ts';
import { processIo } from '../../src/cli/io.ts';
import { skipping } from '../support/skipping.ts';
import { runHere } from './in-process.ts';

const cwd = mkdtempSync(join(tmpdir(), 'completion-'));
const scripts: Record<string, string> = {};

beforeAll(async () => {
  writeFileSync(join(cwd, 'gateway.yaml'), '');
  writeFileSync(join(cwd, 'my team.yaml'), '');
  mkdirSync(join(cwd, 'keys.d'));
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { out } = await runHere(['completion', shell], cwd);
    scripts[shell] = out;
    writeFileSync(join(cwd, `_${shell}`), out);
  }
});
afterAll(() => rmSync(cwd, { recursive: true }));

/** Runs a shell script in the folder with the completion scripts. Returns its lines, and fails if it printed an error. */
function lines(shell: string, args: readonly string[]): string[] {
  const { status, stdout, stderr } = spawnSync(shell, args, { cwd, encoding: 'utf8', env: { ...process.env, HOME: cwd, TERM: 'dumb' } });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split('\n').filter((line) => line !== '');
}

/** The proposals of bash for the last of these words. */
const inBash = (args: readonly string[]): string[] =>
  lines('bash', [
    '--norc',
    '-c',
    'source ./_bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gateway; printf "%s\\n" "${COMPREPLY[@]}"',
    'bash',
    'gateway',
    ...args,
  ]);

/** The proposals of zsh, with the functions of its completion system replaced by functions that print. */
const inZsh = (args: readonly string[]): string[] => {
  const script = `
    compdef() { :; }
    source ./_zsh
    compset() { PREFIX=\${PREFIX#*=}; }
    compadd() { shift; print -l -- \${(M)@:#\${PREFIX}*}; }
    _files() { print -l -- \${PREFIX}*(N); }
    _describe() { print -l -- \${(M)\${(P)@[-1]}:#\${PREFIX}*}; }
    words=("$@"); CURRENT=$#; PREFIX=\${words[-1]}; _gateway`;
  return lines('zsh', ['-f', '-c', script, 'zsh', 'gateway', ...args]).map((line) => line.replace(/:.*/, ''));
};

const inFish = (args: readonly string[]): string[] =>
  lines('fish', ['--no-config', '-c', `source ./_fish; complete -C ${JSON.stringify(['gateway', ...args].join(' '))}`]).map(
    (line) => line.split('\t')[0] ?? '',
  );

const shells = [
  ['bash', inBash],
  ['zsh', inZsh],
  ['fish', inFish],
] as const;

const hasShell = (name: string): string | undefined =>
  spawnSync(name, ['--version']).status === 0 ? undefined : `${name} is not installed`;

describe.each(shells)('gateway completion %s', (name, proposals) => {
  it.skipIf(skipping(hasShell(name))).each<[string, string[], string[]]>([
    ['the start of a command', ['sta'], ['start', 'status']],
    ['subcommands', ['logs', ''], ['tail', 'search', 'show', 'export', 'stats', 'replay']],
    ['an option', ['check', '--for'], ['--format']],
    ['an option of a subcommand', ['keys', 'create', 'app', '--exp'], ['--expires']],
    ['an option after a flag', ['check', '--strict', '--for'], ['--format']],
    ['an option after a value that equals the name of a command', ['explain', '--model', 'start', '--run'], ['--running']],
    ['choices of an option', ['start', '--log-format', ''], ['auto', 'pretty', 'json']],
    ['the start of a choice', ['check', '--format', 'g'], ['github']],
    ['a file of an option', ['check', '--config', 'gate'], ['gateway.yaml']],
    ['a file of a short option', ['plan', '-c', 'gate'], ['gateway.yaml']],
    ['a file with a space', ['start', '-c', 'my'], ['my team.yaml']],
    ['a folder', ['check', 'keys'], ['keys.d']],
    ['a file argument', ['check', 'gate'], ['gateway.yaml']],
    ['choices of an argument', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['a topic of the help', ['help', 'sec'], ['secrets']],
    ['a subcommand of the help', ['help', 'keys', 'cre'], ['create']],
    ['no file if another value is expected', ['start', '--listen', ''], []],
    ['no file if another argument is expected', ['keys', 'rotate', 'gate'], []],
  ])('proposes %s', (_, args, expected) => {
    const plain = (text: string): string => text.replaceAll('\\', '').replace(/\/$/, '');
    expect(proposals(args).map(plain).toSorted()).toEqual(expected.toSorted());
  });
});

describe('a value after an equals sign', () => {
  it('is completed in bash that splits words at the equals sign', () => {
    expect(inBash(['check', '--format', '=', 'sh'])).toEqual(['short']);
    expect(inBash(['check', '--format', '='])).toEqual(['pretty', 'short', 'json', 'github']);
    expect(inBash(['check', '--format', '=', 'json', '--str'])).toEqual(['--strict']);
  });

  it('is completed in bash that does not split words at the equals sign', () => {
    expect(inBash(['check', '--format=sh'])).toEqual(['--format=short']);
    expect(inBash(['check', '--format=json', '--str'])).toEqual(['--strict']);
  });

  it.skipIf(skipping(hasShell('zsh')))('is completed in zsh', () => {
    expect(inZsh(['check', '--format=sh'])).toEqual(['short']);
  });
});

describe('the short name gw', () => {
  it('is completed in bash', () => {
    expect(lines('bash', ['--norc', '-c', 'source ./_bash; complete -p gw'])).toEqual(['complete -F _gateway gw']);
  });

  it.skipIf(skipping(hasShell('zsh')))('is completed in zsh', () => {
    expect(lines('zsh', ['-f', '-c', 'compdef() { print -l -- "$@"; }; source ./_zsh'])).toEqual(['_gateway', 'gateway', 'gw']);
    expect(scripts['zsh']).toMatch(/^#compdef gateway gw\n/);
  });

  it.skipIf(skipping(hasShell('fish')))('is completed in fish', () => {
    const completed = lines('fish', ['--no-config', '-c', 'source ./_fish; complete -C "gw check --for"']);
    expect(completed.map((line) => line.split('\t')[0])).toEqual(['--format']);
  });
});

it('bash proposes no options after --', () => {
  expect(inBash(['check', '--', '--for'])).toEqual([]);
  expect(inBash(['check', '--', 'gate'])).toEqual(['gateway.yaml']);
});

describe('completion scripts', () => {
  const program = createProgram(processIo(), { providers, stages }, () => undefined);
  const all = (command: CliCommand, path: readonly string[]): [string, readonly string[], CliCommand][] => [
    [path.join(' '), path, command],
    ...command.commands.flatMap((one) => all(one, [...path, one.name()])),
  ];

  it('contain all options and subcommands of every command', () => {
    for (const [path, args, command] of all(program, [])) {
      if (path === 'help') continue;
      const options = [...program.options, ...command.options].filter(({ hidden }) => !hidden).map(({ long }) => long ?? '');
      expect(scripts['bash']).toContain(`    '${path}') REPLY='`);
      for (const option of options) {
        expect(scripts['zsh']).toMatch(new RegExp(`^ {4}'${path}'\\) reply=\\(.*'${option}:`, 'm'));
        expect(scripts['fish']).toMatch(new RegExp(`__gateway_at \\\\'${path}\\\\'' .*-l ${option.slice(2)} `));
      }
      for (const { name } of command.commands.map((one) => ({ name: one.name() })))
        expect(scripts['fish']).toContain(`complete -c gateway -n '__gateway_at \\'${path}\\'' -a ${name} -d '`);
      expect(args.length).toBeLessThan(4);
    }
  });

  it.each([
    ['', ['--version', '--no-color', '--help']],
    ['check', ['--config', '--format', '--json', '--strict', '--live', '--allow-missing-secrets', '--help', '--version', '--no-color']],
  ])('propose each option of "%s" in bash', (path, expected) => {
    expect(inBash([...path.split(' ').filter(Boolean), '--'])).toEqual(expected);
  });
});

it.each(['bash', 'zsh', 'fish'])('gateway completion prints only the script: %s', async (shell) => {
  expect(await runHere(['completion', shell], cwd)).toEqual({ code: 0, out: scripts[shell], err: '' });
});

it.each([
  [['completion'], /missing required argument 'shell'/],
  [['completion', 'tcsh'], /'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish/],
])('gateway completion requires a valid shell: %j exits with 2', async (args, message) => {
  const { code, out, err } = await runHere(args, cwd);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(message);
});
