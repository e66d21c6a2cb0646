import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../core/error.ts';
import type { Attempt, Outcome, Plan } from '../../../core/plan.ts';
import type { Branch, CompiledConfig, Leaf, PlanFacts, QueryFacts } from '../../../core/snapshot.ts';
import { createPlanner, leavesOf } from './plan.ts';

type PlanTree =
  | string
  | {
      s: Branch['strategy'];
      t: readonly PlanTree[];
      codes?: readonly number[];
      weights?: readonly number[];
      choose?: (facts: QueryFacts) => number;
    };

/** Builds a tree from a short notation: a leaf is its name, a branch is `{s, t}`. */
function build(tree: PlanTree, path = 'config', index = 0, weight = 1, parent?: Branch): Branch | Leaf {
  const node = { path, name: undefined, weight, parent, index };
  if (typeof tree === 'string') {
    const leaf = {
      ...node,
      name: tree,
      strategy: 'leaf',
      root: 'configs.t',
      provider: undefined,
      override: undefined,
      retry: { attempts: 0, retries: () => false, useRetryAfter: false },
      timeouts: {},
      customHost: undefined,
      forwardHeaders: undefined,
      strict: undefined,
    } as const satisfies Leaf;
    return leaf;
  }
  const { s, t, codes, weights, choose } = tree;
  const targets: (Branch | Leaf)[] = [];
  const branch: Branch = {
    ...node,
    strategy: s,
    targets,
    ...(choose === undefined ? {} : { match: (facts) => ({ index: choose(facts), because: 'test' }) }),
    fallsBackOn: (status) => (codes === undefined ? status < 200 || status > 299 : codes.includes(status)),
  };
  for (const [i, child] of t.entries()) targets.push(build(child, `${path}.targets[${i}]`, i, weights?.[i] ?? 1, branch));
  return branch;
}

const config = (tree: PlanTree): CompiledConfig => ({ name: 't', root: build(tree), metadata: {} });
const query: QueryFacts = { metadata: {}, params: () => undefined, pathname: '/v1/chat/completions' };
const facts = (overrides: Partial<PlanFacts> = {}): PlanFacts => ({ random: 0.5, query, walk: 'model', accepts: () => true, ...overrides });

const times = { at: 0, connectMs: undefined, firstByteMs: undefined, totalMs: 1 };
type OutcomeName =
  | number
  | 'skipped'
  | 'unreachable'
  | 'timeout'
  | 'connect'
  | 'faulty'
  | 'unsupported'
  | 'no id'
  | 'denied'
  | 'cancelled'
  | 'elsewhere';
function outcome(target: Leaf, outcomeName: OutcomeName): Outcome {
  const provider = { fault: () => ({ message: 'x', ...(outcomeName === 'elsewhere' ? { isOfOtherAccount: true } : {}) }) };
  const base = { attempt: { target, binding: { provider } } as unknown as Attempt, times };
  switch (outcomeName) {
    case 'unreachable':
      return { ...base, kind: 'unreachable', cause: new Error('refused'), sent: false };
    case 'timeout':
      return { ...base, kind: 'timeout', phase: 'total', afterMs: 5, sent: true };
    case 'connect':
      return { ...base, kind: 'timeout', phase: 'connect', afterMs: 5, sent: false };
    case 'faulty':
      return { ...base, kind: 'faulty', fault: new GatewayError('upstream_invalid', { message: 'x' }) };
    case 'unsupported':
      return { ...base, kind: 'refused', error: new GatewayError('unsupported_endpoint', { message: 'x' }) };
    case 'no id':
      return { ...base, kind: 'refused', error: new GatewayError('invalid_value', { message: 'x', status: 404 }) };
    case 'denied':
      return { ...base, kind: 'refused', error: new GatewayError('not_allowed', { message: 'x' }) };
    case 'skipped':
      return { ...base, kind: 'skipped', because: 'test' };
    case 'cancelled':
      return { ...base, kind: 'cancelled' };
    default:
      return {
        ...base,
        kind: 'answered',
        reply: {
          status: outcomeName === 'elsewhere' ? 400 : outcomeName,
          headers: {},
          body: Buffer.alloc(0),
          flow: undefined,
          tap: undefined,
        },
      };
  }
}

/** The names of the visited leaves if each target has its outcome; the last outcome repeats. */
function walk(plan: Plan | undefined, outcomeNames: readonly OutcomeName[]): string[] {
  const visited: string[] = [];
  const history: Outcome[] = [];
  for (let leaf = plan?.first; leaf !== undefined; leaf = plan?.after(history)) {
    visited.push(leaf.name ?? '?');
    history.push(outcome(leaf, outcomeNames[history.length] ?? outcomeNames.at(-1) ?? 500));
    if (visited.length > 100) throw new Error('the walk does not end');
  }
  return visited;
}

