import { GatewayError } from '../../../core/error.ts';
import { type Outcome, type Plan, statusOf } from '../../../core/plan.ts';
import { needsOtherAccount } from '../../../core/objects/other-account.ts';
import { cannotExistAtProvider } from '../../../core/objects/route-state.ts';
import type { Branch, CompiledConfig, Leaf, PlanFacts } from '../../../core/snapshot.ts';
import type { RouteStep } from '../../../core/records/record.ts';
import { nodeRandom } from './random.ts';

type TreeNode = Branch | Leaf;

/** Makes plans for requests; the type of `Snapshot.plan`. */
export type Planner = (config: CompiledConfig, facts: PlanFacts) => Plan | undefined;

/**
 * Creates the planner of one snapshot. For a leaf without alternatives the plan is one frozen object, so that a typical
 * request allocates nothing here.
 */
export function createPlanner(): Planner {
  const singles = new WeakMap<Leaf, Plan>();
  const single = (leaf: Leaf): Plan => {
    const known = singles.get(leaf);
    if (known !== undefined) return known;
    const made: Plan = Object.freeze({ first: leaf, after: noNextTarget });
    singles.set(leaf, made);
    return made;
  };
  return (config, facts) => {
    if (facts.walk === 'stateful' && config.root.strategy !== 'leaf') return planInOrder(config.root, facts);
    const first = descend(config.root, facts);
    if (first === undefined) return undefined;
    return hasAlternative(first) ? new TreePlan(first, facts) : single(first);
  };
}

const noNextTarget = (): undefined => undefined;

/** Plan for model calls: descends by strategy, and moves up to the nearest fallback that continues after the outcome. */
class TreePlan implements Plan {
  readonly first: Leaf;
  readonly #facts: PlanFacts;

  constructor(first: Leaf, facts: PlanFacts) {
    this.first = first;
    this.#facts = facts;
  }

