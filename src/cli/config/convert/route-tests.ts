import type { Explanation, ExplainRequest } from '../../../core/logs/explanation.ts';
import { canonicalPrefix } from '../../../core/http/headers.ts';
import type { Explainer } from '../../../explain/explainer.ts';
import type { TestRequest } from '../../../testing/test-case.ts';
import type { Sections } from './conversion.ts';
import { type Sample, samplesOf } from './route-samples.ts';

/** One test, as it is written to a file for `gateway test`. */
export interface RouteTest {
  readonly name: string;
  readonly request: TestRequest;
  readonly upstream?: Readonly<Record<string, number>>;
  readonly expect: { readonly status: number; readonly target: string; readonly headers: Readonly<Record<string, string>> };
}

/** Tests of the routes, and the routes that have none, each with the reason. */
export interface RouteTests {
  readonly tests: readonly RouteTest[];
  readonly uncovered: readonly string[];
}

/** Maximum number of tests of one configuration, of fallbacks of one route, and of characters in the name of a test. */
const limits = { tests: 1000, fallbacks: 5, name: 250 } as const;

/** Random numbers to try until each target of a route is chosen. A target whose share is below 2 % may be missed. */
const randoms: readonly number[] = Array.from({ length: 256 }, (_, n) => n / 256);

/** Failures that may let a fallback continue, the usual one first. */
const failures = [503, 429, 500, 401, 502, 504, 408, 403, 404, 400] as const;

export interface RouteDeps {
  readonly explainer: Pick<Explainer, 'explain'>;
  /** Providers without a credential, and the variable or file that is missing. */
  readonly missing: Readonly<Record<string, string>>;
}

/**
 * Tests of a converted configuration: each target that the weights of a route choose, and each fallback. The expected
 * results are those that `gateway explain` predicts.
 */
export async function routeTests({ configs, api_keys }: Sections, deps: RouteDeps): Promise<RouteTests> {
  const [key] = Object.keys(api_keys);
  const hasSeveralConfigs = Object.keys(configs).length > 1;
  const tests: RouteTest[] = [];
  const uncovered: string[] = [];
  for (const [config, content] of Object.entries(configs)) {
    const { samples, ...found } = samplesOf(config, content, { key, hasSeveralConfigs });
    uncovered.push(...found.uncovered);
    for (const sample of samples) {
      if (tests.length >= limits.tests) {
        uncovered.push(`${sample.label} and all after it: there are more than ${limits.tests} tests`);
        return { tests: distinctlyNamed(tests), uncovered };
      }
      const of = await testsOf(sample, deps);
      tests.push(...of.tests);
      uncovered.push(...of.uncovered.map((why) => `${sample.label}: ${why}`));
    }
  }
  return { tests: distinctlyNamed(tests), uncovered };
}

/** Tests of the same name also name their target, and a number if that is the same too. */
function distinctlyNamed(tests: readonly RouteTest[]): readonly RouteTest[] {
  const short = tests.map((test) => ({ ...test, name: truncated(test.name) }));
  const names = Map.groupBy(short, ({ name }) => name);
  const located = short.map((test) =>
    names.get(test.name)?.length === 1 ? test : { ...test, name: `${test.name} (${test.expect.target})` },
  );
  const counts = new Map<string, number>();
  return located.map((test) => {
    const count = (counts.get(test.name) ?? 0) + 1;
    counts.set(test.name, count);
    return count === 1 ? test : { ...test, name: `${test.name} #${count}` };
  });
}

const truncated = (name: string): string => (name.length > limits.name ? `${name.slice(0, limits.name - 1)}…` : name);

/** The tests of one request. */
async function testsOf({ label, request }: Sample, { explainer, missing }: RouteDeps): Promise<RouteTests> {
  const tests = new Map<string, RouteTest>();
  const fallbacks: RouteTest[] = [];
  const uncovered = new Set<string>();
  const choices = new WeightedChoices();
  for (const random of randoms) {
    const explanation = await explainer.explain(explained(request, random));
    const first = explanation.targets.find(({ goes_here }) => goes_here);
    const problem = problemOf(explanation, missing);
    choices.add(explanation.route);
    if (problem !== undefined) uncovered.add(problem);
    else if (first === undefined) uncovered.add('no target can be used');
    else {
      const chosen = random === 0 ? request : { ...request, random };
      if (!tests.has(first.target)) tests.set(first.target, testOf(`${label} uses ${first.provider}`, chosen, first));
      if (random === 0) {
        const found = await fallbacksOf({ label, request }, explanation, explainer);
        fallbacks.push(...found.tests);
        for (const why of found.uncovered) uncovered.add(why);
      }
    }
    if (choices.unreached().length === 0) break;
  }
  for (const target of choices.unreached()) uncovered.add(`${target}: no random number that was tried chooses it`);
  const [usual, ...others] = tests.values();
  return { tests: [...(usual === undefined ? [] : [usual]), ...fallbacks, ...others], uncovered: [...uncovered] };
}

