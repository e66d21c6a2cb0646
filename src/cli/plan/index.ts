import { basename, dirname, relative } from 'node:path';
import type { PlanResult } from '../../admin/api-types.ts';
import { diagnosed } from '../../admin/views/diagnostics.ts';
import { runSteps } from '../../core/async/steps.ts';
import { changeSteps, restartKeys } from '../../config/report/diff.ts';
import { filesDiff, renameFiles } from '../../config/report/files-diff.ts';
import { valueChangeSteps } from '../../config/report/value-changes.ts';
import type { SavedFiles } from '../../config/read/files.ts';
import type { LoadedConfig } from '../../config/reload/load.ts';
import { createMask } from '../../core/secrets/mask.ts';
import { printable } from '../../core/text/printable.ts';
import type { Registry } from '../../gateway/types.ts';
import { adminClient } from '../admin-client.ts';
import type { AdminFlags } from '../admin/target.ts';
import { diagnosticLines } from '../admin/status.ts';
import { CommandError, exitCodes } from '../command.ts';
import { needConfig } from '../find-config.ts';
import { type CliIo, terminalWidth } from '../io.ts';
import { load } from '../load.ts';
import { countOf } from '../flag-values.ts';
import { jsonText } from '../text.ts';
import { type ReloadPlan, routingOf } from './routing.ts';
import { planText } from './text.ts';

export interface PlanFlags extends AdminFlags {
  readonly against: string;
  readonly sample: string;
  readonly exitCode?: boolean | undefined;
  readonly format: 'text' | 'markdown';
}

/** `gateway plan`: shows what a file would change. Returns the exit code: 3 if the file is not valid. */
export async function plan(flags: PlanFlags, io: CliIo, registry: Registry): Promise<number> {
  const { against, format } = flags;
  const sample = countOf('sample', flags.sample, 1000, 0);
  const path = fileOf(flags.config, io);
  const loaded = await load({ path }, io, registry, { allowMissingSecrets: true });
  if (loaded.texts[path] === undefined)
    throw new CommandError(exitCodes.invalid, loaded.diagnostics[0]?.message ?? `${path} cannot be read`);
  const client = against === 'running' ? adminClient(flags, io) : undefined;
  const result =
    client === undefined
      ? await compared(loaded, path, await comparedConfig(against, path, io), io, registry)
      : await client.post<PlanResult>('/api/plan', { entry: basename(path), files: ofEntry(loaded, path) });
  if (!result.ok) {
    if (flags.json === true) io.stdout.write(jsonText({ ...result, routing: null }));
    // Both versions of a file have the same name in the messages.
    const broken = loaded.tree !== undefined && against.startsWith(gitPrefix) ? `the version in ${printable(against)}` : 'a file';
    io.stderr.write(`error: nothing was compared, because ${broken} is not valid\n${diagnosticLines(result, flags)}`);
    return exitCodes.invalid;
  }
  const routing = client === undefined || sample === 0 ? null : await routingOf(client, sample, { config: path }, io, registry);
  const found: ReloadPlan = { ...result, routing };
  if (flags.json === true) io.stdout.write(jsonText(found));
  else
    io.stdout.write(
      planText(found, {
        file: path,
        against: client === undefined ? against : `the running revision ${result.against}`,
        format,
        isRunning: client !== undefined,
        width: terminalWidth(io.stdout),
      }),
    );
  const isSame = result.diff === '' && result.values.length === 0 && result.restart_needed.length === 0;
  return flags.exitCode === true && !isSame ? exitCodes.no : exitCodes.yes;
}

/** @throws CommandError for standard input, since relative includes need a folder */
function fileOf(named: string | undefined, io: CliIo): string {
  const found = needConfig(named, io);
  if ('path' in found) return found.path;
  throw new CommandError(exitCodes.usage, 'plan needs a file, not standard input');
}

/** Texts by path relative to the folder of the main file. */
const ofEntry = ({ texts }: LoadedConfig, path: string): Readonly<Record<string, string>> =>
  renameFiles(texts, (one) => relative(dirname(path), one));

/** The configuration to compare with, if it is not the running one. */
interface ComparedConfig {
  readonly main: string;
  /** Texts of its files, if they are not those on disk. */
  readonly saved?: SavedFiles;
}

const gitPrefix = 'git:';

/** @throws CommandError */
async function comparedConfig(against: string, path: string, io: CliIo): Promise<ComparedConfig> {
  if (!against.startsWith(gitPrefix)) return { main: fileOf(against, io) };
  const { savedInGit } = await import('./git/saved.ts');
  return { main: path, saved: await savedInGit(path, against.slice(gitPrefix.length), io) };
}

async function compared(
  after: LoadedConfig,
  path: string,
  { main: other, ...saved }: ComparedConfig,
  io: CliIo,
  registry: Registry,
): Promise<PlanResult> {
  const before = await load({ path: other }, io, registry, { allowMissingSecrets: true, ...saved });
  const mask = createMask([...new Set([...before.secrets, ...after.secrets])]);
  const broken = [after, before].find(({ tree }) => tree === undefined);
  const trees = before.tree === undefined || after.tree === undefined ? undefined : ([before.tree, after.tree] as const);
  // The main files are compared with each other, whatever their names are.
  const texts = ({ texts: of }: LoadedConfig, main: string): Readonly<Record<string, string>> =>
    renameFiles(of, (one) => (one === main ? basename(path) : relative(dirname(main), one)));
  const entries = trees === undefined ? [] : runSteps(changeSteps(...trees));
  return {
    ok: broken === undefined,
    revision: after.revision,
    against: before.revision,
    ...diagnosed((broken ?? after).diagnostics, mask),
    values: runSteps(valueChangeSteps(entries, mask)),
    restart_needed: trees === undefined ? [] : restartKeys(...trees),
    diff: filesDiff(texts(before, other), texts(after, path), (text) => mask.text(text)),
  };
}
