import type { Explanation, ExplainRequest } from '../../../core/logs/explanation.ts';
import { canonicalPrefix } from '../../../core/http/headers.ts';
import { isJsonObject } from '../../../core/json/merge.ts';
import type { Explainer } from '../../../explain/explainer.ts';
import type { TestRequest } from '../../../testing/test-case.ts';
import type { Sections } from './conversion.ts';

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

/** Maximum number of tests of one configuration, and of fallbacks of one route. */
const limits = { tests: 1000, fallbacks: 5 } as const;

/** Random numbers that reach each of up to 16 targets of about the same weight. */
const randoms: readonly number[] = Array.from({ length: 32 }, (_, n) => n / 32);

/** Failures that let a fallback continue, the usual one first. */
const failures = [503, 429, 500, 401] as const;

/** The model of a request whose model chooses nothing. */
const anyModel = 'gpt-4o-mini';

const messages = [{ role: 'user', content: 'Hello' }] as const;

/** A request that a config routes, and how the name of its test begins. */
interface Sample {
  readonly label: string;
  readonly request: TestRequest;
}

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
  const tests: RouteTest[] = [];
  const uncovered: string[] = [];
  for (const [config, content] of Object.entries(configs)) {
    const { samples, others } = samplesOf(config, content, key);
    uncovered.push(...others);
    for (const sample of samples) {
      const found = await testsOf(sample, deps);
      if (typeof found === 'string') uncovered.push(`${config}, ${sample.label}: ${found}`);
      else tests.push(...found.slice(0, limits.tests - tests.length));
    }
  }
  return { tests: distinctlyNamed(tests), uncovered };
}

/** Tests of the same name also name their target. */
function distinctlyNamed(tests: readonly RouteTest[]): readonly RouteTest[] {
  const counts = new Map<string, number>();
  for (const { name } of tests) counts.set(name, (counts.get(name) ?? 0) + 1);
  return tests.map((test) => (counts.get(test.name) === 1 ? test : { ...test, name: `${test.name} (${test.expect.target})` }));
}

/** A request for each condition that compares the model or metadata with a text, and one for the default. */
function samplesOf(
  config: string,
  content: Readonly<Record<string, unknown>>,
  key: string | undefined,
): { samples: readonly Sample[]; others: readonly string[] } {
  const sample = (label: string, model: string, metadata: Readonly<Record<string, string>> = {}): Sample => ({
    label,
    request: {
      config,
      ...(key === undefined ? {} : { key }),
      ...(Object.keys(metadata).length === 0 ? {} : { headers: { [`${canonicalPrefix}metadata`]: JSON.stringify(metadata) } }),
      body: { model, messages },
    },
  });
  const strategy = isJsonObject(content['strategy']) ? content['strategy'] : {};
  if (strategy['mode'] !== 'conditional') return { samples: [sample(config, anyModel)], others: [] };
  const samples: Sample[] = [];
  const others: string[] = [];
  const conditions: readonly unknown[] = Array.isArray(strategy['conditions']) ? strategy['conditions'] : [];
  for (const [n, condition] of conditions.entries()) {
    const facts = factsOf(isJsonObject(condition) ? condition['query'] : undefined);
    if (facts === undefined) others.push(`configs.${config}.strategy.conditions[${n}]: not a comparison of the model or of metadata`);
    else {
      const { model = anyModel, ...metadata } = facts;
      samples.push(sample(Object.values(facts).join(', '), model, metadata));
    }
  }
  if (strategy['default'] !== undefined) samples.push(sample('any other model', 'another-model'));
  return { samples, others };
}

/** Values that a query demands: `model`, and metadata by its key. Undefined if it demands something else. */
function factsOf(query: unknown): Readonly<Record<string, string>> | undefined {
  if (!isJsonObject(query)) return undefined;
  const facts: Record<string, string> = {};
  for (const [path, wanted] of Object.entries(query)) {
    const value = isJsonObject(wanted) && Object.keys(wanted).length === 1 ? wanted['$eq'] : wanted;
    const name = path === 'params.model' ? 'model' : /^metadata\.(?!model$)(.+)$/.exec(path)?.[1];
    if (name === undefined || typeof value !== 'string') return undefined;
    facts[name] = value.replaceAll('$${', () => '${');
  }
  return Object.keys(facts).length === 0 ? undefined : facts;
}

/** The tests of one request, or the reason why it has none. */
async function testsOf({ label, request }: Sample, { explainer, missing }: RouteDeps): Promise<readonly RouteTest[] | string> {
  const tests = new Map<string, RouteTest>();
  for (const random of randoms) {
    const explanation = await explainer.explain(explained(request, random));
    const refusal = refusalOf(explanation);
    if (refusal !== undefined) return refusal;
    const lacking = explanation.targets.find(({ provider }) => Object.hasOwn(missing, provider));
    if (lacking !== undefined) return `${lacking.provider} has no credential without ${missing[lacking.provider]}`;
    const first = explanation.targets.find(({ goes_here }) => goes_here);
    if (first === undefined) return 'no target can be used';
    const chosen = random === 0 ? request : { ...request, random };
    if (!tests.has(first.target)) tests.set(first.target, testOf(`${label} uses ${first.provider}`, chosen, first));
    if (random === 0) for (const one of await fallbacksOf({ label, request }, explanation, explainer)) tests.set(one.name, one);
    if (!explanation.route.some(({ strategy }) => strategy === 'loadbalance')) break;
  }
  return [...tests.values()];
}

/** A test for each further target: what is tried before it fails. Targets of a provider that was tried before have none. */
async function fallbacksOf(
  { label, request }: Sample,
  { targets }: Explanation,
  explainer: Pick<Explainer, 'explain'>,
): Promise<readonly RouteTest[]> {
  const tests: RouteTest[] = [];
  for (const [n, target] of targets.slice(0, limits.fallbacks + 1).entries()) {
    const before = new Set(targets.slice(0, n).map(({ provider }) => provider));
    if (before.size === 0 || before.has(target.provider)) continue;
    for (const status of failures) {
      const upstream = Object.fromEntries([...before].map((slug) => [slug, status]));
      const { targets: tried } = await explainer.explain({ ...explained(request, 0), assume: upstream });
      if (tried.find(({ goes_here }) => goes_here)?.target !== target.target) continue;
      const name = `${label} falls back to ${target.provider} if ${[...before].join(' and ')} ${before.size === 1 ? 'responds' : 'respond'} ${status}`;
      const { expect, ...test } = testOf(name, request, target);
      tests.push({ ...test, upstream, expect });
      break;
    }
  }
  return tests;
}

const refusalOf = ({ answer }: Explanation): string | undefined => (answer !== null && answer.status >= 400 ? answer.message : undefined);

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
