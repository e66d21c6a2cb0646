import { GatewayError } from '../../../core/error.ts';
import { compileLimits } from '../../../core/limits/caller-limits.ts';
import type { Provider } from '../../../core/provider.ts';
import { didYouMean } from '../../../core/text/nearest.ts';
import { authOf, settingsOf } from './entry-settings.ts';
import type { ProviderConfig, VirtualKeyEntry } from '../../schema/index.ts';
import { compileGlobs, compileHosts, plainNames } from './allow.ts';
import { type BindingParts, type BindingWithParts, makeBinding, type MakeCredential } from './binding.ts';
import { compileTimeouts } from '../timeouts.ts';
import { deepFreeze } from '../freeze.ts';
import { invalidConfig } from '../invalid.ts';
import { withoutSecrets } from '../settings.ts';
import type { Steps } from '../../../core/async/steps.ts';
import { withoutAt } from '../../../core/model/model-name.ts';

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
    if (catalog.has(name)) throw invalidConfig(`"${name}" is a provider and a virtual key`);
    const base = catalog.get(withoutAt(entry.provider));
    if (base === undefined) throw invalidConfig(`no provider called "${entry.provider}"`, undefined, `virtual_keys.${name}.provider`);
    virtual.set(name, makeBinding(virtualParts(name, entry, base.parts, source.missing[name]), makeCredential));
    yield;
  }
  for (const [name, binding] of virtual) catalog.set(name, binding);
  return catalog;
}

function partsOf(slug: string, entry: ProviderConfig, types: ReadonlyMap<string, Provider>, missing: string | undefined): BindingParts {
  const provider = types.get(entry.type);
  if (provider === undefined) {
    throw invalidConfig(`no provider type "${entry.type}"`, didYouMean(entry.type, types.keys()).trim(), `providers.${slug}.type`);
  }
  const usesCallerCredential = entry.auth?.mode === 'caller';
  return {
    slug,
    virtualKey: undefined,
    provider,
    settings: usesCallerCredential ? withoutSecrets(provider, settingsOf(entry, provider)) : settingsOf(entry, provider),
    key: usesCallerCredential ? undefined : (entry.api_key ?? entry.auth?.api_key),
    credentialPath: `providers.${slug}`,
    owner: usesCallerCredential ? 'caller' : 'catalog',
    trust: 'operator',
    allowsHost: compileHosts(entry.allow_custom_host),
    allowsModel: compileGlobs(entry.models),
    models: plainNames(entry.models),
    timeouts: compileTimeouts(entry.timeouts),
    isolate: entry.isolate ?? false,
    limits: undefined,
    metadata: Object.freeze({}),
    unusable: whyUnusable(slug, entry.enabled !== false, missing),
  };
}

function virtualParts(name: string, entry: VirtualKeyEntry, base: BindingParts, missing: string | undefined): BindingParts {
  const allowsModel = compileGlobs(entry.models);
  return {
    ...base,
    virtualKey: name,
    ...credentialOverrides(name, entry, base),
    allowsModel: (model) => base.allowsModel(model) && allowsModel(model),
    models: entry.models === undefined ? base.models : plainNames(entry.models),
    isolate: entry.isolate ?? base.isolate,
    limits: compileLimits(entry.limits),
    metadata: deepFreeze({ ...entry.metadata }),
    unusable: base.unusable ?? whyUnusable(name, true, missing),
  };
}

/** Changes that a virtual key's own credential makes: it replaces all credentials of the provider entry. */
function credentialOverrides(
  name: string,
  { api_key: outer, auth }: VirtualKeyEntry,
  { provider, settings }: BindingParts,
): Partial<BindingParts> {
  const usesCallerCredential = auth?.mode === 'caller';
  const ownAuth = authOf(auth, provider);
  const key = outer ?? auth?.api_key;
  if (!usesCallerCredential && ownAuth === undefined && key === undefined) return {};
  const settingsWithoutSecrets = withoutSecrets(provider, settings);
  return {
    key: usesCallerCredential ? undefined : key,
    credentialPath: `virtual_keys.${name}`,
    owner: usesCallerCredential ? 'caller' : 'catalog',
    settings: ownAuth === undefined ? settingsWithoutSecrets : { ...settingsWithoutSecrets, auth: ownAuth },
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
