import { overriddenModel } from '../model/model-rules.ts';
import type { ApiKey, Branch, CompiledConfig, Leaf, ProviderBinding, QueryFacts } from '../snapshot.ts';
import { type KnownModel, namesOf, otherName, servesOthers } from './of-provider.ts';

/** Input besides the config. */
export interface Reader {
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
export function modelsOfConfig({ root }: CompiledConfig, reader: Reader): readonly KnownModel[] {
  return [...walk(root, reader)].map(([id, served]) => ({ id, ...served }));
}

/** True if the config also accepts model names that the configuration does not contain. */
export const acceptsOthers = ({ root }: CompiledConfig, reader: Reader): boolean => isOpen(root, reader);

function isOpen(node: Branch | Leaf, reader: Reader): boolean {
  if (node.strategy === 'conditional') {
    const target = chosen(node, otherName, reader);
    return target !== undefined && isOpen(target, reader);
  }
  if (node.strategy !== 'leaf') return usedOf(node).some((target) => isOpen(target, reader));
  const { provider: binding, override } = node;
  if (binding === undefined) return true;
  if (binding.unusable !== undefined || !reader.mayUse(binding)) return false;
  const written = overriddenModel(override);
  return isAllowed(binding, reader.key, written ?? otherName) && (written !== undefined || servesOthers(binding));
}

type Served = Omit<KnownModel, 'id'>;
/** By the name that the caller writes. */
type Found = ReadonlyMap<string, Served>;

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
  if (binding === undefined) return new Map(reader.catalog().map(({ id, ...served }) => [id, served]));
  if (binding.unusable !== undefined || !reader.mayUse(binding)) return new Map();
  const owner = binding.virtualKey ?? binding.slug;
  const written = overriddenModel(override);
  const names = written === undefined ? namesOf(binding) : [written];
  return new Map(names.filter((name) => isAllowed(binding, reader.key, name)).map((name) => [name, { owner, model: name }]));
}

/** Assigns each name to the target that the queries select for it. */
function ofQueries(node: Branch, reader: Reader): Found {
  const below = node.targets.map((target) => walk(target, reader));
  const found = new Map<string, Served>();
  for (const name of node.models ?? []) {
    const target = chosen(node, name, reader);
    const served = target === undefined ? undefined : servedBy(target, name, reader);
    if (served !== undefined) found.set(name, served);
  }
  for (const name of joined(below).keys()) {
    const target = chosen(node, name, reader);
    const served = target === undefined ? undefined : below[target.index]?.get(name);
    if (served !== undefined && !found.has(name)) found.set(name, served);
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

/** How a name that is only known from a query would be served; undefined if a rule forbids it. */
function servedBy(node: Branch | Leaf, name: string, reader: Reader): Served | undefined {
  if (node.strategy !== 'leaf') {
    if (node.strategy !== 'conditional')
      return usedOf(node)
        .map((target) => servedBy(target, name, reader))
        .find((served) => served !== undefined);
    const target = chosen(node, name, reader);
    return target === undefined ? undefined : servedBy(target, name, reader);
  }
  const { provider: binding, override } = node;
  if (binding === undefined || binding.unusable !== undefined || !reader.mayUse(binding)) return undefined;
  const model = overriddenModel(override) ?? name;
  return isAllowed(binding, reader.key, model) ? { owner: binding.virtualKey ?? binding.slug, model } : undefined;
}

const isAllowed = (binding: ProviderBinding, key: ApiKey | undefined, model: string): boolean =>
  binding.allowsModel(model) && (key === undefined || key.allowsModel(model));

function joined(all: readonly Found[]): Found {
  const found = new Map<string, Served>();
  for (const one of all) for (const [name, served] of one) if (!found.has(name)) found.set(name, served);
  return found;
}