const nested: PlanTree = {
  s: 'fallback',
  codes: [429, 503],
  t: ['a', { s: 'fallback', codes: [429], t: ['b', 'c'] }, { s: 'single', t: ['d', 'unused'] }, 'e'],
};

describe('plan over a target tree', () => {
  const walkCases: readonly (readonly [name: string, tree: PlanTree, outcomes: readonly OutcomeName[], visited: readonly string[]])[] = [
    ['tries a leaf once', 'a', [500], ['a']],
    ['uses the first target of single', { s: 'single', t: ['a', 'b'] }, [500], ['a']],
    ['falls back on any non-2xx status without on_status_codes', { s: 'fallback', t: ['a', 'b', 'c'] }, [400, 301, 200], ['a', 'b', 'c']],
    ['does not fall back on 2xx without on_status_codes', { s: 'fallback', t: ['a', 'b'] }, [204], ['a']],
    ['does not fall back on a status outside the codes', { s: 'fallback', codes: [429], t: ['a', 'b'] }, [500], ['a']],
    ['falls back on a 2xx status in the codes', { s: 'fallback', codes: [246], t: ['a', 'b'] }, [246], ['a', 'b']],
    ['falls back from an unreachable target with any codes', { s: 'fallback', codes: [429], t: ['a', 'b'] }, ['unreachable'], ['a', 'b']],
    ['falls back after a timeout with any codes', { s: 'fallback', codes: [429], t: ['a', 'b'] }, ['timeout'], ['a', 'b']],
    ['falls back from an invalid response with any codes', { s: 'fallback', codes: [429], t: ['a', 'b'] }, ['faulty'], ['a', 'b']],
    ['falls back from an unsupported endpoint with any codes', { s: 'fallback', codes: [429], t: ['a', 'b'] }, ['unsupported'], ['a', 'b']],
    ['does not fall back from another rejection outside the codes', { s: 'fallback', codes: [429], t: ['a', 'b'] }, ['denied'], ['a']],
    ['falls back from a rejection in the codes', { s: 'fallback', codes: [403], t: ['a', 'b'] }, ['denied'], ['a', 'b']],
    ['does not fall back if the client disconnected', { s: 'fallback', t: ['a', 'b'] }, ['cancelled'], ['a']],
    ['uses the inner fallback first, then its parent', nested, [429, 429, 503, 503], ['a', 'b', 'c', 'd', 'e']],
    ['uses the parent if the status is outside the inner codes', nested, [429, 503, 503, 200], ['a', 'b', 'd', 'e']],
    ['stops if no fallback includes the status', nested, [429, 500], ['a', 'b']],
    ['selects one target of loadbalance only', { s: 'loadbalance', t: ['a', 'b'], weights: [1, 0] }, [500], ['a']],
    [
      'falls back from a loadbalance after its selected target',
      { s: 'fallback', t: [{ s: 'loadbalance', t: ['a', 'b'], weights: [0, 1] }, 'c'] },
      [500],
      ['b', 'c'],
    ],
    [
      'tries all targets of a fallback inside a loadbalance',
      { s: 'loadbalance', weights: [0, 2], t: ['a', { s: 'fallback', t: ['b', 'c'] }] },
      [500],
      ['b', 'c'],
    ],
    ['uses the selected target of conditional', { s: 'conditional', choose: () => 1, t: ['a', 'b', 'c'] }, [500], ['b']],
    [
      'falls back from a conditional after its selected target',
      { s: 'fallback', t: [{ s: 'conditional', choose: () => 1, t: ['a', 'b'] }, 'c'] },
      [500],
      ['b', 'c'],
    ],
    [
      'selects again in a loadbalance if all targets of the selection were skipped',
      { s: 'loadbalance', weights: [1000, 0.001], t: [{ s: 'fallback', t: ['a', 'b'] }, 'c'] },
      ['skipped', 'skipped', 500],
      ['a', 'b', 'c'],
    ],
    [
      'does not select again in a loadbalance if one target was tried and the next skipped',
      { s: 'loadbalance', weights: [1000, 0.001], t: [{ s: 'fallback', t: ['a', 'b'] }, 'c'] },
      [500, 'skipped', 500],
      ['a', 'b'],
    ],
    [
      'falls back from a loadbalance if one target was tried and the next skipped',
      { s: 'fallback', t: [{ s: 'loadbalance', weights: [1000, 0.001], t: [{ s: 'fallback', t: ['a', 'b'] }, 'c'] }, 'd'] },
      [500, 'skipped', 500],
      ['a', 'b', 'd'],
    ],
    [
      'tries the other targets of a loadbalance if what the request refers to is elsewhere',
      { s: 'loadbalance', weights: [1, 1e3, 0, 1e6], t: ['a', 'b', 'off', 'd'] },
      ['elsewhere', 'elsewhere', 200],
      ['d', 'b', 'a'],
    ],
    [
      'passes over a skipped target then',
      { s: 'loadbalance', weights: [1, 1e3, 1e6], t: ['a', 'b', 'c'] },
      ['elsewhere', 'skipped', 200],
      ['c', 'b', 'a'],
    ],
    ['stops once every target has said so', { s: 'loadbalance', weights: [1, 1000], t: ['a', 'b'] }, ['elsewhere'], ['b', 'a']],
    ['stops at the first other error', { s: 'loadbalance', weights: [1, 1e3, 1e6], t: ['a', 'b', 'c'] }, ['elsewhere', 400], ['c', 'b']],
    [
      'leaves a loadbalance for the fallback above it last, with any codes',
      { s: 'fallback', codes: [429], t: [{ s: 'loadbalance', weights: [1, 1000], t: ['a', 'b'] }, 'c'] },
      ['elsewhere'],
      ['b', 'a', 'c'],
    ],
    [
      'skips a later target that resolves to nothing',
      { s: 'fallback', t: ['a', { s: 'conditional', choose: () => -1, t: ['b'] }, 'c'] },
      [500],
      ['a', 'c'],
    ],
    [
      'skips a first target that resolves to nothing',
      { s: 'fallback', t: [{ s: 'conditional', choose: () => -1, t: ['a'] }, 'b', 'c'] },
      [500],
      ['b', 'c'],
    ],
  ];
  it.each(walkCases)('%s', (_name, tree, outcomeNames, visited) => {
    expect(walk(createPlanner()(config(tree), facts()), outcomeNames)).toEqual(visited);
  });

  const allExcept = (...names: string[]) => facts({ accepts: (leaf) => !names.includes(leaf.name ?? '') });
  const skipCases: readonly (readonly [name: string, tree: PlanTree, names: readonly string[], visited: readonly string[]])[] = [
    ['the first target of a fallback', nested, ['a'], ['b', 'c', 'd', 'e']],
    ['a whole branch', nested, ['b', 'c'], ['a', 'd', 'e']],
    ['a later target', nested, ['c', 'd'], ['a', 'b', 'e']],
    ['a target of a loadbalance, which selects the other one', { s: 'loadbalance', t: ['a', 'b'], weights: [1000, 1] }, ['a'], ['b']],
    ['the target of single, without an alternative', { s: 'single', t: ['a', 'b'] }, ['a'], []],
    ['the target of conditional, without an alternative', { s: 'conditional', choose: () => 0, t: ['a', 'b'] }, ['a'], []],
    ['all targets of a loadbalance with a weight', { s: 'loadbalance', t: ['a', 'b'], weights: [1, 0] }, ['a'], []],
    ['a single leaf', 'a', ['a'], []],
  ];
  it.each(skipCases)('skips targets that the caller may not use: %s', (_name, tree, names, visited) => {
    expect(walk(createPlanner()(config(tree), allExcept(...names)), [429])).toEqual(visited);
  });

  it('is the same object for each request if it has one target', () => {
    const plan = createPlanner();
    const single = config({ s: 'single', t: ['a'] });
    expect(plan(single, facts())).toBe(plan(single, facts({ random: 0.1 })));
  });

  it('rejects a loadbalance whose weights are all zero', () => {
    const zeroWeights = config({ s: 'loadbalance', t: ['a', 'b'], weights: [0, 0] });
    expect(() => createPlanner()(zeroWeights, facts())).toThrow(expect.objectContaining({ code: 'invalid_config', status: 400 }));
  });

  it('rejects a conditional without a matching target', () => {
    const noMatch = config({ s: 'conditional', choose: () => -1, t: ['a'] });
    const factsWithModel = facts({ query: { ...query, params: () => 'gpt-5' } });
    expect(() => createPlanner()(noMatch, facts())).toThrow(expect.objectContaining({ code: 'invalid_config', status: 400 }));
    const nestedNoMatch = config({ s: 'fallback', t: [{ s: 'loadbalance', t: [{ s: 'conditional', choose: () => -1, t: ['a'] }] }] });
    const route = facts();
    expect(() => createPlanner()(nestedNoMatch, route)).toThrow(expect.objectContaining({ code: 'invalid_config', status: 400 }));
    expect(route.route).toEqual([]);
    expect(() => createPlanner()(noMatch, factsWithModel)).toThrow('matches the request with model "gpt-5", and it has no default.');
  });
});

