import { GatewayError } from '../../../core/error.ts';
import { slugOf, withoutAt } from '../../../core/model/model-name.ts';
import { didYouMean } from '../../../core/text/nearest.ts';
import { ambientIdentityError } from '../../../core/model/request-settings.ts';
import type { StoredPrompt } from '../../../core/model/prompt.ts';
import type { Provider } from '../../../core/provider.ts';
import type { ProviderBinding } from '../../../core/snapshot.ts';
import type { ConfigEntry } from '../../schema/index.ts';
import { shorten } from '../../validate/describe.ts';
import { withoutAuth } from '../providers/entry-settings.ts';
import { type BindingParts, type BindingWithParts, makeBinding, type MakeCredential } from '../providers/binding.ts';
import { directParts } from '../providers/direct.ts';
import { invalidConfig } from '../invalid.ts';
import { truncate, type MaskText } from './condition-text.ts';
import type { InheritedSettings } from './inherited-settings.ts';
import { hasOwnCredential, readSettings, type ProviderOverrides, withoutSecrets } from '../settings.ts';

/** Longest message of a provider type, in characters: it may quote what a request has sent. */
const maxMessageLength = 300;

/** Input for choosing the provider of a target. */
export interface BindingContext {
  readonly catalog: ReadonlyMap<string, BindingWithParts>;
  readonly types: ReadonlyMap<string, Provider>;
  readonly makeCredential: MakeCredential;
  readonly prompts: ReadonlyMap<string, StoredPrompt>;
  /** Source of the config. Hosts and keys of a request are never combined with credentials of the catalog. */
  readonly origin: 'file' | 'request';
  /** Masks the secrets of the configuration in texts that are shown. */
  readonly mask?: MaskText;
}

/**
 * Provider of a target: its `provider`, else its `virtual_key`, else the slug in `override_params.model` or in the model
 * of its prompt. Undefined when the target leaves the provider open. Settings, key and host of the target are applied.
 *
 * @throws GatewayError
 */
export function chooseBinding(
  entry: ConfigEntry,
  level: InheritedSettings,
  context: BindingContext,
  at: TargetLocation,
): ProviderBinding | undefined {
  const { path } = at;
  const chosen = choose(entry, level, context, at);
  if (chosen === undefined) {
    readSettings(entry, undefined, path);
    // Its provider is known only when the request is routed, which expects a valid host.
    if (context.origin === 'request' && level.customHost !== undefined) urlOf(level.customHost, path);
    return undefined;
  }
  const sent = readSettings(entry, chosen.parts.provider, path);
  const host = level.customHost;
  if (entry.api_key === undefined && host === undefined && Object.keys(sent.settings).length === 0 && chosen.made !== undefined) {
    return chosen.made.binding;
  }
  const hasCredential = hasOwnCredential(entry, chosen.parts.provider);
  const parts = deriveParts(chosen, { hasCredential, key: entry.api_key, host, sent }, context, path);
  for (const { severity, message, hint, path: below } of parts.provider.entry.check?.(parts.settings) ?? []) {
    if (severity === 'warning') continue;
    throw invalidConfig(
      truncate(message, maxMessageLength, context.mask),
      hint === undefined ? undefined : truncate(hint, maxMessageLength, context.mask),
      [path, ...below].join('.'),
    );
  }
  return makeBinding(parts, context.makeCredential).binding;
}

/** Path of a target, and the model saved in its prompt. */
export interface TargetLocation {
  readonly path: string;
  readonly model: string | undefined;
}

/** The chosen provider: an entry of the catalog, or a bare type. */
interface Chosen {
  readonly parts: BindingParts;
  readonly made: BindingWithParts | undefined;
}

function choose(
  entry: ConfigEntry,
  level: InheritedSettings,
  context: BindingContext,
  { path, model: saved }: TargetLocation,
): Chosen | undefined {
  if (entry.provider !== undefined) return chooseProvider(entry, entry.provider, context, path);
  if (entry.virtual_key !== undefined) return chooseFromCatalog(withoutAt(entry.virtual_key), context, `${path}.virtual_key`);
  const model = level.override?.['model'] ?? saved;
  const slug = typeof model === 'string' ? slugOf(model) : undefined;
  return slug === undefined ? undefined : chooseFromCatalog(slug, context, `${path}.override_params.model`);
}

/**
 * `@x` is a slug. In the file, a bare `x` is a slug first, else a type with its own credential. In a request it is a
 * type when the config has a credential, else a slug, else a type whose credential the caller sends.
 */
