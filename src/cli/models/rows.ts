import { plainNames } from '../../config/compile/providers/allow.ts';
import type { GatewayConfig } from '../../config/schema/index.ts';
import type { Price } from '../../core/cost/price.ts';
import { acceptsUnlistedModels, modelsOfConfig, type ConfigReader } from '../../core/known-models/of-config.ts';
import { type KnownModel, modelNamesOf, servesUnlistedModels } from '../../core/known-models/of-provider.ts';
import type { Deployment } from '../../core/provider.ts';
import type { CompiledConfig, ProviderBinding, Snapshot } from '../../core/snapshot.ts';
import { disabledReason } from '../../manage/providers/catalog-entry.ts';
import { contextLength } from '../../pricing/library.ts';

/** A model name that clients can send. */
export interface ModelRow {
  /** Such as `@azure-eu/chat`; with `*` for names that the configuration does not contain. */
  readonly model: string;
  /** The config that the request has to select; null for a name with a slug, which needs none. */
  readonly config: string | null;
  /** The provider or virtual key that serves it; null if that depends on the name. */
  readonly provider: string | null;
  readonly type: string | null;
  /** The name that the service gets; null if it depends on the request. */
  readonly upstream_model: string | null;
  /** Base model of a deployment. */
  readonly foundation_model: string | null;
  /** In tokens; null if unknown. */
  readonly context_length: number | null;
  /** In USD, by what is charged: tokens per million, requests per one. Null if unknown. */
  readonly price: (Price['shown'] & { readonly source: string }) | null;
  readonly state: 'ok' | 'off';
  readonly why: string | null;
}

/** Where the facts of a row come from. */
export interface RowSource {
  readonly snapshot: Snapshot;
  readonly tree: GatewayConfig;
  /** Slug → variable or file that the entry lacks. */
  readonly missing: Readonly<Record<string, string>>;
  /** Unix milliseconds: some prices change. */
  readonly at: number;
}

/** The names of each provider and virtual key, then those of each config. */
export function modelRows(source: RowSource): readonly ModelRow[] {
  const { providers, configs } = source.snapshot;
  const ofProviders = [...providers].flatMap(([name, binding]) => providerRows(name, binding, source));
  return [...ofProviders, ...[...configs.values()].flatMap((config) => configRows(config, source))];
}

/** Every caller's view. A target without a provider takes the names with a slug, which the rows of the providers have already. */
const anyCaller: ConfigReader = { key: undefined, metadata: {}, catalog: () => [], mayUse: () => true };

function configRows(config: CompiledConfig, source: RowSource): readonly ModelRow[] {
  const named = modelsOfConfig(config, anyCaller).flatMap((known) => {
    const binding = source.snapshot.providers.get(known.owner);
    return binding === undefined ? [] : [{ ...servedRow(known, binding, source), config: config.name }];
  });
  const others = { ...otherRow, config: config.name };
  if (acceptsUnlistedModels(config, anyCaller)) return [...named, others];
  return named.length > 0 ? named : [{ ...others, state: 'off', why: 'none of its targets can serve a model' }];
}

function providerRows(name: string, binding: ProviderBinding, source: RowSource): readonly ModelRow[] {
  const { provider } = binding;
  const rows = knownAt(name, binding).map((known) => servedRow(known, binding, source));
  const open = servesUnlistedModels(binding) ? patternsOf(name, binding, source.tree) : [];
  const others = open.map((pattern): ModelRow => {
    return { ...otherRow, model: `@${name}/${pattern}`, provider: name, type: provider.type, ...stateOf(name, binding, source) };
  });
  return [...rows, ...others];
}

const knownAt = (name: string, binding: ProviderBinding): KnownModel[] =>
  modelNamesOf(binding)
    .filter((model) => binding.allowsModel(model))
    .map((model) => ({ id: `@${name}/${model}`, owner: name, model }));

/** What may be sent beside the known names: `*`, or the patterns of the nearest `models:` list. */
function patternsOf(name: string, { slug, allowsModel }: ProviderBinding, { providers, virtual_keys: keys }: GatewayConfig): string[] {
  if (allowsModel('')) return ['*'];
  const listed = keys?.[name]?.models ?? providers?.[slug]?.models ?? [];
  const names = plainNames(listed);
  return listed.filter((pattern) => !names.includes(pattern));
}

function servedRow({ id, owner, model }: KnownModel, binding: ProviderBinding, source: RowSource): ModelRow {
  const { slug, settings, provider } = binding;
  const found = provider.entry.deployment?.(settings, model);
  const deployment: Deployment | undefined = found instanceof Error ? undefined : found;
  const { model: sent, foundationModel: foundation } = deployment ?? { model };
  const { prices: listed } = provider.entry;
  const call = { slug, type: provider.type, listed, model, sent, foundation, answered: undefined };
  const price = source.snapshot.prices.priceOf(call, source.at);
  const list = listed === undefined || listed === 'none' ? undefined : listed.list;
  return {
    model: id,
    config: null,
    provider: owner,
    type: provider.type,
    upstream_model: sent,
    foundation_model: foundation ?? null,
    context_length: (list === undefined ? undefined : contextLength(list, foundation ?? sent)) ?? null,
    price: price === undefined ? null : { ...price.shown, source: price.source },
    ...stateOf(owner, binding, source),
  };
}

const otherRow: ModelRow = {
  model: '*',
  config: null,
  provider: null,
  type: null,
  upstream_model: null,
  foundation_model: null,
  context_length: null,
  price: null,
  state: 'ok',
  why: null,
};

function stateOf(name: string, binding: ProviderBinding, { tree, missing }: RowSource): Pick<ModelRow, 'state' | 'why'> {
  if (binding.unusable === undefined) return { state: 'ok', why: null };
  const entry = tree.providers?.[binding.slug];
  const why = entry === undefined ? undefined : disabledReason({ entry, missing: missing[name] ?? missing[binding.slug] });
  return { state: 'off', why: why ?? binding.unusable.message };
}
