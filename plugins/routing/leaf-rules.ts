import type { Admitted, Choice, WalkFacts } from '#core/context.ts';
import type { GatewayError } from '#core/error.ts';
import { isLimited, rulesFor } from '#core/model/model-rules.ts';
import { shapingIn } from '#core/model/request-settings.ts';
import type { ApiKey, Leaf, PlanFacts, ProviderBinding, QueryFacts, Snapshot } from '#core/snapshot.ts';
import { customHost } from './direct.ts';
import type { RouteStep } from '#core/records/record.ts';
import { modelFault } from './models.ts';
import { refusedBy } from './refusals.ts';

/** Why a leaf may not be used. */
export type Rule = 'no-provider' | 'key-provider' | 'key-prompt' | 'model' | 'unusable' | 'host' | 'setting' | 'bound';

/** The first leaf that was refused, kept as parts: most walks go on to another leaf and need no error. */
export interface Refused {
  readonly rule: Rule;
  readonly leaf: Leaf;
  readonly binding: ProviderBinding | undefined;
  /** What the rules `model` and `unusable` say. */
  readonly fault: GatewayError | undefined;
}

/** Everything that the walk over a config's tree may depend on, and the rules that shut leaves out. */
export class LeafRules implements PlanFacts, QueryFacts, WalkFacts {
  readonly random: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly pathname: string;
  readonly walk: 'model' | 'stateful';
  refused: Refused | undefined;
  route: RouteStep[] | undefined;
  refusals: Map<Leaf, GatewayError> | undefined;
  readonly #ctx: Admitted;
  readonly #choice: Choice | undefined;
  readonly #key: ApiKey | undefined;
  readonly #host: string | undefined;

  constructor(ctx: Admitted, choice: Choice | undefined, walk: 'model' | 'stateful') {
    this.random = ctx.random;
    this.metadata = ctx.metadata;
    this.pathname = ctx.path;
    this.walk = walk;
    this.#ctx = ctx;
    this.#choice = choice;
    this.#key = ctx.facts.caller.key;
    this.#host = ctx.headers.gateway('customHost') || undefined;
  }

  get query(): QueryFacts {
    return this;
  }

  /**
   * A form has texts, those that have been read; its model is known in any case, and so is one that the query names. No
   * condition looks into lists and objects: they are parsed for whoever explains alone, since a config may ask for one often.
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
    const rule = this.#broken(leaf, binding);
    if (rule !== undefined) return this.#refuse({ rule, leaf, binding, fault: undefined });
    if (binding.unusable !== undefined) return this.#refuse({ rule: 'unusable', leaf, binding, fault: binding.unusable });
    const fault = isLimited(rules) ? modelFault(this.#ctx, leaf, rules) : undefined;
    return fault === undefined || this.#refuse({ rule: 'model', leaf, binding, fault });
  }

  /** Headers beside a config that change where a request goes, or with what. */
  #choosesMore({ provider }: ProviderBinding): boolean {
    const { headers } = this.#ctx;
    return this.#host !== undefined || (headers.gateway('forwardHeaders') ?? '') !== '' || shapingIn(headers, provider) !== undefined;
  }

  #refuse(refused: Refused): false {
    this.refused ??= refused;
    // Only who asks why wants an error for each.
    if (this.#ctx.mode === 'dry') (this.refusals ??= new Map()).set(refused.leaf, refusedBy(this.#ctx, refused));
    return false;
  }

  /** The rule that forbids this leaf, whatever its model. */
  #broken(leaf: Leaf, binding: ProviderBinding): Rule | undefined {
    const key = this.#key;
    if (key !== undefined) {
      if (!allowsBinding(key, binding, this.#ctx.snapshot.providers)) return 'key-provider';
      if (leaf.prompt !== undefined && !key.allowsPrompt(leaf.prompt.version.id)) return 'key-prompt';
    }
    if (key?.enforceConfig === true && this.#choosesMore(binding)) return 'bound';
    // Hosts that a request chose never see a credential of the catalog, unless the entry lists them.
    // A target that names its provider has had its own host checked when it was compiled.
    if (!signsWithCatalog(binding)) return undefined;
    const host = this.#host ?? (leaf.root === 'inline' && leaf.provider === undefined ? leaf.customHost : undefined);
    if (host !== undefined && !binding.allowsHost(customHost(this.#ctx, host))) return 'host';
    return shapingIn(this.#ctx.headers, binding.provider) === undefined ? undefined : 'setting';
  }
}

/** An entry without a key of its own may have deployments with keys. */
function signsWithCatalog({ owner, provider }: ProviderBinding): boolean {
  return owner === 'catalog' || (owner === 'none' && provider.entry.deployment !== undefined);
}

/**
 * Direct mode is allowed as `type:<type>`, a virtual key by its own name or its provider's slug, and a type that a
 * config names with a credential beside it either way.
 */
function allowsBinding(key: ApiKey, binding: ProviderBinding, catalog: Snapshot['providers']): boolean {
  const isDirect = binding.owner === 'caller' && binding.trust === 'request';
  if (!isDirect && key.allowsProvider(binding.slug)) return true;
  if (binding.virtualKey !== undefined) return key.allowsProvider(binding.virtualKey);
  return (isDirect || !catalog.has(binding.slug)) && key.allowsProvider(`type:${binding.provider.type}`);
}
