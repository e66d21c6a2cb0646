import { overriddenModel } from '../model/model-rules.ts';
import type { ApiKey, Branch, CompiledConfig, Leaf, ProviderBinding, QueryFacts } from '../snapshot.ts';
import { type KnownModel, modelNamesOf, unlistedName, servesUnlistedModels } from './of-provider.ts';

/** Input besides the config. */
export interface ConfigReader {
  readonly key: ApiKey | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  /** Models of a target without a provider: names with their slug. */
  catalog(): readonly KnownModel[];
  mayUse(binding: ProviderBinding): boolean;
}

/**
 * The model names that a config accepts, as far as the configuration knows them: those of its targets' providers, models
 * that targets write into the request, and model names in the queries of conditions.
 */
export function modelsOfConfig({ root }: CompiledConfig, reader: ConfigReader): readonly KnownModel[] {
  return [...modelsOf(root, reader)].map(([id, served]) => ({ id, ...served }));
}

/** True if the config also accepts model names that the configuration does not contain. */
export const acceptsUnlistedModels = ({ root }: CompiledConfig, reader: ConfigReader): boolean => acceptsUnlistedAt(root, reader);

function acceptsUnlistedAt(node: Branch | Leaf, reader: ConfigReader): boolean {
  if (node.strategy === 'conditional') {
    const target = matchedTarget(node, unlistedName, reader);
    return target !== undefined && acceptsUnlistedAt(target, reader);
  }
  if (node.strategy !== 'leaf') return usedTargets(node).some((target) => acceptsUnlistedAt(target, reader));
  const { provider: binding, override } = node;
  if (binding === undefined) return true;
  if (binding.unusable !== undefined || !reader.mayUse(binding)) return false;
  const overrideModel = overriddenModel(override);
  return isAllowed(binding, reader.key, overrideModel ?? unlistedName) && (overrideModel !== undefined || servesUnlistedModels(binding));
}

type ServedModel = Omit<KnownModel, 'id'>;
/** By the name that the caller writes. */
type ModelsByName = ReadonlyMap<string, ServedModel>;

function modelsOf(node: Branch | Leaf, reader: ConfigReader): ModelsByName {
  if (node.strategy === 'leaf') return modelsOfLeaf(node, reader);
  if (node.strategy === 'conditional') return modelsOfConditions(node, reader);
  return merged(usedTargets(node).map((target) => modelsOf(target, reader)));
}

/** A target with weight 0 is never selected, and `single` uses only the first target. */
function usedTargets({ strategy, targets }: Branch): Branch['targets'] {
  if (strategy === 'single') return targets.slice(0, 1);
  return strategy === 'loadbalance' ? targets.filter(({ weight }) => weight > 0) : targets;
}

function modelsOfLeaf({ provider: binding, override }: Leaf, reader: ConfigReader): ModelsByName {
  if (binding === undefined) return new Map(reader.catalog().map(({ id, ...served }) => [id, served]));
  if (binding.unusable !== undefined || !reader.mayUse(binding)) return new Map();
  const owner = binding.virtualKey ?? binding.slug;
  const overrideModel = overriddenModel(override);
  const names = overrideModel === undefined ? modelNamesOf(binding) : [overrideModel];
  return new Map(names.filter((name) => isAllowed(binding, reader.key, name)).map((name) => [name, { owner, model: name }]));
}

/** Assigns each name to the target that the queries select for it. */
function modelsOfConditions(node: Branch, reader: ConfigReader): ModelsByName {
  const modelsByTarget = node.targets.map((target) => modelsOf(target, reader));
  const found = new Map<string, ServedModel>();
  for (const name of node.models ?? []) {
    const target = matchedTarget(node, name, reader);
    const served = target === undefined ? undefined : servedBy(target, name, reader);
    if (served !== undefined) found.set(name, served);
  }
  for (const name of merged(modelsByTarget).keys()) {
    const target = matchedTarget(node, name, reader);
    const served = target === undefined ? undefined : modelsByTarget[target.index]?.get(name);
    if (served !== undefined && !found.has(name)) found.set(name, served);
  }
  return found;
}

function matchedTarget(node: Branch, model: string, { metadata }: ConfigReader): Branch | Leaf | undefined {
  const facts: QueryFacts = {
    metadata,
    pathname: '/v1/chat/completions',
    params: (name) => (name === 'model' ? model : undefined),
  };
  return node.targets[node.match?.(facts)?.index ?? -1];
}

/** How a name that is only known from a query would be served; undefined if a rule forbids it. */
function servedBy(node: Branch | Leaf, name: string, reader: ConfigReader): ServedModel | undefined {
  if (node.strategy !== 'leaf') {
    if (node.strategy !== 'conditional')
      return usedTargets(node)
        .map((target) => servedBy(target, name, reader))
        .find((served) => served !== undefined);
    const target = matchedTarget(node, name, reader);
    return target === undefined ? undefined : servedBy(target, name, reader);
  }
  const { provider: binding, override } = node;
  if (binding === undefined || binding.unusable !== undefined || !reader.mayUse(binding)) return undefined;
  const model = overriddenModel(override) ?? name;
  return isAllowed(binding, reader.key, model) ? { owner: binding.virtualKey ?? binding.slug, model } : undefined;
}

const isAllowed = (binding: ProviderBinding, key: ApiKey | undefined, model: string): boolean =>
  binding.allowsModel(model) && (key === undefined || key.allowsModel(model));

function merged(all: readonly ModelsByName[]): ModelsByName {
  const found = new Map<string, ServedModel>();
  for (const one of all) for (const [name, served] of one) if (!found.has(name)) found.set(name, served);
  return found;
}
