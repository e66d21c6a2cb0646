import { noPrices, type PriceBook, type PriceOverride } from '../../core/cost/book.ts';
import type { CredentialOwner, CredentialSpec, Provider } from '../../core/provider.ts';
import type { CompiledConfig, CredentialRef, ProviderBinding, Snapshot } from '../../core/snapshot.ts';
import { createMask, type Mask } from '../../core/secrets/mask.ts';
import { compileApiKeys } from './api-keys.ts';
import { makeBinding } from './providers/binding.ts';
import type { BindingContext } from './targets/choose-binding.ts';
import { directParts } from './providers/direct.ts';
import { compileCatalog } from './providers/index.ts';
import { compileJwt } from './tokens.ts';
import { compilePrompts } from './prompts/index.ts';
import { compileObservability } from './observability.ts';
import { compileLogging } from './logging/bodies.ts';
import { compileServer } from './server.ts';
import { runSteps, type Steps } from '../../core/async/steps.ts';
import { compileTree, type TreeSource, treeSteps } from './targets/tree.ts';
import { compilePricing } from './providers/pricing.ts';
import { createInline } from './inline.ts';
import type { LoadedConfig } from '../reload/load.ts';
import { createPlanner } from './targets/plan.ts';
import type { ConfigEntry, GatewayConfig } from '../schema/index.ts';

export interface CompileDeps {
  /** Provider types by name and alias, external ones included. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** Compiles a credential; implemented in `transport/credentials/sign.ts`. */
  credential(spec: CredentialSpec, owner: CredentialOwner): CredentialRef;
  /** Creates the price book; implemented in `pricing/book.ts`. Without it no price is known. */
  prices?(overrides: readonly PriceOverride[]): PriceBook;
}

/** The parts of a loaded configuration that are compiled. */
export type Compilable = Pick<LoadedConfig, 'secrets' | 'revision' | 'missing'> & { readonly tree: GatewayConfig };

const emptySettings = Object.freeze({});

/**
 * Compiles a configuration that passed its checks: statuses become predicates, queries functions, globs matchers, and
 * every leaf contains its inherited settings. Pure: opens no files or connections.
 *
 * @throws GatewayError `invalid_config` for errors that the checks do not find
 */
export function compileConfig(loaded: Compilable, deps: CompileDeps): Snapshot {
  return runSteps(compileSteps(loaded, deps));
}

/** The same, one entry or target per step. */
export function* compileSteps(loaded: Compilable, deps: CompileDeps): Steps<Snapshot> {
  const { tree } = loaded;
  const makeCredential = (spec: CredentialSpec, owner: CredentialOwner): CredentialRef => deps.credential(spec, owner);
  const catalog = yield* compileCatalog({ ...tree, missing: loaded.missing }, deps.providers, makeCredential);
  const prompts = yield* compilePrompts(tree.prompts);
  const context = { catalog, types: deps.providers, makeCredential, prompts };
  const apiKeys = yield* compileApiKeys(tree.api_keys);
  const observability = compileObservability(tree.observability);
  const snapshot: Snapshot = {
    revision: loaded.revision,
    server: compileServer(tree.server, Object.keys(tree.api_keys ?? {}).length > 1 || tree.auth?.jwt !== undefined),
    log: compileLogging(tree, loaded.secrets, observability),
    observability,
    providers: new Map([...catalog].map(([slug, made]): [string, ProviderBinding] => [slug, made.binding])),
    types: deps.providers,
    prompts,
    configs: yield* compileConfigs(tree.configs ?? {}, { ...context, origin: 'file' }, maskOf(loaded.secrets)),
    apiKeys,
    jwt: compileJwt(tree.auth, apiKeys),
    prices: deps.prices?.(compilePricing(tree.pricing)) ?? noPrices,
    secrets: Object.freeze(loaded.secrets.toSorted((a, b) => b.length - a.length)),
    inlineConfig: createInline({ ...context, origin: 'request' }),
    direct: (provider, settings, key) => {
      // Providers cache parsed settings by the identity of the settings object, so empty settings always share one object.
      const sharedSettings = Object.keys(settings).length === 0 ? emptySettings : { ...settings };
      return makeBinding(directParts(provider, sharedSettings, key), makeCredential).binding;
    },
    noConfig: compileTree('-', {}, { ...context, origin: 'request', root: 'request', namedConfig: () => undefined }),
    plan: createPlanner(),
  };
  return Object.freeze(snapshot);
}

function* compileConfigs(
  entries: Readonly<Record<string, ConfigEntry>>,
  context: BindingContext,
  mask: (text: string) => string,
): Steps<ReadonlyMap<string, CompiledConfig>> {
  const named = (name: string): ConfigEntry | undefined => (Object.hasOwn(entries, name) ? entries[name] : undefined);
  const source = (name: string): TreeSource => ({ ...context, root: `configs.${name}`, namedConfig: named, mask });
  const configs = new Map<string, CompiledConfig>();
  for (const [name, entry] of Object.entries(entries)) configs.set(name, yield* treeSteps(name, entry, source(name)));
  return configs;
}

/** Masks secrets in a text. The mask is created on first use: few configurations need it here. */
function maskOf(secrets: readonly string[]): (text: string) => string {
  let mask: Mask | undefined;
  return (text) => (mask ??= createMask(secrets)).text(text);
}
