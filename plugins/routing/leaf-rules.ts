import type { Admitted, Choice, TraversalFacts } from '#core/context.ts';
import type { GatewayError } from '#core/error.ts';
import { isLimited, rulesFor } from '#core/model/model-rules.ts';
import { restrictedHeaderIn } from '#core/model/request-settings.ts';
import type { ApiKey, Leaf, PlanFacts, ProviderBinding, QueryFacts, Snapshot } from '#core/snapshot.ts';
import { requestedHost } from './direct.ts';
import type { RouteStep } from '#core/records/record.ts';
import { modelFault } from './models.ts';
import { leafError, type LeafRule, type RefusedLeaf } from './refusals.ts';

/** All input of the walk over a config's tree, and the rules that exclude leaves. */
export class LeafRules implements PlanFacts, QueryFacts, TraversalFacts {
  readonly random: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly pathname: string;
  readonly walk: 'model' | 'stateful';
  refused: RefusedLeaf | undefined;
  route: RouteStep[] | undefined;
  refusals: Map<Leaf, GatewayError> | undefined;
  readonly #ctx: Admitted;
  readonly #choice: Choice | undefined;
  readonly #key: ApiKey | undefined;
  readonly #host: URL | undefined;

  constructor(ctx: Admitted, choice: Choice | undefined, walk: 'model' | 'stateful') {
    this.random = ctx.random;
    this.metadata = ctx.metadata;
    this.pathname = ctx.path;
    this.walk = walk;
    this.#ctx = ctx;
    this.#choice = choice;
    this.#key = ctx.facts.caller.key;
    this.#host = requestedHost(ctx);
  }

  get query(): QueryFacts {
    return this;
  }

  /**
   * Parameters of the request. A form has the texts read so far; its model, or that of the query, is always known. Conditions
   * do not read lists and objects, which are parsed only for `explain`, because a config may read a parameter often.
   */
  params(name: string): unknown {
    const { body, requestedModel, mode } = this.#ctx;
    if (body.kind === 'json') return mode === 'dry' ? body.value(name) : body.peek(name);
    if (name === 'model') return requestedModel || undefined;
    return body.kind === 'form' ? body.fields.get(name) : undefined;
  }

  accepts(leaf: Leaf): boolean {
    const binding = leaf.provider ?? this.#choice?.binding;
    if (binding === undefined) return this.#refuse({ rule: 'no-provider', leaf, binding, fault: undefined });
    const rules = rulesFor(this.#key, binding, leaf);
    const rule = this.#brokenRule(leaf, binding);
    if (rule !== undefined) return this.#refuse({ rule, leaf, binding, fault: undefined });
    if (binding.unusable !== undefined) return this.#refuse({ rule: 'unusable', leaf, binding, fault: binding.unusable });
    const fault = isLimited(rules) ? modelFault(this.#ctx, leaf, rules) : undefined;
    return fault === undefined || this.#refuse({ rule: 'model', leaf, binding, fault });
  }

  /** Headers, besides a config, that change the target of a request or its credential. */
  #overridesBinding({ provider }: ProviderBinding): boolean {
    const { headers } = this.#ctx;
    return (
      this.#host !== undefined || (headers.gateway('forwardHeaders') ?? '') !== '' || restrictedHeaderIn(headers, provider) !== undefined
    );
  }

  #refuse(refused: RefusedLeaf): false {
    this.refused ??= refused;
    // Only `explain` needs an error for each.
    if (this.#ctx.mode === 'dry') (this.refusals ??= new Map()).set(refused.leaf, leafError(this.#ctx, refused));
    return false;
  }

  /** The rule that excludes this leaf for any model. */
  #brokenRule(leaf: Leaf, binding: ProviderBinding): LeafRule | undefined {
    const key = this.#key;
    if (key !== undefined) {
      if (!allowsBinding(key, binding, this.#ctx.snapshot.providers)) return 'key-provider';
      if (leaf.prompt !== undefined && !key.allowsPrompt(leaf.prompt.version.id)) return 'key-prompt';
    }
    if (key?.enforceConfig === true && this.#overridesBinding(binding)) return 'bound';
    // Hosts from a request never receive a credential of the catalog, unless the entry lists them.
    // The host of a target with a provider was checked at compile time.
    if (!usesCatalogCredential(binding)) return undefined;
    const ofConfig = leaf.root === 'inline' && leaf.provider === undefined ? leaf.customHost : undefined;
    const host = this.#host ?? (ofConfig === undefined ? undefined : new URL(ofConfig));
    if (host !== undefined && !binding.allowsHost(host)) return 'host';
    return restrictedHeaderIn(this.#ctx.headers, binding.provider) === undefined ? undefined : 'setting';
  }
}

/** An entry without a key may have deployments with keys. */
function usesCatalogCredential({ owner, provider }: ProviderBinding): boolean {
  return owner === 'catalog' || (owner === 'none' && provider.entry.deployment !== undefined);
}

/**
 * Direct mode is allowed by `type:<type>`, a virtual key by its name or its provider's slug, and a type with a credential in
 * a config by both.
 */
function allowsBinding(key: ApiKey, binding: ProviderBinding, catalog: Snapshot['providers']): boolean {
  const isDirect = binding.owner === 'caller' && binding.trust === 'request';
  if (!isDirect && key.allowsProvider(binding.slug)) return true;
  if (binding.virtualKey !== undefined) return key.allowsProvider(binding.virtualKey);
  return (isDirect || !catalog.has(binding.slug)) && key.allowsProvider(`type:${binding.provider.type}`);
}
