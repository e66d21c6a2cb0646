import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { providers, stages } from '../../plugins/index.ts';
import { shortDiagnostic } from '../../src/cli/diagnostics.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/reload/load.ts';
import { Validators } from '../../src/config/validate/schemas/validators.ts';
import { dryRun } from '../../src/gateway/reload/dry-run.ts';

/**
 * A golden pair: files, a line of dashes, and the expected diagnostics.
 *
 *     #: env NAME=value            lines before the first file; `#: allow-missing` as well
 *     ### file: configs/a.yaml     begins a further file; what is above is gateway.yaml
 *     -----
 *     gateway.yaml:3:1: error: …   diagnostics, each followed by its hint, indented
 *     ok                           when it loads
 *     tree/version = 1             facts about what was loaded
 */
export interface Case {
  readonly name: string;
  readonly files: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string>>;
  readonly allowMissing: boolean;
  /** Paths of the facts, in order. */
  readonly facts: readonly string[];
  /** The text after the dashes. */
  readonly expected: string;
}

const folder = join(import.meta.dirname, 'cases');

export function readCases(): Case[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .toSorted()
    .map((file) => parseCase(file.slice(0, -'.yaml'.length), readFileSync(join(folder, file), 'utf8')));
}

function parseCase(name: string, text: string): Case {
  const [input = '', expected = ''] = text.split(/^-----\n/m);
  const header = /^(?:#: .*\n)*/.exec(input)?.[0] ?? '';
  const [first = '', ...more] = input.slice(header.length).split(/^### file: /m);
  const files = new Map([['gateway.yaml', first]]);
  for (const part of more) {
    const end = part.indexOf('\n');
    files.set(part.slice(0, end), part.slice(end + 1));
  }
  const env = Object.fromEntries([...header.matchAll(/^#: env (\w+)=(.*)$/gm)].map((match) => [match[1] ?? '', match[2] ?? '']));
  const facts = [...expected.matchAll(/^([a-z][^ :\n]*) =/gm)].map((match) => match[1] ?? '');
  return { name, files, env, allowMissing: header.includes('#: allow-missing'), facts, expected };
}

/** Compiled once, because compiling is most of the work of a load. */
const validators = new Validators();

/** Loads the files of a case from a temporary folder, like `gateway check`. */
export async function loadCase(one: Case, compiled = validators): Promise<{ loaded: LoadedConfig; cwd: string }> {
  return inFolder(one, async (cwd) => {
    const loaded = await loadConfig({
      source: { path: 'gateway.yaml' },
      cwd,
      env: one.env,
      providers,
      plugins: stages,
      importPlugin: (path) => import(pathToFileURL(path).href),
      rehearse: (valid) => dryRun(valid, { providers, stages }),
      allowMissingSecrets: one.allowMissing,
      validators: compiled,
    });
    return { loaded, cwd };
  });
}

/** Runs a function with the files of a case in a temporary folder. */
export async function inFolder<T>(one: Pick<Case, 'files'>, run: (cwd: string) => Promise<T>): Promise<T> {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'gateway-case-')));
  try {
    for (const [file, text] of one.files) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), text.replaceAll('<cwd>', cwd));
    }
    return await run(cwd);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** The text after the dashes of a case, with `<cwd>` for the folder of the run. */
export function describeLoad(loaded: LoadedConfig, cwd: string, facts: readonly string[]): string {
  const lines = loaded.diagnostics.flatMap((one) => [shortDiagnostic(one), ...(one.hint === undefined ? [] : [`    ${one.hint}`])]);
  const found = facts.map((path) => `${path} = ${JSON.stringify(pick(loaded, path))}`);
  return `${[...lines, ...(loaded.tree === undefined ? [] : ['ok']), ...found].join('\n').replaceAll(cwd, '<cwd>')}\n`;
}

function pick(value: unknown, path: string): unknown {
  return path.split('/').reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], value);
}
