import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { yamlOf } from '../../../config/edit/new-entry.ts';
import type { LoadedConfig, LoadRequest } from '../../../config/reload/load.ts';
import { locateWritten } from '../../../config/report/origins.ts';
import { shellWord } from '../../../core/logs/curl.ts';
import { printable } from '../../../core/text/printable.ts';
import { barePath } from '../../../core/text/display-path.ts';
import { systemClock } from '../../../core/async/system-clock.ts';
import { isError } from '../../../config/report/diagnostic.ts';
import type { Registry } from '../../../gateway/types.ts';
import { replaceFile } from '../../../manage/keys/replace-file.ts';
import { checkOutputName, CommandError, exitCodes } from '../../command.ts';
import type { CliIo } from '../../io.ts';
import { load } from '../../load.ts';
import { jsonText } from '../../text.ts';
import type { Conversion, Converted, Sections } from './conversion.ts';
import { convertLitellm } from './litellm/index.ts';
import { Notes } from './notes.ts';
import { convertPortkey } from './portkey/index.ts';
import { type ConversionResult, resultJson, resultText } from './report.ts';
import { routeTests, type RouteTests } from './route-tests.ts';
import { readSource, type SourceTree } from './source.ts';
import { type Variable, Variables } from './variables.ts';

export const converters = {
  litellm: convertLitellm,
  portkey: convertPortkey,
} as const satisfies Readonly<Record<string, (conversion: Conversion) => Converted>>;