function chooseProvider(entry: ConfigEntry, written: string, context: BindingContext, path: string): Chosen {
  const name = nameOf(written);
  const provider = written.startsWith('@') ? undefined : context.types.get(name);
  const hasKey = provider !== undefined && hasOwnCredential(entry, provider);
  const isSlug = context.catalog.has(name);
  const asRequest = context.origin === 'request' && provider !== undefined && (hasKey || !isSlug);
  const asFile = context.origin === 'file' && provider !== undefined && !isSlug && (hasKey || provider.entry.apiKey !== 'required');
  if (provider === undefined || !(asRequest || asFile)) return chooseFromCatalog(name, context, `${path}.provider`);
  const parts = directParts(provider, {}, undefined);
  return { made: undefined, parts: context.origin === 'file' ? { ...parts, ...operatorBinding } : parts };
}

/** A type that the file uses without a catalog entry. Its credential is sent only to hosts that the file sets. */
const operatorBinding = { owner: 'catalog', trust: 'operator', allowsHost: () => false } as const satisfies Partial<BindingParts>;

/** Name up to the first slash. */
function nameOf(written: string): string {
  const text = written.startsWith('@') ? written.slice(1) : written;
  const slash = text.indexOf('/');
  return slash < 0 ? text : text.slice(0, slash);
}

function chooseFromCatalog(name: string, context: BindingContext, param: string): Chosen {
  const made = context.catalog.get(name);
  if (made !== undefined) return { made, parts: made.parts };
  throw new GatewayError('provider_not_found', {
    message: `No provider or virtual key has the slug "${shorten(name)}".${didYouMean(name, context.catalog.keys())}`,
    param,
    hint: 'Providers are defined under "providers" in gateway.yaml, virtual keys under "virtual_keys".',
  });
}

interface TargetOverrides {
  /** True when the target has a credential: `key`, or a secret among its settings. */
  readonly hasCredential: boolean;
  readonly key: string | undefined;
  readonly host: string | undefined;
  readonly sent: ProviderOverrides;
}

function deriveParts(chosen: Chosen, overrides: TargetOverrides, context: BindingContext, path: string): BindingParts {
  const { parts } = chosen;
  const { hasCredential, key, host, sent } = overrides;
  if (context.origin === 'request') {
    if (sent.ambient !== undefined) throw ambientIdentityError(sent.ambient, `${path}.${sent.ambient}`);
    guardCatalog(chosen, overrides, path);
  }
  const owner = hasCredential ? (context.origin === 'file' ? 'catalog' : 'caller') : parts.owner;
  const authSettings = hasCredential ? withoutAuth(parts.settings) : parts.settings;
  const baseSettings = owner === 'caller' ? withoutSecrets(parts.provider, authSettings) : authSettings;
  const isRedirected = context.origin === 'request' && (host !== undefined || sent.shapesHost !== undefined);
  return {
    ...parts,
    settings: { ...baseSettings, ...sent.settings, ...(host === undefined ? {} : { custom_host: host }) },
    key: hasCredential ? key : parts.key,
    credentialPath: hasCredential ? path : parts.credentialPath,
    owner,
    trust: isRedirected ? 'request' : parts.trust,
  };
}

/** Prevents a request from redirecting a catalog entry: its credential is sent only where the file allows. */
function guardCatalog({ parts, made }: Chosen, { host, sent }: TargetOverrides, path: string): void {
  const url = host === undefined ? undefined : urlOf(host, path);
  if (made === undefined || !signsWithCatalog(made)) return;
  if (sent.shapesHost !== undefined) throw hostNotAllowed(parts.slug, `${path}.${sent.shapesHost}`);
  if (sent.choosesPart !== undefined) throw settingNotAllowed(parts.slug, sent.choosesPart, path);
  if (url !== undefined && !parts.allowsHost(url)) throw hostNotAllowed(parts.slug, `${path}.custom_host`);
}

/** True when the catalog's credential signs. An entry without a key may still have deployments with keys. */
function signsWithCatalog({ binding, parts }: BindingWithParts): boolean {
  return parts.owner === 'catalog' && (binding.owner === 'catalog' || parts.provider.entry.deployment !== undefined);
}

function urlOf(url: string, path: string): URL {
  const parsed = URL.parse(url);
  if (parsed === null)
    throw invalidConfig('"custom_host" is not a URL', 'Write it like https://api.example.com/v1.', `${path}.custom_host`);
  return parsed;
}

/** Credentials of the catalog are sent only to hosts that are written in the file. */
function hostNotAllowed(slug: string, param: string): GatewayError {
  return new GatewayError('not_allowed', {
    message: `A request cannot choose the host of "${slug}", whose credential belongs to the gateway.`,
    param,
    hint: `Send your own credential with the provider's type, or ask the operator to add the host to providers.${slug}.allow_custom_host.`,
  });
}

/** Only the file decides for which deployment, version or organization a credential of the catalog is used. */
function settingNotAllowed(slug: string, key: string, path: string): GatewayError {
  return new GatewayError('not_allowed', {
    message: `A request cannot set "${key}" of "${slug}", whose credential belongs to the gateway.`,
    param: `${path}.${key}`,
    hint: `Leave it out, set it in gateway.yaml, or send your own credential with the provider's type.`,
  });
}
