import { conditionText } from '../../config/compile/targets/condition-text.ts';
import { formatPath } from '../../config/read/node.ts';
import type { WrittenLocations } from '../../config/report/origins.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { Branch, CompiledConfig, Leaf } from '../../core/snapshot.ts';
import type { LiveFigures, TargetView } from '../api-types.ts';
import type { AttemptFigures } from '../attempts.ts';

/** Combined figures of targets within the last hour, by their paths. */
type TargetFigures = (paths: readonly string[]) => AttemptFigures;

export interface TreeFacts {
  /** `configs` as written, with references resolved. */
  readonly configs: JsonObject;
  readonly locations: WrittenLocations['locations'];
  readonly figures: TargetFigures;
  /** Masks secrets in a text. */
  hide(text: string): string;
}

/** Returns the target tree of a config. */
export function treeOf(name: string, { root }: CompiledConfig, facts: TreeFacts): TargetView {
  return new Tree(name, facts, root).view(root, { config: name }, undefined);
}

/** Returns the figures of all targets of a config. */
export function liveOf(name: string, { root }: CompiledConfig, figures: TargetFigures): LiveFigures {
  const all = figuresOf(name, root, figures);
  return liveFigures(all, all.attempts);
}

/** The part of the files that defines a node, and its path. */
interface WrittenNode {
  readonly value: JsonObject;
  readonly path: string;
}

class Tree {
  readonly #name: string;
  readonly #facts: TreeFacts;
  /** Number of attempts at all targets. */
  readonly #total: number;

  constructor(name: string, facts: TreeFacts, root: Branch | Leaf) {
    this.#name = name;
    this.#facts = facts;
    this.#total = figuresOf(name, root, facts.figures).attempts;
  }

  view(node: Branch | Leaf, named: unknown, parent: { node: Branch; written: WrittenNode } | undefined): TargetView {
    const path = pathOf(this.#name, node);
    const targetPath = parent === undefined ? '' : `${parent.written.path}.targets[${node.index}]`;
    const written = this.#resolveReference(isJsonObject(named) ? named : {}, targetPath);
    const below = node.strategy === 'leaf' ? [] : node.targets;
    const list = Array.isArray(written.value['targets']) ? (written.value['targets'] as unknown[]) : [];
    const targets = below.map((target) => this.view(target, list[target.index], { node: node as Branch, written }));
    const provider = node.strategy === 'leaf' ? (node.provider?.slug ?? null) : null;
    const model = node.strategy === 'leaf' ? node.override?.['model'] : undefined;
    return {
      path,
      name: node.name ?? null,
      at: this.#facts.locations[parent === undefined ? written.path : targetPath] ?? null,
      strategy: node.strategy,
      when: parent === undefined ? null : whenOf(node, parent.node, parent.written.value, this.#facts.hide),
      weight: parent?.node.strategy === 'loadbalance' ? node.weight : null,
      provider,
      model: typeof model === 'string' ? model : null,
      targets,
      live: liveFigures(figuresOf(this.#name, node, this.#facts.figures), this.#total),
    };
  }

  /** Resolves a target that refers to another config. */
  #resolveReference(value: JsonObject, path: string): WrittenNode {
    const { config } = value;
    if (typeof config !== 'string') return { value, path };
    const found = this.#facts.configs[config];
    return this.#resolveReference(isJsonObject(found) ? found : {}, formatPath(['configs', config]));
  }
}

/** The path of a target in the configuration, such as `configs.support.targets[1]`. */
const pathOf = (name: string, { path }: Branch | Leaf): string => path.replace(/^config/, () => `configs.${name}`);

const figuresOf = (name: string, node: Branch | Leaf, figures: TargetFigures): AttemptFigures =>
  figures(leavesOf(node).map((leaf) => pathOf(name, leaf)));

/** @param total number of attempts of the whole config */
const liveFigures = ({ attempts, failed, leftOut, p95 }: AttemptFigures, total: number): LiveFigures => ({
  share: total === 0 ? null : attempts / total,
  requests: attempts,
  errors: failed,
  left_out: leftOut,
  p95,
});

const leavesOf = (node: Branch | Leaf): readonly Leaf[] => (node.strategy === 'leaf' ? [node] : node.targets.flatMap(leavesOf));

/** Condition under which a target is chosen: statuses, condition or weight share. */
function whenOf(node: Branch | Leaf, parent: Branch, written: JsonObject, hide: TreeFacts['hide']): string | null {
  const strategy = isJsonObject(written['strategy']) ? written['strategy'] : {};
  switch (parent.strategy) {
    case 'single':
      return null;
    case 'fallback': {
      if (node.index === 0) return 'first';
      const codes: unknown = strategy['on_status_codes'];
      return Array.isArray(codes) ? `on ${codes.join(', ')}` : 'on any error';
    }
    case 'loadbalance': {
      const total = parent.targets.reduce((sum, { weight }) => sum + weight, 0);
      return total === 0 ? null : `${Math.round((node.weight / total) * 1000) / 10} %`;
    }
    case 'conditional': {
      const conditions: unknown = strategy['conditions'];
      const own = (Array.isArray(conditions) ? (conditions as unknown[]) : []).filter(
        (one) => isJsonObject(one) && one['then'] === node.name,
      );
      const texts = own.map((one) => hide(conditionText((one as JsonObject)['query'], hide)));
      if (strategy['default'] === node.name) texts.push('default');
      return texts.length === 0 ? null : texts.join(' or ');
    }
  }
}