  after(history: readonly Outcome[]): Leaf | undefined {
    const last = history.at(-1);
    if (last === undefined) return this.first;
    if (last.kind === 'cancelled') return undefined;
    const tried = last.kind === 'skipped' ? history.findLast(({ kind }) => kind !== 'skipped') : last;
    const isElsewhere = tried !== undefined && needsOtherAccount(tried);
    const always = isElsewhere || alwaysFallsBack(last);
    const status = statusOf(last);
    const facts = isElsewhere || last.kind === 'skipped' ? without(this.#facts, history, isElsewhere) : this.#facts;
    let node: TreeNode = last.attempt.target;
    for (let above = node.parent; above !== undefined; above = above.parent) {
      if (above.strategy === 'fallback' && (always || above.fallsBackOn(status))) {
        const next = siblingAfter(above, node.index, facts);
        if (next !== undefined) return next;
      } else if (above.strategy === 'loadbalance' && (isElsewhere || (last.kind === 'skipped' && !wasAttempted(above, history)))) {
        const next = descend(above, facts);
        if (next !== undefined) return next;
      }
      node = above;
    }
    return undefined;
  }
}

/** A weighted choice is final once a target below it was attempted, even if a later target of it was skipped. */
const wasAttempted = (node: Branch, history: readonly Outcome[]): boolean =>
  history.some(({ kind, attempt }) => kind !== 'skipped' && isBelow(attempt.target, node));

function isBelow(leaf: Leaf, node: Branch): boolean {
  for (let above = leaf.parent; above !== undefined; above = above.parent) if (above === node) return true;
  return false;
}

/** The same facts without the skipped targets, and without those that were tried if asked for. */
function without(facts: PlanFacts, history: readonly Outcome[], isTriedExcluded: boolean): PlanFacts {
  const excluded = new Set(history.flatMap(({ kind, attempt }) => (isTriedExcluded || kind === 'skipped' ? [attempt.target] : [])));
  return {
    walk: facts.walk,
    random: facts.random,
    query: facts.query,
    get route() {
      return facts.route;
    },
    set route(steps) {
      facts.route = steps;
    },
    accepts: (leaf) => !excluded.has(leaf) && facts.accepts(leaf),
  };
}

/** Next usable leaf after a sibling. Without one, the caller gets the response already received. */
function siblingAfter(parent: Branch, index: number, facts: PlanFacts): Leaf | undefined {
  const found = firstUsableLeaf(parent.targets.slice(index + 1), facts);
  return found instanceof GatewayError ? undefined : found;
}

/**
 * First usable leaf. A target that resolves to no leaf, because no condition matches, is passed over; without a usable
 * leaf its error is returned.
 */
function firstUsableLeaf(targets: readonly TreeNode[], facts: PlanFacts): Leaf | GatewayError | undefined {
  let fault: GatewayError | undefined;
  for (const target of targets) {
    try {
      const leaf = descend(target, facts);
      if (leaf !== undefined) return leaf;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      fault ??= error;
    }
  }
  return fault;
}

/** True for outcomes that move a fallback chain on, whatever statuses it lists. */
function alwaysFallsBack(outcome: Outcome): boolean {
  switch (outcome.kind) {
    case 'unreachable':
    case 'timeout':
    case 'faulty':
    case 'skipped':
      return true;
    case 'refused':
      return outcome.error.code === 'unsupported_endpoint';
    case 'answered':
    case 'cancelled':
      return false;
    default:
      return outcome satisfies never;
  }
}

function hasAlternative(leaf: Leaf): boolean {
  let node: TreeNode = leaf;
  for (let above = node.parent; above !== undefined; above = above.parent) {
    if (above.strategy === 'fallback' && node.index + 1 < above.targets.length) return true;
    // The chosen target may be skipped, and another one chosen.
    if (above.strategy === 'loadbalance' && above.targets.length > 1) return true;
    node = above;
  }
  return false;
}

/** Leaf that a node resolves to; undefined when the caller may use none of its leaves. */
function descend(node: TreeNode, facts: PlanFacts): Leaf | undefined {
  switch (node.strategy) {
    case 'leaf':
      return facts.accepts(node) ? node : undefined;
    case 'single': {
      const [only] = node.targets;
      return only === undefined ? undefined : descend(only, facts);
    }
    case 'fallback': {
      const found = firstUsableLeaf(node.targets, facts);
      if (found instanceof GatewayError) throw found;
      return found;
    }
    case 'loadbalance':
      return descendWeighted(node, facts);
    case 'conditional':
      return descendChosen(node, facts);
    default:
      return node satisfies never;
  }
}

/** Weighted random choice. A target without a usable leaf is removed and the choice repeated, so that the others keep their ratio. */
function descendWeighted(node: Branch, facts: PlanFacts): Leaf | undefined {
  let total = 0;
  for (const target of node.targets) total += target.weight;
  if (total === 0) {
    throw new GatewayError('invalid_config', {
      message: `All targets of "${node.path}" have weight 0.`,
      param: `${node.path}.targets`,
      hint: 'Give at least one of them a weight above 0.',
    });
  }
  let excluded: Set<TreeNode> | undefined;
  for (let round = 0; round < node.targets.length; round += 1) {
    const number = nodeRandom(facts.random, node.path, round);
    const target = pickWeighted(node, total, number, excluded);
    if (target === undefined) return undefined;
    const leaf = descendRecorded(
      { node, chose: target.index, because: `weight ${target.weight} of ${total}, random number ${number.toFixed(4)}` },
      target,
      facts,
    );
    if (leaf !== undefined) return leaf;
    excluded ??= new Set();
    excluded.add(target);
    total -= target.weight;
  }
  return undefined;
}

function pickWeighted(node: Branch, total: number, number: number, excluded: ReadonlySet<TreeNode> | undefined): TreeNode | undefined {
  let remaining = number * total;
  let last: TreeNode | undefined;
  for (const target of node.targets) {
    if (target.weight === 0 || excluded?.has(target) === true) continue;
    last = target;
    remaining -= target.weight;
    if (remaining < 0) return target;
  }
  // The sum of fractions may be rounded: the last target gets the remainder.
  return last;
}

function descendChosen(node: Branch, facts: PlanFacts): Leaf | undefined {
  const match = node.match?.(facts.query);
  const chosen = match === undefined ? undefined : node.targets[match.index];
  if (match === undefined || chosen === undefined) {
    const model = facts.query.params('model');
    const requestedModel = typeof model === 'string' ? ` with model "${model.slice(0, 100)}"` : '';
    throw new GatewayError('invalid_config', {
      message: `No condition of "${node.path}" matches the request${requestedModel}, and it has no default.`,
      param: `${node.path}.strategy.conditions`,
      hint: 'Send what the conditions require (GET /v1/models lists the models of a config), or add a "default" to the strategy.',
    });
  }
  return descendRecorded({ node, chose: match.index, because: match.because }, chosen, facts);
}

/** Descends into a chosen target and records the choice if it leads to a leaf. The outermost choice comes first. */
function descendRecorded({ node, chose, because }: Choice, target: TreeNode, facts: PlanFacts): Leaf | undefined {
  const steps = (facts.route ??= []);
  const before = steps.length;
  if (before < maxRouteSteps) steps.push({ node: node.path, strategy: node.strategy as RouteStep['strategy'], chose, because });
  let leaf: Leaf | undefined;
  try {
    leaf = descend(target, facts);
  } finally {
    if (leaf === undefined) steps.length = before;
  }
  return leaf;
}

interface Choice {
  readonly node: Branch;
  readonly chose: number;
  readonly because: string;
}

/** Most choices recorded for one request. */
const maxRouteSteps = 32;

/**
 * Plan for routes that name an object by id, which belongs to one account: all leaves in written order, without weights
 * and conditions. Only an unknown id, an unreachable provider or a missing operation moves on.
 */
function planInOrder(root: Branch, facts: PlanFacts): Plan | undefined {
  const leaves = [...leavesOf(root)].filter((leaf) => facts.accepts(leaf));
  const [first] = leaves;
  if (first === undefined) return undefined;
  return {
    first,
    after(history) {
      const last = history.at(-1);
      if (last === undefined) return first;
      return mayExistElsewhere(last) ? leaves[leaves.indexOf(last.attempt.target) + 1] : undefined;
    },
  };
}

function mayExistElsewhere(outcome: Outcome): boolean {
  if (outcome.kind === 'answered') return outcome.reply.status === 404;
  if (outcome.kind === 'timeout') return outcome.phase === 'connect';
  return (
    outcome.kind === 'unreachable' || outcome.kind === 'skipped' || (outcome.kind === 'refused' && cannotExistAtProvider(outcome.error))
  );
}

/** All leaves below a node, in written order. */
export function* leavesOf(node: TreeNode): Iterable<Leaf> {
  if (node.strategy === 'leaf') yield node;
  else for (const target of node.targets) yield* leavesOf(target);
}
