import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Diagnostic } from '../../config/report/diagnostic.ts';
import { type LoadedConfig, loadConfig } from '../../config/reload/load.ts';
import { withEntry, yamlOf } from '../../config/edit/new-entry.ts';
import { placeText } from '../../config/report/problem.ts';
import type { Registry } from '../../gateway/types.ts';
import { findConfig } from '../find-config.ts';
import type { CliIo } from '../io.ts';
import { shortDiagnostics } from '../diagnostics.ts';
import { replaceFile } from '../replace-file.ts';
import { shownPath } from '../shown-path.ts';
import { type CatalogFlags, exitCodes, writtenEntries } from './catalog.ts';
import type { Draft } from './draft.ts';

/** An entry that is ready to be written. */
export interface Ready {
  readonly slug: string;
  readonly entry: Draft;
}

/** The entry was not written: the text says why, and nothing was changed. */
export class Refused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Where an entry was written. */
export interface Written {
  readonly file: string;
  readonly isNew: boolean;
}

/**
 * Writes an entry into the configuration, after a look at what the whole would be then: a mistake in it never reaches
 * the file.
 *
 * @throws Refused
 */
export async function writeEntry({ slug, entry }: Ready, flags: CatalogFlags, io: CliIo, registry: Registry): Promise<Written> {
  const found = findConfig(flags.config, io.env, io.cwd);
  if ('stdin' in found) throw new Refused(exitCodes.usage, 'standard input cannot be written; use --dry-run');
  const path = 'path' in found ? found.path : resolve(io.cwd, 'gateway.yaml');
  const isNew = !existsSync(path);
  const file = shownPath(path, io.cwd);
  const texts = isNew ? { [path]: 'version: 1\n' } : (await load(path, io, registry)).texts;
  const before = texts[path];
  if (before === undefined) throw new Refused(exitCodes.no, `${file} cannot be read`);
  const taken = isNew ? undefined : writtenEntries({ path }, io).get(slug);
  if (taken !== undefined) throw new Refused(exitCodes.no, `${placeText(taken.keyAt)} already has a provider "${slug}"`);
  const after = withEntry(before, 'providers', slug, yamlOf({ [slug]: entry }));
  if (after === undefined) throw new Refused(exitCodes.invalid, `${file} is not valid YAML; run gateway check for the position`);
  await refuseMistakes({ slug, path, after, texts }, io, registry);
  try {
    replaceFile(path, after);
  } catch (error) {
    throw new Refused(exitCodes.no, `${file} cannot be written (${(error as NodeJS.ErrnoException).code}); nothing was changed`);
  }
  return { file, isNew };
}

interface Plan {
  readonly slug: string;
  readonly path: string;
  /** The text of `path` with the entry. */
  readonly after: string;
  /** All files of the configuration before. */
  readonly texts: LoadedConfig['texts'];
}

/** Mistakes in the entry are refused; what is worth a word about it or wrong elsewhere is said. @throws Refused */
async function refuseMistakes({ slug, path, after, texts }: Plan, io: CliIo, registry: Registry): Promise<void> {
  const before = new Set((await load(path, io, registry, texts)).diagnostics.filter(isError).map(wordsOf));
  const { diagnostics } = await load(path, io, registry, { ...texts, [path]: after });
  const errors = diagnostics.filter(isError);
  const own = errors.filter((one) => !before.has(wordsOf(one)));
  const [first] = own;
  if (first !== undefined) {
    const hints = own.map(({ message, code, hint }) => `${message} [${code}]${hint === undefined ? '' : `: ${hint}`}`);
    throw new Refused(exitCodes.usage, `the provider is not valid, so nothing was written\n${hints.join('\n')}`);
  }
  const told = diagnostics.filter((one) => isError(one) || one.message.includes(`"${slug}"`));
  if (told.length > 0) io.stderr.write(`${shortDiagnostics(told)}\n`);
}

const isError = ({ severity }: Diagnostic): boolean => severity === 'error';

/** Lines move when something is inserted; what is said does not. */
const wordsOf = ({ file, code, message }: Diagnostic): string => `${file} ${code} ${message}`;

async function load(path: string, io: CliIo, registry: Registry, saved?: LoadedConfig['texts']): Promise<LoadedConfig> {
  const importPlugin = async (plugin: string): Promise<unknown> => (await import('../../gateway/generations.ts')).importFile(plugin);
  return loadConfig({
    source: { path },
    cwd: io.cwd,
    env: io.env,
    providers: registry.providers,
    plugins: registry.stages,
    importPlugin,
    allowMissingSecrets: true,
    ...(saved === undefined ? {} : { saved }),
  });
}
