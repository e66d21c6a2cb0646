import { GatewayError } from '../../../core/error.ts';
import type { Provider } from '../../../core/provider.ts';
import { didYouMean } from '../../../core/text/nearest.ts';
import { authOf, settingsOf } from './entry-settings.ts';
import type { ProviderConfig, VirtualKeyEntry } from '../../schema/index.ts';
import { compileGlobs, compileHosts, plainNames } from './allow.ts';
import { type BindingParts, type BindingWithParts, makeBinding, type MakeCredential } from './binding.ts';
import { compileClocks } from '../timeouts.ts';
import { deepFreeze } from '../freeze.ts';
import { invalid } from '../invalid.ts';
import { withoutSecrets } from '../settings.ts';
import type { Steps } from '../steps.ts';

/** Input of the catalog. */
export interface CatalogSource {
  readonly providers?: Readonly<Record<string, ProviderConfig>>;
  readonly virtual_keys?: Readonly<Record<string, VirtualKeyEntry>>;
  /** Slug → variable name or path of a secret that is not set. */
  readonly missing: Readonly<Record<string, string>>;
}

/** Compiles `providers:` and `virtual_keys:`, which share one namespace. */
export function* compileCatalog(
  source: CatalogSource,
  types: ReadonlyMap<string, Provider>,
  makeCredential: MakeCredential,
): Steps<ReadonlyMap<string, BindingWithParts>> {
  const catalog = new Map<string, BindingWithParts>();
  for (const [slug, entry] of Object.entries(source.providers ?? {})) {
    catalog.set(slug, makeBinding(partsOf(slug, entry, types, source.missing[slug]), makeCredential));
    yield;
  }
  const virtual = new Map<string, BindingWithParts>();
  for (const [name, entry] of Object.entries(source.virtual_keys ?? {})) {
    if (catalog.has(name)) throw invalid(`"${name}" is a provider and a virtual key`);
    const under = catalog.get(entry.provider.replace(/^@/, ''));
    if (under === undefined) throw invalid(`no provider called "${entry.provider}"`, undefined, `virtual_keys.${name}.provider`);
    virtual.set(name, makeBinding(virtualParts(name, entry, under.parts, source.missing[name]), makeCredential));
    yield;
  }
  for (const [name, binding] of virtual) catalog.set(name, binding);
  return catalog;
}

function partsOf(slug: string, entry: ProviderConfig, types: ReadonlyMap<string, Provider>, missing: string | undefined): BindingParts {
  const provider = types.get(entry.type);
  if (provider === undefined) {
    throw invalid(`no provider type "${entry.type}"`, didYouMean(entry.type, types.keys()).trim(), `providers.${slug}.type`);
  }
  const callers = entry.auth?.mode === 'caller';
  return {
    slug,
    virtualKey: undefined,
    provider,
    settings: callers ? withoutSecrets(provider, settingsOf(entry, provider)) : settingsOf(entry, provider),
    key: callers ? undefined : (entry.api_key ?? entry.auth?.api_key),
    signedAt: `providers.${slug}`,
    owner: callers ? 'caller' : 'catalog',
    trust: 'operator',
    allowsHost: compileHosts(entry.allow_custom_host),
    allowsModel: compileGlobs(entry.models),
    models: plainNames(entry.models),
    clocks: compileClocks(entry.timeouts),
    isolate: entry.isolate ?? false,
    metadata: Object.freeze({}),
    unusable: whyUnusable(slug, entry.enabled !== false, missing),
  };
}

function virtualParts(name: string, entry: VirtualKeyEntry, under: BindingParts, missing: string | undefined): BindingParts {
  const allowsModel = compileGlobs(entry.models);
  return {
    ...under,
    virtualKey: name,
    ...ownSigning(name, entry, under),
    allowsModel: (model) => under.allowsModel(model) && allowsModel(model),
    models: entry.models === undefined ? under.models : plainNames(entry.models),
    isolate: entry.isolate ?? under.isolate,
    metadata: deepFreeze({ ...entry.metadata }),
    unusable: under.unusable ?? whyUnusable(name, true, missing),
  };
}

/** Changes that a virtual key's own credential makes: it replaces all credentials of the provider entry. */
function ownSigning(name: string, { api_key: outer, auth }: VirtualKeyEntry, { provider, settings }: BindingParts): Partial<BindingParts> {
  const callers = auth?.mode === 'caller';
  const own = authOf(auth, provider);
  const key = outer ?? auth?.api_key;
  if (!callers && own === undefined && key === undefined) return {};
  const bare = withoutSecrets(provider, settings);
  return {
    key: callers ? undefined : key,
    signedAt: `virtual_keys.${name}`,
    owner: callers ? 'caller' : 'catalog',
    settings: own === undefined ? bare : { ...bare, auth: own },
  };
}

function whyUnusable(slug: string, enabled: boolean, missing: string | undefined): GatewayError | undefined {
  if (!enabled) {
    return new GatewayError('not_allowed', {
      message: `The provider "${slug}" is disabled.`,
      hint: `Choose another one, or set providers.${slug}.enabled to true.`,
    });
  }
  if (missing === undefined) return undefined;
  return new GatewayError('provider_auth_failed', {
    message: `The provider "${slug}" has no credential: a secret was not set when the gateway started.`,
    hint: 'Ask the operator of the gateway to set it.',
  });
}
