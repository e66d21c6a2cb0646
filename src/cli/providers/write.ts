import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Diagnostic, isError } from '../../config/report/diagnostic.ts';
import type { LoadedConfig } from '../../config/reload/load.ts';
import { withEntry, yamlOf } from '../../config/edit/new-entry.ts';
import { locationText } from '../../config/report/problem.ts';
import type { Registry } from '../../gateway/types.ts';
import { findConfig } from '../find-config.ts';
import type { CliIo } from '../io.ts';
import { shortDiagnostics } from '../diagnostics.ts';
import { replaceFile } from '../../manage/keys/replace-file.ts';
import { writtenEntries } from './catalog.ts';
import type { Draft } from './draft.ts';
import { CommandError, exitCodes, sameFile, type CommonFlags } from '../command.ts';
import { load } from '../load.ts';
import { displayPath } from '../../core/text/display-path.ts';

/** An entry ready to be written. */
export interface NewEntry {
  readonly slug: string;
  readonly entry: Draft;
}

/** File to which an entry was written. */
export interface WriteResult {
  readonly file: string;
  readonly isNew: boolean;
}

/**
 * Adds an entry to the configuration. The resulting configuration is checked first, so that a faulty entry is never
 * written.
 *
 * @throws CommandError
 */
export async function writeEntry({ slug, entry }: NewEntry, flags: CommonFlags, io: CliIo, registry: Registry): Promise<WriteResult> {
  const found = findConfig(flags.config, io);
  if ('stdin' in found) throw new CommandError(exitCodes.usage, 'standard input cannot be written; use --dry-run');
  const path = 'path' in found ? found.path : resolve(io.cwd, 'gateway.yaml');
  const isNew = !existsSync(path);
  const file = displayPath(path, io.cwd);
  const { texts, diagnostics } = isNew ? newFile(path) : await load({ path }, io, registry, allowingMissingSecrets);
  const before = texts[path];
  if (before === undefined) throw new CommandError(exitCodes.no, `${file} cannot be read`);
  const taken = isNew ? undefined : writtenEntries({ path }, io).get(slug);
  if (taken !== undefined) throw new CommandError(exitCodes.no, `${locationText(taken.keyAt)} already has a provider "${slug}"`);
  const after = withEntry(before, 'providers', slug, yamlOf({ [slug]: entry }));
  if (after === undefined) throw notEditable(file, diagnostics, flags);
  const remarks = await remarksOn({ slug, path, after, texts }, io, registry);
  replaceFile(path, after, file, isNew ? null : before);
  io.stderr.write(remarks);
  return { file, isNew };
}

/** A file that is created for the entry. */
const newFile = (path: string): Pick<LoadedConfig, 'texts' | 'diagnostics'> => ({ texts: { [path]: 'version: 1\n' }, diagnostics: [] });

/** @throws CommandError if no file could contain the entry */
export async function checkEntry({ slug, entry }: NewEntry, io: CliIo, registry: Registry): Promise<void> {
  const path = resolve(io.cwd, 'gateway.yaml');
  const after = `version: 1\nproviders:\n${yamlOf({ [slug]: entry }, 2)}\n`;
  await remarksOn({ slug, path, after, texts: newFile(path).texts }, io, registry);
}

function notEditable(file: string, diagnostics: readonly Diagnostic[], flags: CommonFlags): CommandError {
  const isBroken = diagnostics.some(({ code }) => code === 'yaml-syntax' || code === 'duplicate-key');
  return isBroken
    ? new CommandError(exitCodes.invalid, `${file} is not valid YAML; run ${sameFile('gateway check', flags)} for the position`)
    : new CommandError(
        exitCodes.invalid,
        `"providers" in ${file} is not written as a mapping there, so nothing can be added to it`,
        'Add what --dry-run prints yourself.',
      );
}

const allowingMissingSecrets = { allowMissingSecrets: true } as const;

interface PendingWrite {
  readonly slug: string;
  readonly path: string;
  /** Text of `path` with the new entry. */
  readonly after: string;
  /** All files of the previous configuration. */
  readonly texts: LoadedConfig['texts'];
}

/**
 * Warnings about the entry, and errors elsewhere. Errors in the entry itself are rejected.
 * @throws CommandError
 */
async function remarksOn({ slug, path, after, texts }: PendingWrite, io: CliIo, registry: Registry): Promise<string> {
  const before = new Set(
    (await load({ path }, io, registry, { ...allowingMissingSecrets, saved: texts })).diagnostics.filter(isError).map(keyOf),
  );
  const { diagnostics } = await load({ path }, io, registry, { ...allowingMissingSecrets, saved: { ...texts, [path]: after } });
  const errors = diagnostics.filter(isError);
  const newErrors = errors.filter((one) => !before.has(keyOf(one)));
  const [first] = newErrors;
  if (first !== undefined) {
    const hints = newErrors.map(({ message, code, hint }) => `${message} [${code}]${hint === undefined ? '' : `: ${hint}`}`);
    throw new CommandError(exitCodes.usage, `the provider is not valid, so nothing was written\n${hints.join('\n')}`);
  }
  const remarks = diagnostics.filter((one) => (isError(one) || one.message.includes(`"${slug}"`)) && one.code !== 'unset-variable');
  const missing = diagnostics.filter((one) => one.code === 'unset-variable' && one.message.includes(`"${slug}"`));
  const unset = unsetNotes([...new Set(missing.map(({ message }) => message.replace(/^.*: /, '')))]);
  return `${remarks.length === 0 ? '' : `${shortDiagnostics(remarks)}\n`}${unset}`;
}

/** Notes on unset secrets. Without them no gateway accepts the file, and the environment of a running process cannot be changed. */
function unsetNotes(names: readonly string[]): string {
  const variables = names.filter((name) => /^\w+$/.test(name));
  const files = names.filter((name) => !variables.includes(name));
  const it = variables.length > 1 ? 'them' : 'it';
  const set = `Set ${variables.join(' and ')}, and restart a gateway that runs without ${it}: until then it rejects this configuration. --key-file needs no restart.\n`;
  return `${variables.length === 0 ? '' : set}${files.map((name) => `Write the key to ${name}: until then the gateway rejects this configuration.\n`).join('')}`;
}

/** Key to compare diagnostics: an insertion changes line numbers, but not messages. */
const keyOf = ({ file, code, message }: Diagnostic): string => `${file} ${code} ${message}`;
