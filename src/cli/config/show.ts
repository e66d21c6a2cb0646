import { unsetDefaults } from '../../config/report/defaults.ts';
import { type EffectiveValue, effectiveValues } from '../../config/report/effective.ts';
import { locateWritten } from '../../config/report/origins.ts';
import type { Provider } from '../../core/provider.ts';
import { createMask } from '../../core/secrets/mask.ts';
import { didYouMean } from '../../core/text/nearest.ts';
import { printable } from '../../core/text/printable.ts';
import { barePath } from '../../core/text/display-path.ts';
import type { Registry } from '../../gateway/types.ts';
import { CommandError, type CommonFlags, exitCodes, sameFile } from '../command.ts';
import { type CliIo, terminalWidth } from '../io.ts';
import { importPlugin, loadTree, nameFile } from '../load.ts';
import { columnWidths, truncate, jsonText, table } from '../text.ts';

export interface ShowFlags extends CommonFlags {
  /** False with `--no-defaults`. */
  readonly defaults: boolean;
}

/**
 * `gateway config show [PATH]`: shows every value that applies, with its file and line, or `default`. Secrets are shown as
 * references. Returns the exit code.
 */
export async function showConfig(path: string | undefined, flags: ShowFlags, io: CliIo, registry: Registry): Promise<number> {
  if (path === '') throw new CommandError(exitCodes.usage, 'the path is empty');
  const { source, loaded, tree } = await loadTree(flags, io, registry, nameFile);
  const external = await Promise.all(loaded.providerPaths.map(async (file) => (await importPlugin(file)) as Provider));
  const written = locateWritten({ ...loaded, source, cwd: io.cwd, env: io.env, providers: registry.providers });
  const defaults = flags.defaults ? unsetDefaults(tree, [...registry.providers, ...external]) : [];
  const values = atPath(effectiveValues(written, defaults, createMask(loaded.secrets)), path, flags);
  if (flags.json === true) {
    const files = loaded.files.map((file) => barePath(file, io.cwd));
    io.stdout.write(jsonText({ revision: loaded.revision, files, values }));
  } else io.stdout.write(valuesText(values, terminalWidth(io.stdout) ?? Infinity));
  return exitCodes.yes;
}

/** @throws CommandError if there is no value at the path or below it */
function atPath(values: readonly EffectiveValue[], path: string | undefined, flags: CommonFlags): readonly EffectiveValue[] {
  if (path === undefined) return values;
  const wanted = normalizePath(path);
  const found = values.filter((one) => isAtOrBelow(normalizePath(one.path), wanted));
  if (found.length > 0) return found;
  const names = new Set(values.flatMap((one) => withParents(normalizePath(one.path))));
  throw new CommandError(
    exitCodes.no,
    `nothing is set at "${path}".${didYouMean(wanted, names)}`,
    `All values: ${sameFile('gateway config show', flags)}`,
  );
}

/** A path as it is typed: without the quotes of its names, which a shell removes, and with `.0` for `[0]`. */
const normalizePath = (path: string): string => path.replaceAll('"', '').replaceAll(/\[(\d+)\]/g, '.$1');

const isAtOrBelow = (path: string, wanted: string): boolean => path === wanted || path.startsWith(`${wanted}.`);

/** `a`, `a.b` and `a.b.c` of `a.b.c`. */
const withParents = (path: string): string[] => path.split('.').map((_, i, steps) => steps.slice(0, i + 1).join('.'));

const gap = '   ';

/** Smallest width to which values are cut, in columns. */
const minWidth = 16;

/** The value is the last column, since it may be long. @param width of the terminal; values that do not fit are cut */
function valuesText(values: readonly EffectiveValue[], width: number): string {
  const rows = values.map(({ path, value, origin }) => [path, originText(origin), printable(value)]);
  const all = [['PATH', 'ORIGIN', 'VALUE'], ...rows];
  const [paths = 0, origins = 0] = columnWidths(all);
  const left = Math.max(minWidth, width - paths - origins - 2 * gap.length);
  return table(
    all.map(([path = '', origin = '', value = '']) => [path, origin, truncate(value, left)]),
    gap,
  );
}

const originText = (origin: EffectiveValue['origin']): string => (origin === 'default' ? origin : `${origin.file}:${origin.line}`);
