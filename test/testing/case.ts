import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runHere } from '../cli/in-process.ts';

/**
 * A golden pair: a file of tests, a line of dashes, and what `gateway test` prints for it, without durations.
 * `### file: name` begins a further file in the same folder.
 */
export interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly expected: string;
}

const folder = join(import.meta.dirname, 'cases');

/** The configuration of all cases. */
const config = readFileSync(join(import.meta.dirname, 'gateway.yaml'), 'utf8');

/** The provider keys are not set, because a test needs none. */
export const env = { TEAM_USER: 'a-secret-of-the-environment' };

/** Runs are compared without durations. */
export const untimed = (text: string): string => text.replaceAll(/ \(\d+ ms\)/g, '');

export function readCases(): Case[] {
  return readdirSync(folder)
    .toSorted()
    .map((file) => {
      const [input = '', expected = ''] = readFileSync(join(folder, file), 'utf8').split(/^-----\n/m);
      const [first = '', ...more] = input.split(/^### file: /m);
      const others = more.map((part): [string, string] => {
        const end = part.indexOf('\n');
        return [part.slice(0, end), part.slice(end + 1)];
      });
      return { name: file.replace('.yaml', ''), files: { 'it.test.yaml': first, ...Object.fromEntries(others) }, expected };
    });
}

/** The output of the command for a case. */
export async function ranCase({ files }: Case): Promise<string> {
  return inFolder(files, async (dir) => {
    const { out, err } = await runHere(['test', 'it.test.yaml'], dir, { env });
    return untimed(out + err).replaceAll(dir, 'DIR');
  });
}

/** Calls a function with a folder that contains the configuration and these files. */
export async function inFolder<T>(files: Readonly<Record<string, string>>, run: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  try {
    for (const [name, text] of Object.entries({ 'gateway.yaml': config, ...files })) {
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      writeFileSync(join(dir, name), text);
    }
    return await run(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
