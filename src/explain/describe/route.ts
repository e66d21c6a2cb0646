import type { TraversalFacts } from '../../core/context.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import type { Origin, RouteNode } from '../../core/logs/explanation.ts';
import type { Branch, CompiledConfig, Leaf, QueryFacts } from '../../core/snapshot.ts';
import type { ConfigLevels } from '../dry-run/config-levels.ts';
import { describeCondition } from '../dry-run/condition-result.ts';
import { statusText } from './texts.ts';

export interface RouteParts {
  readonly config: CompiledConfig;
  /** Target that was reached; undefined if there is none. */
  readonly leaf: Leaf | undefined;
  readonly traversal: TraversalFacts | undefined;
  readonly facts: QueryFacts;
  readonly levels: ConfigLevels;
  readonly originAt: (path: string) => Origin | null;
  readonly hide: (text: string) => string;
}

/** Describes each strategy on the path from the root of a config to the target. */
export function describeRoute(parts: RouteParts): readonly RouteNode[] {
  const nodes: RouteNode[] = [];
  let node: Branch | Leaf | undefined = parts.config.root;
  while (node !== undefined && node.strategy !== 'leaf') {
    const branch: Branch = node;
    const next: Branch | Leaf | undefined =
      parts.leaf === undefined ? conditionalTarget(branch, parts) : branch.targets.find((target) => isAncestorOrSelf(target, parts.leaf));
    nodes.push(describeNode(branch, next, parts));
    node = next;
  }
  return nodes;
}

function isAncestorOrSelf(node: Branch | Leaf, leaf: Leaf | undefined): boolean {
  for (let below: Branch | Leaf | undefined = leaf; below !== undefined; below = below.parent) if (below === node) return true;
  return false;
}

function conditionalTarget(node: Branch, { facts }: RouteParts): Branch | Leaf | undefined {
  return node.strategy === 'conditional' ? node.targets[node.match?.(facts)?.index ?? -1] : undefined;
}

function describeNode(node: Branch, next: Branch | Leaf | undefined, parts: RouteParts): RouteNode {
  const { levels, config } = parts;
  const root = rootOf(node, config);
  const chose = next === undefined ? null : node.targets.indexOf(next);
  const described = node.strategy === 'conditional' ? conditionsOf(node, root, parts) : { conditions: [], otherwise: undefined };
  return {
    node: root + node.path.slice('config'.length),
    strategy: node.strategy,
    at: levels.at(root, node.path),
    conditions: described.conditions,
    chose,
    weights: node.strategy === 'loadbalance' ? node.targets.map(({ weight }) => weight) : [],
    because: reasonOf(node, chose, described, parts),
  };
}

/** Root of the tree that a node belongs to, which only leaves record. */
function rootOf(node: Branch | Leaf, config: CompiledConfig): string {
  let at: Branch | Leaf | undefined = node;
  while (at !== undefined && at.strategy !== 'leaf') at = at.targets[0];
  return at?.root ?? `configs.${config.name}`;
}

interface Conditions {
  readonly conditions: RouteNode['conditions'];
  readonly otherwise: string | undefined;
}

function conditionsOf(node: Branch, root: string, { levels, facts, originAt, hide }: RouteParts): Conditions {
  const level = levels.to(root, node.path).findLast(({ entry }) => isJsonObject(entry['strategy']));
  const strategy = level?.entry['strategy'];
  if (level === undefined || !isJsonObject(strategy)) return { conditions: [], otherwise: undefined };
  const written: readonly unknown[] = Array.isArray(strategy['conditions']) ? strategy['conditions'] : [];
  const conditions = written.flatMap((condition, index) => {
    if (!isJsonObject(condition)) return [];
    const at = level.path === undefined ? null : originAt(`${level.path}.strategy.conditions[${index}]`);
    return [{ ...describeCondition(condition['query'], facts, hide), at }];
  });
  return { conditions, otherwise: typeof strategy['default'] === 'string' ? strategy['default'] : undefined };
}

function reasonOf(node: Branch, chose: number | null, { conditions, otherwise }: Conditions, { traversal }: RouteParts): string {
  if (traversal?.walk === 'stateful' && node.strategy !== 'single')
    return 'the request names an object: the first target that may be used; moves on after 404, connection error';
  switch (node.strategy) {
    case 'single':
      return 'the only target';
    case 'fallback':
      return `the first target that may be used; moves on after ${statusText((status) => node.fallsBackOn(status))}`;
    case 'conditional': {
      const first = conditions.findIndex(({ matched }) => matched);
      if (first >= 0) return `condition ${first + 1} of ${conditions.length} matches`;
      return chose === null
        ? 'no condition matches, and there is no default'
        : `no condition matches: the default${otherwise === undefined ? '' : ` "${otherwise}"`}`;
    }
    case 'loadbalance':
      return traversal?.route?.find((step) => step.node === node.path && step.chose === chose)?.because ?? 'no target may be used';
    default:
      return node.strategy satisfies never;
  }
}