export interface ConvertFlags {
  readonly from: keyof typeof converters;
  readonly output?: string | undefined;
  readonly force?: boolean | undefined;
  readonly strict?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/**
 * `gateway config convert --from NAME FILE…`: writes a configuration with the meaning of another gateway's, and reports what
 * differs. Without `--output` the configuration goes to standard output and the report to standard error. Returns the exit code.
 */
export async function convert(files: readonly string[], flags: ConvertFlags, io: CliIo, registry: Registry): Promise<number> {
  checkOutputName(flags.output);
  const output = flags.output === undefined || flags.output === '-' ? undefined : resolve(io.cwd, flags.output);
  const shown = output === undefined ? '<converted>' : barePath(output, io.cwd);
  const testFile = output?.replace(/(\.[^./\\]*)?$/, '.test.yaml');
  for (const path of [output, testFile])
    if (path !== undefined && flags.force !== true && existsSync(path)) throw exists(barePath(path, io.cwd));
  const sources: SourceTree[] = [];
  for (const file of files) sources.push(await readSource(file, io));
  const conversion = {
    sources,
    notes: new Notes(),
    variables: new Variables(sources.map(({ root }) => root)),
    providers: registry.providers,
  };
  const converted = converters[flags.from](conversion);
  if (Object.values(converted.sections).every((section) => Object.keys(section as object).length === 0))
    throw new CommandError(exitCodes.no, nothingText(conversion.notes, flags.from), 'Nothing was written.');
  const text = fileText(converted, files.length, flags.from);
  const variables = conversion.variables.all();
  const source = { text, name: shown };
  const env = completeEnv(variables, io);
  const loaded = await check(source, env, io, registry);
  const { diagnostics } = loaded;
  const before = flags.force === true ? undefined : null;
  const tests = testFile === undefined ? undefined : await testsOf(loaded, { source, env, sections: converted.sections }, io, registry);
  const hasTests = testFile !== undefined && tests !== undefined && tests.tests.length > 0;
  if (output !== undefined) replaceFile(output, text, shown, before);
  if (hasTests) replaceFile(testFile, testText(tests, shown, barePath(testFile, io.cwd)), barePath(testFile, io.cwd), before);
  // Tests of another configuration would fail.
  const isOutdated = testFile !== undefined && !hasTests && existsSync(testFile);
  if (isOutdated) rmSync(testFile);
  const result: ConversionResult = {
    mapped: converted.mapped,
    notes: conversion.notes.all(),
    variables,
    diagnostics,
    file: output === undefined ? null : shown,
    testFile: hasTests ? barePath(testFile, io.cwd) : null,
    removed: isOutdated ? barePath(testFile, io.cwd) : null,
  };
  const isWritten = output !== undefined;
  if (flags.json === true) io.stdout.write(jsonText({ ...resultJson(result), ...(isWritten ? {} : { text }) }));
  else if (isWritten) io.stdout.write(resultText(result, io.stdout, io));
  else {
    io.stdout.write(text);
    io.stderr.write(resultText(result, io.stderr, io));
  }
  if (diagnostics.some(isError)) return exitCodes.invalid;
  return flags.strict === true && result.notes.some(({ kind }) => kind === 'not mapped') ? exitCodes.no : exitCodes.yes;
}

/** Why nothing was converted, with the first reasons. */
function nothingText(notes: Notes, from: string): string {
  const reasons = notes.all().map(({ path, text, places }) => `\n  ${printable(`${path}: ${text}   ${places[0] ?? ''}`)}`);
  return `no part of the source can be converted: is it a configuration of ${from}?${reasons.slice(0, maxReasons).join('')}`;
}

/** Most reasons that are shown if nothing was converted. */
const maxReasons = 10;

function fileText({ sections }: Converted, count: number, from: string): string {
  const used = Object.entries(sections).filter(([, section]) => Object.keys(section as object).length > 0);
  const parts = used.map(([name, section]) => `\n${yamlOf({ [name]: section })}\n`);
  return `# Converted from ${count === 1 ? 'a file' : `${count} files`} of ${from}. Validate it with \`gateway check\`.\nversion: 1\n${parts.join('')}`;
}

const exists = (shown: string): CommandError =>
  new CommandError(exitCodes.no, `${shown} already exists: name another file with -o, or replace it with --force`);

/** The environment with a value of the right form for each variable that is not set. */
function completeEnv(variables: readonly Variable[], { env }: CliIo): CliIo['env'] {
  const set = Object.entries(env).filter(([, value]) => value !== undefined && value !== '');
  return { ...Object.fromEntries(variables.map((one) => [one.name, one.sample])), ...Object.fromEntries(set) };
}

/** Checks the result as `gateway check` does. Secret files may be elsewhere. */
function check(source: LoadRequest['source'], env: CliIo['env'], io: CliIo, registry: Registry): Promise<LoadedConfig> {
  const rehearse: LoadRequest['rehearse'] = async (loaded) => (await import('../../../gateway/reload/dry-run.ts')).dryRun(loaded, registry);
  return load(source, { ...io, env }, registry, { allowMissingSecrets: true, rehearse });
}

interface Written {
  readonly source: LoadRequest['source'];
  readonly env: CliIo['env'];
  readonly sections: Sections;
}

/** Tests of the routes of a configuration; undefined if it is not valid. */
async function testsOf(
  loaded: LoadedConfig,
  { source, env, sections }: Written,
  { cwd }: CliIo,
  registry: Registry,
): Promise<RouteTests | undefined> {
  const { tree, texts, secrets } = loaded;
  if (tree === undefined) return undefined;
  const written = locateWritten({ source, cwd, env, providers: registry.providers, texts, secrets });
  const { openExplainer } = await import('../../../gateway/explain/open.ts');
  const { explainer, close } = await openExplainer({ loaded: { ...loaded, tree }, written, registry, clock: systemClock });
  try {
    return await routeTests(sections, { explainer, missing: loaded.missing });
  } finally {
    await close();
  }
}

function testText({ tests, uncovered }: RouteTests, config: string, file: string): string {
  const missing = uncovered.map((route) => `#   ${printable(route)}\n`).join('');
  const none = missing === '' ? '' : `# Routes without a test:\n${missing}`;
  const words = config === 'gateway.yaml' ? [] : ['-c', config, file].map(shellWord);
  const command = ['gateway test', ...words].join(' ');
  return `# Tests of the routes in ${printable(config)}. Run them with \`${printable(command)}\`.\n${none}${yamlOf({ tests })}\n`;
}
