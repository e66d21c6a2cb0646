import { keyVariable } from '../../../../config/edit/new-entry.ts';
import { slugPattern } from '../../../../config/schema/shared.ts';
import { isSecretName } from '../../../../core/secrets/credential-names.ts';
import type { Provider } from '../../../../core/provider.ts';
import type { Conversion, Sections } from '../conversion.ts';
import type { Variables } from '../variables.ts';
import type { Account } from './target.ts';

/** Words of slugs that are no name of a type. */
const typesByName: Readonly<Record<string, string>> = {
  azure: 'azure-openai',
  aws: 'bedrock',
  claude: 'anthropic',
  google: 'gemini',
  vertex: 'vertex-ai',
  'azure-foundry': 'azure-ai',
};

/** Settings that a provider of a type needs, and the source does not contain, with a value of the right form. */
const requiredSettings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'azure-openai': { resource_name: 'sample' },
  'azure-ai': { resource_name: 'sample' },
  bedrock: { region: 'us-east-1', access_key_id: 'AKIASAMPLE', secret_access_key: 'placeholder-key-0123456789' },
  'vertex-ai': { project: 'sample', region: 'us-east1', service_account: '' },
};

/** Settings that have the same value for everybody. */
const fixed: Readonly<Record<string, Readonly<Record<string, string>>>> = { 'azure-openai': { api_version: 'v1' } };

/** Types whose credential is not one key. */
const typesWithoutSingleKey: ReadonlySet<string> = new Set(['bedrock', 'vertex-ai']);

/** Adds the virtual keys of the configs, with a provider for each. Portkey stores their type and their secret elsewhere. */
export function addAccounts(accounts: readonly Account[], sections: Sections, conversion: Conversion): void {
  const { notes } = conversion;
  const all = new Map<string, Account>();
  for (const one of accounts)
    if (all.get(one.slug)?.type === undefined) all.set(one.slug, { ...one, type: one.type ?? all.get(one.slug)?.type });
  for (const { slug, type, entry } of all.values()) {
    const path = `virtual key ${slug}`;
    const provider = typeOf(type ?? slug, conversion.providers);
    if (!new RegExp(slugPattern).test(slug))
      notes.unmapped(path, entry.keyAt, 'its name cannot be a slug: use lower-case letters, digits, ".", "_" and "-"');
    else if (provider === undefined) notes.unmapped(path, entry.keyAt, 'its provider is not known: add it to virtual_keys and providers');
    else {
      if (type === undefined) notes.different(path, entry.keyAt, `assumed to be of type ${provider.type}, because of its name`);
      sections.virtual_keys[slug] = virtualKey(slug, provider, sections, conversion);
    }
  }
}

/** The type that has this name, or a slug that begins with it. */
function typeOf(slug: string, providers: readonly Provider[]): Provider | undefined {
  const parts = slug.split(/[-_.]/);
  for (let length = parts.length; length > 0; length -= 1) {
    const name = parts.slice(0, length).join('-');
    const wanted = Object.hasOwn(typesByName, name) ? typesByName[name] : name;
    const found = providers.find(({ type, aliases }) => type === wanted || aliases.includes(name));
    if (found !== undefined) return found;
  }
  return undefined;
}

function settingsOf(slug: string, needed: Readonly<Record<string, string>>, variables: Variables): Record<string, string> {
  const variable = (setting: string, sample: string): string =>
    variables.needed(keyVariable(slug, setting), 'in the account of the provider', sample, isSecretName(setting));
  return Object.fromEntries(Object.entries(needed).map(([setting, sample]) => [setting, variable(setting, sample)]));
}

function virtualKey(slug: string, provider: Provider, { providers }: Sections, { variables }: Conversion): Record<string, unknown> {
  const { type, entry } = provider;
  const needed = Object.hasOwn(requiredSettings, type) ? (requiredSettings[type] ?? {}) : {};
  const isShared = Object.keys(needed).length === 0;
  const name = isShared ? `${type}-main` : slug.startsWith(type) ? `${slug}-provider` : `${type}-${slug}`;
  const needsNoKey = typesWithoutSingleKey.has(type) || entry.apiKey === 'none';
  providers[name] ??= {
    type,
    name,
    ...fixed[type],
    ...settingsOf(slug, needed, variables),
    ...(needsNoKey ? {} : { auth: { mode: 'caller' } }),
  };
  const note = `the key behind the virtual key ${slug}`;
  return { provider: name, ...(needsNoKey ? {} : { api_key: variables.needed(keyVariable(slug), note, 'placeholder-key-0123456789') }) };
}
