import { GatewayError } from '../../../core/error.ts';
import type { CallerLimits } from '../../../core/limits/caller-limits.ts';
import type { JsonObject } from '../../../core/json/merge.ts';
import type { CommonSettings, CredentialOwner, CredentialSpec, Deployment, Provider } from '../../../core/provider.ts';
import type { CredentialRef, PartialTimeouts, ProviderBinding, Trust } from '../../../core/snapshot.ts';
import { lowerFirst } from '../../../core/text/wording.ts';
import { deepFreeze } from '../freeze.ts';
import { withoutSecrets } from '../settings.ts';

/** Turns a signing scheme into headers; implemented in `transport/credentials/sign.ts`. */
export type MakeCredential = (spec: CredentialSpec, owner: CredentialOwner) => CredentialRef;

/** Input of `makeBinding`. */
export interface BindingParts {
  readonly slug: string;
  readonly virtualKey: string | undefined;
  readonly provider: Provider;
  readonly settings: CommonSettings & JsonObject;
  /** API key that signs requests, unless a deployment has its own. */
  readonly key: string | undefined;
  /** Path of the configuration that holds the credential: the provider, or the virtual key with its own credential. */
  readonly credentialPath: string;
  /** `catalog` becomes `none` when there is no credential: a provider without a key sends none. */
  readonly owner: 'catalog' | 'caller';
  readonly trust: Trust;
  readonly allowsHost: (url: URL) => boolean;
  readonly allowsModel: (model: string) => boolean;
  readonly models: readonly string[];
  readonly timeouts: PartialTimeouts;
  readonly isolate: boolean;
  readonly limits: CallerLimits | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly unusable: GatewayError | undefined;
}

/** A binding with its parts, from which other bindings are derived. The parts contain secrets and stay inside the catalog. */
export interface BindingWithParts {
  readonly binding: ProviderBinding;
  readonly parts: BindingParts;
}

/** Makes a binding. Credentials are compiled once per key, not per request. */
export function makeBinding(written: BindingParts, makeCredential: MakeCredential): BindingWithParts {
  const parts: BindingParts = { ...written, settings: deepFreeze(written.settings) };
  const { owner } = parts;
  const credentialOf = createCredentialCache(parts, makeCredential);
  const mainCredential =
    parts.unusable === undefined ? credentialOf(parts.key) : unusedCredential(() => credentialOf(parts.key), makeCredential);
  const binding: ProviderBinding = {
    slug: parts.slug,
    virtualKey: parts.virtualKey,
    provider: parts.provider,
    settings: parts.settings,
    owner: owner === 'caller' ? 'caller' : mainCredential.owner,
    trust: parts.trust,
    allowsHost: parts.allowsHost,
    allowsModel: parts.allowsModel,
    models: parts.models,
    timeouts: parts.timeouts,
    isolate: parts.isolate,
    limits: parts.limits,
    metadata: parts.metadata,
    unusable: parts.unusable,
    // A deployment's key belongs to the operator. A caller who sends a credential is served with that credential only.
    credential(deployment: Deployment | undefined) {
      if (deployment === undefined || (deployment.apiKey === undefined && deployment.signing === undefined)) return mainCredential;
      return credentialOf(owner === 'caller' ? parts.key : (deployment.apiKey ?? parts.key), deployment.signing);
    },
    ...(owner === 'caller' ? { forCaller: (key: string | undefined) => makeBinding({ ...parts, key }, makeCredential).binding } : {}),
  };
  return { binding: Object.freeze(binding), parts };
}

/** The credential of a provider that serves no request: none if its secrets are unset, so that it cannot be made. */
function unusedCredential(make: () => CredentialRef, makeCredential: MakeCredential): CredentialRef {
  try {
    return make();
  } catch (error) {
    if (error instanceof GatewayError) return makeCredential({ scheme: 'none' }, 'none');
    throw error;
  }
}

function createCredentialCache(
  parts: BindingParts,
  makeCredential: MakeCredential,
): (key: string | undefined, signing?: string) => CredentialRef {
  const { provider, settings, owner, key: mainKey } = parts;
  const cache = new Map<string | undefined, Map<string | undefined, CredentialRef>>();
  // A deployment's own key takes precedence over the auth settings of the provider.
  const settingsWithoutSecrets = withoutSecrets(provider, settings);
  return (key, signing) => {
    const compiled = cache.get(signing)?.get(key);
    if (compiled !== undefined) return compiled;
    const spec = provider.entry.credential(key === mainKey ? settings : settingsWithoutSecrets, key, signing);
    const ref = compileCredential(spec, parts, makeCredential);
    const made = owner === 'catalog' ? { ...ref, setting: settingOf(parts, key) } : ref;
    cache.set(signing, (cache.get(signing) ?? new Map<string | undefined, CredentialRef>()).set(key, made));
    return made;
  };
}

/** @throws GatewayError that names the operator's provider or virtual key */
function compileCredential(spec: CredentialSpec, { owner, credentialPath }: BindingParts, makeCredential: MakeCredential): CredentialRef {
  try {
    return makeCredential(spec, ownerOf(spec, owner));
  } catch (error) {
    if (!(error instanceof GatewayError) || owner === 'caller' || credentialPath === '') throw error;
    const { code, message, hint } = error;
    throw new GatewayError(code, {
      message: `${credentialPath}: ${lowerFirst(message)}`,
      hint,
      cause: error,
    });
  }
}

/** Path of the setting that holds the credential, for messages to the operator. */
function settingOf({ provider, settings, key: mainKey, credentialPath, slug }: BindingParts, key: string | undefined): string {
  if (key !== mainKey) return `providers.${slug}.deployments`;
  if (settings.auth !== undefined) return `${credentialPath}.auth`;
  if (key !== undefined) return `${credentialPath}.api_key`;
  const { keySetting } = provider.entry;
  return keySetting !== undefined && settings[keySetting] !== undefined ? `${credentialPath}.${keySetting}` : credentialPath;
}

function ownerOf(spec: CredentialSpec, owner: 'catalog' | 'caller'): CredentialOwner {
  return owner === 'catalog' && spec.scheme === 'none' ? 'none' : owner;
}