describe('plan for routes that name an object', () => {
  const tree: PlanTree = { s: 'loadbalance', weights: [0, 5, 1], t: ['a', { s: 'conditional', choose: () => -1, t: ['b', 'c'] }, 'd'] };
  const statefulCases: readonly (readonly [outcomes: readonly OutcomeName[], visited: readonly string[]])[] = [
    [[404], ['a', 'b', 'c', 'd']],
    [
      ['unreachable', 'connect', 'unsupported', 404],
      ['a', 'b', 'c', 'd'],
    ],
    [
      ['no id', 'denied'],
      ['a', 'b'],
    ],
    [[500], ['a']],
    [[429], ['a']],
    [['timeout'], ['a']],
    [['faulty'], ['a']],
    [
      [404, 200],
      ['a', 'b'],
    ],
  ];
  it.each(statefulCases)('after %j visits %j in written order', (outcomeNames, visited) => {
    expect(walk(createPlanner()(config(tree), facts({ walk: 'stateful' })), outcomeNames)).toEqual(visited);
  });

  it('is undefined if no leaf may be used', () => {
    expect(createPlanner()(config(tree), facts({ walk: 'stateful', accepts: () => false }))).toBeUndefined();
  });
});

describe('plan for any tree', () => {
  const { node } = fc.letrec<{ node: PlanTree; branch: PlanTree; leaf: PlanTree }>((ref) => ({
    leaf: fc.string({ minLength: 1, maxLength: 3 }),
    branch: fc.record({
      s: fc.constantFrom('single', 'fallback', 'loadbalance', 'conditional'),
      t: fc.array(ref('node'), { minLength: 1, maxLength: 4 }),
      weights: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 4, maxLength: 4 }),
      choose: fc.constantFrom(
        () => 0,
        () => -1,
      ),
    }) as fc.Arbitrary<PlanTree>,
    node: fc.oneof({ depthSize: 'small', withCrossShrink: true }, ref('leaf'), ref('branch')),
  }));
  const outcomeLists = fc.array(fc.constantFrom<OutcomeName>(200, 429, 500, 'skipped', 'unreachable', 'faulty', 'denied'), {
    minLength: 1,
  });
  const number = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('visits each leaf at most once, ends, and is the same for the same facts', () => {
    fc.assert(
      fc.property(
        node,
        outcomeLists,
        number,
        fc.constantFrom<PlanFacts['walk']>('model', 'stateful'),
        (tree, outcomeNames, random, walkKind) => {
          const compiled = config(tree);
          const visitAll = (): Leaf[] => {
            const visitedLeaves: Leaf[] = [];
            const history: Outcome[] = [];
            const plan = createPlanner()(compiled, facts({ random, walk: walkKind }));
            for (let leaf = plan?.first; leaf !== undefined; leaf = plan?.after(history)) {
              expect(visitedLeaves).not.toContain(leaf);
              visitedLeaves.push(leaf);
              history.push(outcome(leaf, outcomeNames[history.length % outcomeNames.length] ?? 500));
            }
            return visitedLeaves;
          };
          const all = [...leavesOf(compiled.root)];
          try {
            const visitedLeaves = visitAll();
            expect(all).toEqual(expect.arrayContaining(visitedLeaves));
            expect(visitAll()).toEqual(visitedLeaves);
          } catch (error) {
            if (!(error instanceof GatewayError)) throw error;
          }
        },
      ),
    );
  });

  it('selects in proportion to the weights at every depth', () => {
    const tree: PlanTree = { s: 'loadbalance', weights: [1, 3, 0], t: ['a', { s: 'loadbalance', weights: [1, 1], t: ['b', 'c'] }, 'z'] };
    const counts: Record<string, number> = { a: 0, b: 0, c: 0, z: 0 };
    const planner = createPlanner();
    const compiled = config(tree);
    const rounds = 20_000;
    for (let i = 0; i < rounds; i += 1) {
      const name = planner(compiled, facts({ random: (i + 0.5) / rounds }))?.first.name ?? '?';
      counts[name] = (counts[name] ?? 0) + 1;
    }
    expect(counts['z']).toBe(0);
    expect((counts['a'] ?? 0) / rounds).toBeCloseTo(0.25, 1);
    expect((counts['b'] ?? 0) / rounds).toBeCloseTo(0.375, 1);
    expect((counts['c'] ?? 0) / rounds).toBeCloseTo(0.375, 1);
  });
});
