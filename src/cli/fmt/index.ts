import { format } from '../../config/edit/format/index.ts';
import type { KeyRename } from '../../config/edit/format/key-renames.ts';
import { readUnresolved } from '../../config/edit/written.ts';
import type { Source } from '../../config/read/merge-files.ts';
import { locationText, type Problem } from '../../config/report/problem.ts';
import { shellWord } from '../../core/logs/curl.ts';
import { printable } from '../../core/text/printable.ts';
import { barePath } from '../../core/text/display-path.ts';
import { plural } from '../../core/text/wording.ts';
import type { Registry } from '../../gateway/types.ts';
import { replaceFile } from '../../manage/keys/replace-file.ts';
import { CommandError, type CommonFlags, exitCodes, sameFile } from '../command.ts';
import { needConfig } from '../find-config.ts';
import type { CliIo } from '../io.ts';
import { errorsOf, printInvalidConfig, load, nameFile, sourceOf } from '../load.ts';
import { jsonText } from '../text.ts';

export interface FmtFlags extends CommonFlags {
  readonly check?: boolean | undefined;
  readonly fix?: boolean | undefined;
}

/** A file and its new text. */
interface FormatResult {
  /** Absolute path; undefined for standard input. */
  readonly path: string | undefined;
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly renamed: readonly KeyRename[];
  /** Old names that are still there. */
  readonly left: readonly KeyRename[];
  /** Why the file was left as it is; null if it was not. */
  readonly refused: string | null;
}

/** `gateway fmt [FILE…]`: formats the files of a configuration. Values and comments stay. Returns the exit code. */
export async function fmt(files: readonly string[], flags: FmtFlags, io: CliIo, registry: Registry): Promise<number> {
  const results: FormatResult[] = [];
  for (const text of await textsOf(files, flags, io)) results.push(await formatted(text, flags, io, registry));
  const changed = results.filter(({ before, after }) => before !== after);
  if (flags.check !== true)
    for (const { path, file, before, after } of changed) if (path !== undefined) replaceFile(path, after, file, before);
  if (flags.json === true) io.stdout.write(jsonText(asJson(results)));
  else
    io.stdout.write(
      results.some(({ path }) => path === undefined) && flags.check !== true
        ? results.map(({ after }) => after).join('')
        : changed.map(({ file }) => `${printable(file)}\n`).join(''),
    );
  const command = ['gateway fmt', ...files.map(shellWord)].join(' ');
  io.stderr.write(summaryText(results, changed.length, { ...flags, command: sameFile(command, flags) }));
  const isRefused = results.some(({ refused }) => refused !== null);
  return isRefused || (flags.check === true && changed.length > 0) ? exitCodes.no : exitCodes.yes;
}

interface SourceText {
  readonly path: string | undefined;
  readonly file: string;
  readonly text: string;
  /** The configuration that the file belongs to. */
  readonly source: Source;
}

/** The texts of the named files, otherwise of the configuration with its includes. @throws CommandError */
async function textsOf(files: readonly string[], flags: FmtFlags, io: CliIo): Promise<readonly SourceText[]> {
  const found = new Map<string, SourceText>();
  for (const name of files.length > 0 ? files : [flags.config]) {
    const source = await sourceOf(needConfig(name, io, nameFile), io);
    if ('text' in source) {
      found.set('', { path: undefined, file: source.name, text: source.text, source });
      continue;
    }
    const problems: Problem[] = [];
    const { texts } = readUnresolved(source, io, (problem) => void problems.push(problem));
    // Files that are missing or not text have no text.
    const unread = problems.find(
      ({ code, at }) => code === 'unreadable-file' || (code === 'yaml-syntax' && texts[at.file.path] === undefined),
    );
    if (unread !== undefined && (files.length === 0 || texts[source.path] === undefined))
      throw new CommandError(exitCodes.invalid, `${locationText(unread.at)}: ${unread.message}`);
    for (const [path, text] of Object.entries(texts))
      if (files.length === 0 || path === source.path) found.set(path, { path, file: barePath(path, io.cwd), text, source });
  }
  return [...found.values()];
}

/** @throws CommandError for a file that is not valid YAML, after printing its errors */
async function formatted({ path, file, text, source }: SourceText, flags: FmtFlags, io: CliIo, registry: Registry): Promise<FormatResult> {
  const made = format(text, { providers: registry.providers, fixes: flags.fix === true });
  const known = { path, file, before: text };
  if ('text' in made) return { ...known, after: made.text, renamed: made.renamed, left: made.left, refused: null };
  if (!('isInvalid' in made)) return { ...known, after: text, renamed: [], left: [], refused: made.refused };
  const loaded = await load(source, io, registry, { allowMissingSecrets: true });
  const errors = errorsOf(loaded).filter((one) => one.file === file);
  const syntax = errors.filter(({ code }) => code === 'yaml-syntax' || code === 'duplicate-key');
  throw printInvalidConfig(loaded, flags, io, syntax.length > 0 ? syntax : errors, `${file} is not valid YAML; nothing was written`);
}

function summaryText(results: readonly FormatResult[], changed: number, { check, fix, command }: FmtFlags & { command: string }): string {
  const lines = results.flatMap(({ file, renamed, left, refused }) => [
    ...renamed.map(({ from, to, line }) => `${file}:${line}: ${from} → ${to}`),
    ...left.map(({ from, to, line }) => `warning: ${file}:${line}: ${from} is an old name of ${to}; replace it with: ${command} --fix`),
    ...(refused === null ? [] : [`error: ${file} was left as it is: ${refused}`]),
  ]);
  const isStdin = results.every(({ path }) => path === undefined);
  const all = plural(results.length, 'file');
  const summary =
    check === true
      ? changed === 0
        ? `${all} checked, nothing to format`
        : `${changed} of ${all} not formatted; run: ${command}${fix === true ? ' --fix' : ''}`
      : `formatted ${changed} of ${all}`;
  return [...lines, ...(isStdin ? [] : [summary])].map((line) => `${printable(line)}\n`).join('');
}

function asJson(results: readonly FormatResult[]): object {
  const shown = ({ from, to, line }: KeyRename): object => ({ from, to, line });
  return {
    files: results.map(({ path, file, before, after, renamed, left, refused }) => ({
      file,
      changed: before !== after,
      renamed: renamed.map(shown),
      old_names: left.map(shown),
      refused,
      ...(path === undefined ? { text: after } : {}),
    })),
  };
}
