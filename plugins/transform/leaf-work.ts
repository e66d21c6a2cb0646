import type { Routed } from '#core/context.ts';
import type { GatewayError } from '#core/error.ts';
import type { CommonSettings, Deployment } from '#core/provider.ts';
import { isForwardable } from '#core/http/headers.ts';
import type { Plain } from '#core/json/merge.ts';
import type { CredentialRef, Leaf, ProviderBinding, Trust } from '#core/snapshot.ts';
import type { Attempt } from '#core/plan.ts';
import { settingsIn } from '#core/model/request-settings.ts';
import { Overrides } from './override.ts';

/** Maximum model names cached for one leaf, and maximum characters of a cached name, because requests choose them. */
const deploymentsKept = 200;
const longestName = 512;

/** Result of resolving a model name at one leaf. */
export interface Served {
  readonly deployment: Deployment | undefined;
  readonly credential: CredentialRef;
}

/** Properties of a leaf and its binding that do not depend on the request, computed once. */
export class LeafWork {
  readonly leaf: Leaf;
  readonly binding: ProviderBinding;
  readonly settings: CommonSettings & Plain;
  readonly overrides: Overrides | undefined;
  /** Names of headers that the config copies to the provider, without forbidden ones. */
  readonly forward: readonly string[];
  /** Origin of the host setting, unless the request's headers set another host. */
  readonly trust: Trust;
  readonly #served = new Map<string, Served | GatewayError>();
  readonly #plain: Served | undefined;

  constructor(leaf: Leaf, binding: ProviderBinding, trust: Trust = binding.trust) {
    this.leaf = leaf;
    this.binding = binding;
    // For a target with a provider, the host is in the binding's settings. Otherwise it applies to the selected provider.
    const lent = leaf.provider === undefined ? leaf.customHost : undefined;
    this.settings = lent === undefined ? binding.settings : Object.freeze({ ...binding.settings, custom_host: lent });
    this.trust = lent !== undefined && leaf.root === 'inline' ? 'request' : trust;
    this.overrides = leaf.override === undefined ? undefined : new Overrides(leaf.override);
    this.forward = (leaf.forwardHeaders ?? []).filter(isForwardable);
    this.#plain =
      binding.provider.entry.deployment === undefined ? { deployment: undefined, credential: binding.credential(undefined) } : undefined;
  }

  /** The resolved name, or the provider's error about it: `model_not_found` and others. */
  serve(model: string): Served | GatewayError {
    if (this.#plain !== undefined) return this.#plain;
    let served = this.#served.get(model);
    if (served === undefined) {
      served = this.#find(model);
      if (this.#served.size >= deploymentsKept) this.#served.clear();
      if (model.length <= longestName) this.#served.set(model, served);
    }
    return served;
  }

  #find(model: string): Served | GatewayError {
    const deployment = this.binding.provider.entry.deployment?.(this.settings, model);
    return deployment instanceof Error ? deployment : { deployment, credential: this.binding.credential(deployment) };
  }
}

/** Caches these properties: by leaf if it has a provider, or else by the binding that the request selects. */
export class LeafWorks {
  readonly #byLeaf = new WeakMap<Leaf, LeafWork>();
  readonly #byBinding = new WeakMap<ProviderBinding, LeafWork>();

  /** The properties for one attempt. An entry that is used with the caller's credential also accepts settings from the request. */
  for(ctx: Routed, { target, binding }: Attempt): LeafWork {
    const brought = binding.owner === 'caller' && binding.trust === 'operator' ? settingsIn(ctx.headers, binding.provider) : undefined;
    if (brought === undefined) return this.#of(target, binding);
    const settings = { ...binding.settings, ...brought.settings };
    const joined = ctx.snapshot.direct(binding.provider, settings, ctx.facts.caller.credential);
    return new LeafWork(target, joined, brought.shaping === undefined ? 'operator' : 'request');
  }

  #of(leaf: Leaf, binding: ProviderBinding): LeafWork {
    const known = leaf.provider === undefined ? this.#byBinding.get(binding) : this.#byLeaf.get(leaf);
    if (known !== undefined && known.leaf === leaf && known.binding === binding) return known;
    const made = new LeafWork(leaf, binding);
    if (leaf.provider === undefined) this.#byBinding.set(binding, made);
    else this.#byLeaf.set(leaf, made);
    return made;
  }
}
