import type { Admitted, Choice } from '#core/context.ts';
import { traitsOf } from '#core/endpoint.ts';
import { bareModel } from '#core/model-name.ts';
import { plainPath } from '#core/plain-path.ts';
import { shapingIn } from '#core/request-settings.ts';
import type { ApiKey, Leaf, PlanFacts, ProviderBinding, QueryFacts, Snapshot } from '#core/snapshot.ts';
import { customHost } from './direct.ts';

/** Why a leaf may not be used. */
export type Rule = 'no-provider' | 'key-provider' | 'key-model' | 'key-prompt' | 'provider-model' | 'host' | 'setting';

/** The first leaf that was refused, kept as parts: most walks go on to another leaf and need no error. */
export interface Refused {
  readonly rule: Rule;
  readonly leaf: Leaf;
  readonly binding: ProviderBinding | undefined;
}

/** Everything that the walk over a config's tree may depend on, and the rules that shut leaves out (decisions D18). */
export class Walk implements PlanFacts, QueryFacts {
  readonly random: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly pathname: string;
  readonly walk: 'model' | 'stateful';
  refused: Refused | undefined;
  readonly #ctx: Admitted;
  readonly #choice: Choice | undefined;
  readonly #key: ApiKey | undefined;
  readonly #model: string;
  readonly #host: string | undefined;

  constructor(ctx: Admitted, choice: Choice | undefined, walk: 'model' | 'stateful') {
    this.random = ctx.random;
    this.metadata = ctx.metadata;
    this.pathname = ctx.path;
    this.walk = walk;
    this.#ctx = ctx;
    this.#choice = choice;
    this.#key = ctx.facts.caller.key;
    this.#model = bareModel(ctx.askedModel);
    this.#host = ctx.headers.gateway('customHost') || undefined;
  }

  get query(): QueryFacts {
    return this;
  }

  params(name: string): unknown {
    const { body } = this.#ctx;
    return body.kind === 'json' ? body.value(name) : undefined;
  }

  accepts(leaf: Leaf): boolean {
    const binding = leaf.provider ?? this.#choice?.binding;
    const rule = binding === undefined ? 'no-provider' : this.#broken(leaf, binding);
    if (rule === undefined) return true;
    this.refused ??= { rule, leaf, binding };
    return false;
  }

  /** The rule that forbids this leaf. */
  #broken(leaf: Leaf, binding: ProviderBinding): Rule | undefined {
    const key = this.#key;
    const isHidden = hidesModels(this.#ctx);
    const model = isHidden ? '' : (modelAt(this.#ctx, leaf) ?? this.#model);
    if (key !== undefined) {
      if (!allowsBinding(key, binding, this.#ctx.snapshot.providers)) return 'key-provider';
      if (leaf.prompt !== undefined && !key.allowsPrompt(leaf.prompt.version.id)) return 'key-prompt';
      const seen = onlyPasses(this.#ctx) ? '' : model;
      if ((seen !== '' || namesNoModel(this.#ctx)) && !key.allowsModel(seen)) return 'key-model';
    }
    if ((model !== '' || isHidden) && !binding.allowsModel(model)) return 'provider-model';
    // Hosts that a request chose never see a credential of the catalog, unless the entry lists them (decisions D1).
    // A target that names its provider has had its own host checked when it was compiled.
    if (!signsWithCatalog(binding)) return undefined;
    const host = this.#host ?? (leaf.root === 'inline' && leaf.provider === undefined ? leaf.customHost : undefined);
    if (host !== undefined && !binding.allowsHost(customHost(this.#ctx, host).host)) return 'host';
    return shapingIn(this.#ctx.headers, binding.provider) === undefined ? undefined : 'setting';
  }
}

/** The model of a target that names one itself, by `override_params` or by a prompt of its own; undefined: the request's. */
export function modelAt({ facts }: Admitted, { override, prompt }: Leaf): string | undefined {
  const own = override?.['model'];
  if (typeof own === 'string') return bareModel(own);
  return prompt === undefined ? undefined : bareModel(facts.prompt?.askedModel ?? prompt.version.model ?? '');
}

/** An entry without a key of its own may have deployments with keys. */
function signsWithCatalog({ owner, provider }: ProviderBinding): boolean {
  return owner === 'catalog' || (owner === 'none' && provider.deployment !== undefined);
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

/**
 * Calls whose model can't be seen (multipart, a body that only passes, a default of the provider): a key that is
 * limited to models may not make them. Uploads alone run no model, and what a file of a batch asks for is seen on its way.
 */
function namesNoModel(ctx: Admitted): boolean {
  if (ctx.endpoint === 'realtime') return true;
  return ctx.method === 'POST' && ctx.params['id'] === undefined && traitsOf(ctx.endpoint).file !== 'up';
}

/** What is relayed may name another model in its body, which nobody reads, than in its query. */
export const onlyPasses = ({ endpoint, method }: Admitted): boolean => endpoint === 'relay' && method !== 'GET' && method !== 'HEAD';

/**
 * Batches that only pass, as bodies of an API's own or as files that come in parts: nobody sees what they ask for, and a
 * model in the query says nothing about them.
 */
export function hidesModels({ endpoint, method, path }: Admitted): boolean {
  if (endpoint !== 'relay' || method !== 'POST') return false;
  const plain = plainPath(path);
  return plain.startsWith('/v1/uploads') || plain === '/v1/messages/batches';
}