/** Targets of load balancing that were chosen so far. */
class WeightedChoices {
  readonly #nodes = new Map<string, { readonly weights: readonly number[]; readonly chosen: Set<number> }>();

  add(route: Explanation['route']): void {
    for (const { node, strategy, weights, chose } of route) {
      if (strategy !== 'loadbalance') continue;
      const known = this.#nodes.get(node) ?? { weights, chosen: new Set() };
      if (chose !== null) known.chosen.add(chose);
      this.#nodes.set(node, known);
    }
  }

  /** Paths of targets with a weight that were not chosen. */
  unreached(): readonly string[] {
    return [...this.#nodes].flatMap(([node, { weights, chosen }]) =>
      weights.flatMap((weight, n) => (weight > 0 && !chosen.has(n) ? [`${node}.targets[${n}]`] : [])),
    );
  }
}

/** Why a request has no test: the gateway rejects it, or a target has no credential. */
function problemOf({ answer, targets }: Explanation, missing: RouteDeps['missing']): string | undefined {
  if (answer !== null && answer.status >= 400) return answer.message;
  const lacking = targets.find(({ provider }) => Object.hasOwn(missing, provider));
  return lacking === undefined ? undefined : `${lacking.provider} has no credential without ${missing[lacking.provider]}`;
}

/** A test for each further target: what is tried before it fails. Targets of a provider that was tried before have none. */
async function fallbacksOf(
  { label, request }: Sample,
  { targets }: Explanation,
  explainer: Pick<Explainer, 'explain'>,
): Promise<RouteTests> {
  const tests: RouteTest[] = [];
  const uncovered: string[] = [];
  for (const [n, target] of targets.entries()) {
    if (n === 0) continue;
    const before = new Set(targets.slice(0, n).map(({ provider }) => provider));
    if (n > limits.fallbacks) uncovered.push(`${target.target}: a route has tests of up to ${limits.fallbacks} fallbacks`);
    else if (before.has(target.provider)) uncovered.push(`${target.target}: ${target.provider} is already tried before`);
    else {
      const test = await fallbackTest({ label, request }, target, before, explainer);
      if (test === undefined) uncovered.push(`${target.target}: no status that was tried leads to it`);
      else tests.push(test);
    }
  }
  return { tests, uncovered };
}

/** The test of a target that is reached with one status of all providers before it. Undefined if there is no such status. */
async function fallbackTest(
  { label, request }: Sample,
  target: Explanation['targets'][number],
  before: ReadonlySet<string>,
  explainer: Pick<Explainer, 'explain'>,
): Promise<RouteTest | undefined> {
  for (const status of failures) {
    const upstream = Object.fromEntries([...before].map((slug) => [slug, status]));
    const { targets } = await explainer.explain({ ...explained(request, 0), assume: upstream });
    if (targets.find(({ goes_here }) => goes_here)?.target !== target.target) continue;
    const name = `${label} falls back to ${target.provider} if ${[...before].join(' and ')} ${before.size === 1 ? 'responds' : 'respond'} ${status}`;
    const { expect, ...test } = testOf(name, request, target);
    return { ...test, upstream, expect };
  }
  return undefined;
}

const testOf = (name: string, request: TestRequest, { target, provider }: Explanation['targets'][number]): RouteTest => ({
  name,
  request,
  expect: { status: 200, target, headers: { [`${canonicalPrefix}provider`]: provider } },
});

function explained({ config, key, headers, body }: TestRequest, random: number): ExplainRequest {
  return {
    headers: {
      'content-type': 'application/json',
      ...(headers as Readonly<Record<string, string>> | undefined),
      ...(config === undefined ? {} : { [`${canonicalPrefix}config`]: config }),
    },
    ...(key === undefined ? {} : { key }),
    body,
    random,
  };
}
