import type { Routed } from '#core/context.ts';
import type { GatewayError } from '#core/error.ts';
import type { CommonSettings, Deployment } from '#core/provider.ts';
import { isForwardable } from '#core/http/headers.ts';
import type { JsonObject } from '#core/json/merge.ts';
import type { CredentialRef, Leaf, ProviderBinding, Trust } from '#core/snapshot.ts';
import type { Attempt } from '#core/plan.ts';
import { settingsFromHeaders } from '#core/model/request-settings.ts';
import { Overrides } from './override.ts';

/** Maximum model names cached for one leaf, and maximum characters of a cached name, because requests choose them. */
const maxCachedModels = 200;
const maxCachedNameLength = 512;

/** Result of resolving a model name at one leaf. */
export interface ResolvedModel {
  readonly deployment: Deployment | undefined;
  readonly credential: CredentialRef;
}

/** Properties of a leaf and its binding that do not depend on the request, computed once. */
export class CompiledLeaf {
  readonly leaf: Leaf;
  readonly binding: ProviderBinding;
  readonly settings: CommonSettings & JsonObject;
  readonly overrides: Overrides | undefined;
  /** Names of headers that the config copies to the provider, without forbidden ones. */
  readonly forward: readonly string[];
  /** Origin of the host setting, unless the request's headers set another host. */
  readonly trust: Trust;
  readonly #resolved = new Map<string, ResolvedModel | GatewayError>();
  readonly #withoutDeployment: ResolvedModel | undefined;

  constructor(leaf: Leaf, binding: ProviderBinding, trust: Trust = binding.trust) {
    this.leaf = leaf;
    this.binding = binding;
    // For a target with a provider, the host is in the binding's settings. Otherwise it applies to the selected provider.
    const leafHost = leaf.provider === undefined ? leaf.customHost : undefined;
    this.settings = leafHost === undefined ? binding.settings : Object.freeze({ ...binding.settings, custom_host: leafHost });
    this.trust = leafHost !== undefined && leaf.root === 'inline' ? 'request' : trust;
    this.overrides = leaf.override === undefined ? undefined : new Overrides(leaf.override);
    this.forward = (leaf.forwardHeaders ?? []).filter(isForwardable);
    this.#withoutDeployment =
      binding.provider.entry.deployment === undefined ? { deployment: undefined, credential: binding.credential(undefined) } : undefined;
  }

  /** The resolved name, or the provider's error about it: `model_not_found` and others. */
  resolve(model: string): ResolvedModel | GatewayError {
    if (this.#withoutDeployment !== undefined) return this.#withoutDeployment;
    let served = this.#resolved.get(model);
    if (served === undefined) {
      served = this.#resolve(model);
      if (this.#resolved.size >= maxCachedModels) this.#resolved.clear();
      if (model.length <= maxCachedNameLength) this.#resolved.set(model, served);
    }
    return served;
  }

  #resolve(model: string): ResolvedModel | GatewayError {
    const deployment = this.binding.provider.entry.deployment?.(this.settings, model);
    return deployment instanceof Error ? deployment : { deployment, credential: this.binding.credential(deployment) };
  }
}

/** Caches these properties: by leaf if it has a provider, or else by the binding that the request selects. */
export class CompiledLeaves {
  readonly #byLeaf = new WeakMap<Leaf, CompiledLeaf>();
  readonly #byBinding = new WeakMap<ProviderBinding, CompiledLeaf>();

  /** The properties for one attempt. An entry that is used with the caller's credential also accepts settings from the request. */
  for(ctx: Routed, { target, binding }: Attempt): CompiledLeaf {
    const requestSettings =
      binding.owner === 'caller' && binding.trust === 'operator' ? settingsFromHeaders(ctx.headers, binding.provider) : undefined;
    if (requestSettings === undefined) return this.#of(target, binding);
    const settings = { ...binding.settings, ...requestSettings.settings };
    const callerBinding = ctx.snapshot.direct(binding.provider, settings, ctx.facts.caller.credential);
    return new CompiledLeaf(target, callerBinding, requestSettings.hostHeader === undefined ? 'operator' : 'request');
  }

  #of(leaf: Leaf, binding: ProviderBinding): CompiledLeaf {
    const known = leaf.provider === undefined ? this.#byBinding.get(binding) : this.#byLeaf.get(leaf);
    if (known !== undefined && known.leaf === leaf && known.binding === binding) return known;
    const made = new CompiledLeaf(leaf, binding);
    if (leaf.provider === undefined) this.#byBinding.set(binding, made);
    else this.#byLeaf.set(leaf, made);
    return made;
  }
}
