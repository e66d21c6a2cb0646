import { isSecretSetting } from '../../core/model/request-settings.ts';
import { keyVariable, yamlOf } from '../../config/edit/new-entry.ts';
import { didYouMean } from '../../core/text/nearest.ts';
import type { Registry } from '../../gateway/types.ts';
import type { CliIo } from '../io.ts';
import type { Provider, SettingsProblem } from '../../core/provider.ts';
import { typesOf } from './catalog.ts';
import { type Draft, isVariable, keySettingFor, problemsOf, applyAssignment, checkSlug } from './draft.ts';
import { ordered, readUri } from './import-uri.ts';
import { askFor, askSettings } from './questions.ts';
import { type NewEntry, checkEntry, writeEntry } from './write.ts';
import { CommandError, exitCodes, sameFile, type CommonFlags } from '../command.ts';
import { jsonText } from '../text.ts';

export interface AddFlags extends CommonFlags {
  readonly slug?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly uri?: string | undefined;
  readonly set?: readonly string[] | undefined;
  readonly keyEnv?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly input?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}

/**
 * `gateway providers add TYPE`: adds an entry to the configuration without changing the rest. Prompts only on a
 * terminal, and for the name of a secret, never for its value. Returns the exit code.
 */
export async function addEntry(type: string, flags: AddFlags, io: CliIo, registry: Registry): Promise<number> {
  const ready = await createEntry(typeCalled(type, registry), flags, io, registry);
  if (flags.dryRun === true) {
    await checkEntry(ready, io, registry);
    io.stdout.write(flags.json === true ? asJson(ready, null) : `providers:\n${yamlOf({ [ready.slug]: ready.entry }, 2)}\n`);
    return exitCodes.yes;
  }
  const { file, isNew } = await writeEntry(ready, flags, io, registry);
  io.stdout.write(flags.json === true ? asJson(ready, file) : `${isNew ? 'wrote' : 'added to'} ${file}: providers.${ready.slug}\n`);
  io.stderr.write(`Try it: ${sameFile(`gateway providers test ${ready.slug}`, flags)}\n`);
  return exitCodes.yes;
}

function typeCalled(name: string, { providers }: Registry): Provider {
  const known = typesOf(providers).get(name);
  if (known !== undefined) return known;
  const names = providers.map(({ type }) => type);
  throw new CommandError(exitCodes.usage, `no provider type "${name}".${didYouMean(name, names)}\nAvailable: ${names.join(', ')}`);
}

async function createEntry(provider: Provider, flags: AddFlags, io: CliIo, registry: Registry): Promise<NewEntry> {
  const imported = flags.uri === undefined ? undefined : readUri(flags.uri, registry.providers, exitCodes.usage);
  if (imported !== undefined && imported.provider.type !== provider.type)
    throw new CommandError(exitCodes.usage, `the address belongs to type ${imported.provider.type}`);
  const ask = flags.input === false ? undefined : io.ask;
  const offered = imported?.slug ?? provider.type;
  const slug = flags.slug ?? (ask === undefined ? offered : await askFor(ask, 'slug, as clients write it after @', offered));
  checkSlug(slug);
  const settings: Draft = { ...imported?.entry };
  for (const assignment of flags.set ?? []) applyAssignment(settings, assignment, provider);
  const texts = await askDescription(flags, ask);
  if (ask !== undefined) await askSettings(ask, provider, settings);
  const key = await keyReference(provider, slug, settings, flags, ask);
  const entry: Draft = { type: provider.type, ...texts, ...ordered({ ...settings, ...key }) };
  for (const problem of problemsOf(provider, { ...settings, ...key })) {
    const text = `${problem.message} [${problem.code}]`;
    if (problem.severity !== 'warning') throw new CommandError(exitCodes.usage, text, hintOn(problem));
    io.stderr.write(`warning: ${text}\n`);
  }
  return { slug, entry };
}

/** The hint on a problem in the file, and the flag that does the same. */
function hintOn({ code, path, hint }: SettingsProblem): string | undefined {
  const flag = `Flag: --set ${path.map((step) => (String(step).includes('.') ? `"${step}"` : step)).join('.')}=VALUE`;
  const lines = [...(hint === undefined ? [] : [hint]), ...(code === 'missing-key' ? [flag] : [])];
  return lines.length === 0 ? undefined : lines.join('\n');
}

async function askDescription({ name, description }: AddFlags, ask: CliIo['ask']): Promise<Draft> {
  const shown = name ?? (ask === undefined ? '' : await askFor(ask, 'display name (may be empty)'));
  const about = description ?? (ask === undefined ? '' : await askFor(ask, 'description (may be empty)'));
  return { ...(shown === '' ? {} : { name: shown }), ...(about === '' ? {} : { description: about }) };
}

/** Reference to the key; none if the type needs no key or the entry authenticates in another way. */
async function keyReference(provider: Provider, slug: string, settings: Draft, flags: AddFlags, ask: CliIo['ask']): Promise<Draft> {
  const setting = keySettingFor(provider, settings);
  if (flags.keyFile !== undefined) return { [setting]: `\${file:${pathInReference(flags.keyFile)}}` };
  if (flags.keyEnv !== undefined) return { [setting]: `\${env:${variable(flags.keyEnv)}}` };
  if (provider.entry.apiKey !== 'required') return {};
  if (Object.keys(settings).some((key) => key === 'api_key' || key === 'auth' || isSecretSetting(provider, key))) return {};
  const offered = (slug === provider.type ? provider.entry.service?.keyVariable : undefined) ?? keyVariable(slug, setting);
  if (ask === undefined) return settings['custom_host'] !== undefined ? {} : { [setting]: `\${env:${offered}}` };
  const name = await askFor(
    ask,
    `NAME of the variable that holds the ${setting === 'api_key' ? 'key' : setting} (not the key; - for none)`,
    offered,
  );
  return name === '-' ? {} : { [setting]: `\${env:${variable(name)}}` };
}

/** A brace would end the reference, and write the rest of the path as a part of the key. */
function pathInReference(path: string): string {
  if (path !== '' && !/[{}]/.test(path)) return path;
  throw new CommandError(
    exitCodes.usage,
    path === '' ? 'the path after --key-file is empty' : 'the path after --key-file contains a brace',
  );
}

function variable(name: string): string {
  if (isVariable(name)) return name;
  throw new CommandError(exitCodes.usage, 'a variable name has letters, digits and "_"; never enter the key itself');
}

const asJson = ({ slug, entry }: NewEntry, file: string | null): string => jsonText({ slug, entry, file });
