import type { ApiKey, Branch, CompiledConfig, Leaf, ProviderBinding, QueryFacts } from '#core/snapshot.ts';
import type { KnownModel } from './list.ts';
import { overriddenModel } from '#core/model/model-rules.ts';

/** Input besides the config. */
export interface Reader {
  readonly key: ApiKey | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  /** Model names from the settings of the entry. */
  namesOf(binding: ProviderBinding): readonly string[];
  /** Models of a target without a provider: names with their slug. */
  catalog(): readonly KnownModel[];
  mayUse(binding: ProviderBinding): boolean;
}

/**
 * The model names that a config accepts, as far as the configuration knows them: those of its targets' providers, models
 * that targets write into the request, and model names in the queries of conditions.
 */
export function modelsOfConfig({ root }: CompiledConfig, reader: Reader): readonly KnownModel[] {
  return [...walk(root, reader)].map(([id, owner]) => ({ id, owner }));
}

type Found = ReadonlyMap<string, string>;

function walk(node: Branch | Leaf, reader: Reader): Found {
  if (node.strategy === 'leaf') return ofLeaf(node, reader);
  if (node.strategy === 'conditional') return ofQueries(node, reader);
  return joined(usedOf(node).map((target) => walk(target, reader)));
}

/** A target with weight 0 is never selected, and `single` uses only the first target. */
function usedOf({ strategy, targets }: Branch): Branch['targets'] {
  if (strategy === 'single') return targets.slice(0, 1);
  return strategy === 'loadbalance' ? targets.filter(({ weight }) => weight > 0) : targets;
}

function ofLeaf({ provider: binding, override }: Leaf, reader: Reader): Found {
  if (binding === undefined) return new Map(reader.catalog().map(({ id, owner }) => [id, owner]));
  if (binding.unusable !== undefined || !reader.mayUse(binding)) return new Map();
  const owner = binding.virtualKey ?? binding.slug;
  const written = overriddenModel(override);
  const names = written === undefined ? reader.namesOf(binding) : [written];
  return new Map(names.filter((name) => isAllowed(binding, reader.key, name)).map((name) => [name, owner]));
}

/** Assigns each name to the target that the queries select for it. */
function ofQueries(node: Branch, reader: Reader): Found {
  const below = node.targets.map((target) => walk(target, reader));
  const found = new Map<string, string>();
  for (const name of node.models ?? []) {
    const target = chosen(node, name, reader);
    const owner = target === undefined ? undefined : ownerFor(target, name, reader);
    if (owner !== undefined) found.set(name, owner);
  }
  for (const name of joined(below).keys()) {
    const target = chosen(node, name, reader);
    const owner = target === undefined ? undefined : below[target.index]?.get(name);
    if (owner !== undefined && !found.has(name)) found.set(name, owner);
  }
  return found;
}

function chosen(node: Branch, model: string, { metadata }: Reader): Branch | Leaf | undefined {
  const facts: QueryFacts = {
    metadata,
    pathname: '/v1/chat/completions',
    params: (name) => (name === 'model' ? model : undefined),
  };
  return node.targets[node.match?.(facts)?.index ?? -1];
}

/** The entry that would serve a name that is only known from a query; undefined if a rule forbids it. */
function ownerFor(node: Branch | Leaf, name: string, reader: Reader): string | undefined {
  if (node.strategy !== 'leaf') {
    if (node.strategy !== 'conditional')
      return usedOf(node)
        .map((target) => ownerFor(target, name, reader))
        .find((owner) => owner !== undefined);
    const target = chosen(node, name, reader);
    return target === undefined ? undefined : ownerFor(target, name, reader);
  }
  const { provider: binding, override } = node;
  if (binding === undefined || binding.unusable !== undefined || !reader.mayUse(binding)) return undefined;
  return isAllowed(binding, reader.key, overriddenModel(override) ?? name) ? (binding.virtualKey ?? binding.slug) : undefined;
}

const isAllowed = (binding: ProviderBinding, key: ApiKey | undefined, model: string): boolean =>
  binding.allowsModel(model) && (key === undefined || key.allowsModel(model));

function joined(all: readonly Found[]): Found {
  const found = new Map<string, string>();
  for (const one of all) for (const [name, owner] of one) if (!found.has(name)) found.set(name, owner);
  return found;
}
