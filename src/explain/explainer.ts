import { leavesOf } from '../config/compile/targets/plan.ts';
import { formatPath } from '../config/read/node.ts';
import type { Origins } from '../config/report/origins.ts';
import type { GatewayConfig } from '../config/schema/index.ts';
import type { Clock } from '../core/context.ts';
import type { GatewayError } from '../core/error.ts';
import type { MemoryReservation } from '../core/memory/budget.ts';
import { fromHeader } from '../core/http/header-text.ts';
import { tryParseObject } from '../core/json/scan.ts';
import { shownLimits } from '../core/limits/limits-text.ts';
import type { ExplainedTarget, Explanation, ExplainRequest } from '../core/logs/explanation.ts';
import type { Leaf, QueryFacts, Snapshot, Trust } from '../core/snapshot.ts';
import { headerNameAsSent } from '../core/text/header-name-as-sent.ts';
import { didYouMean } from '../core/text/nearest.ts';
import type { Generation } from '../pipeline/generation.ts';
import { overruledIn } from '../pipeline/record/overruled.ts';
import { policyOf } from '../pipeline/record/policy.ts';
import type { RequestContext } from '../pipeline/request.ts';
import type { ConfiguredFacts } from './logged/differences.ts';
import { removedHeaders } from './describe/removed-headers.ts';
import { describeRoute } from './describe/route.ts';
import { describeTarget } from './describe/targets.ts';
import { dryArrival } from './dry-run/arrival.ts';
import { type DryRun, dryRun, failedVisit, yieldToEventLoop, type Visit } from './dry-run/dry-run.ts';
import { ConfigLevels } from './dry-run/config-levels.ts';
import { createRedactor, type References } from './dry-run/references.ts';
import { SubstituteKeys } from './dry-run/substitute-keys.ts';

export interface ExplainerDeps {
  /** Created for explaining: its credentials are references, and it makes no requests. */
  readonly generation: Generation;
  readonly tree: GatewayConfig;
  readonly origins: Origins;
  readonly references: References;
  readonly clock: Clock;
  checkEgress(origin: string, trust: Trust): GatewayError | undefined;
  /** URLs of files that would have been downloaded for a request. */
  filesOf(reservation: MemoryReservation): readonly string[];
}

/** Explains what the gateway would do with a request, using the same chain as real traffic. Sends, fetches and counts nothing. */
export class Explainer {
  readonly #deps: ExplainerDeps;
  readonly #snapshot: Snapshot;
  readonly #keys: SubstituteKeys;
  readonly #hide: (text: string) => string;

  constructor(deps: ExplainerDeps) {
    this.#deps = deps;
    const { snapshot } = deps.generation;
    this.#keys = new SubstituteKeys(snapshot);
    this.#snapshot = this.#keys.snapshot;
    this.#hide = createRedactor(deps.references, snapshot.secrets);
  }

  /** Facts in the configuration about the target of a record, such as `configs.support.targets[0]`. */
  configured(target: string, config: string | null): ConfiguredFacts | undefined {
    const root = `configs.${config ?? ''}`;
    const compiled = config === null ? undefined : this.#snapshot.configs.get(config);
    // The tree built from the request's own headers has no settings in the configuration.
    if (compiled === undefined) return target.startsWith('request') ? { overrides: new Map(), override: undefined } : undefined;
    const path = `config${target.slice(root.length)}`;
    const leaf = target.startsWith(root) ? [...leavesOf(compiled.root)].find((each) => each.path === path) : undefined;
    if (leaf === undefined) return undefined;
    const levels = new ConfigLevels(this.#deps.tree, this.#deps.origins, undefined);
    return { overrides: levels.overrides(root, path), override: leaf.override };
  }

  async explain(request: ExplainRequest): Promise<Explanation> {
    const keyHeaders = this.#keyHeaders(request);
    const arrival = dryArrival(request, { ...request.headers, ...keyHeaders }, this.#snapshot, this.#deps.clock);
    const { generation, clock, checkEgress } = this.#deps;
    const run = await dryRun(request, arrival, { generation, snapshot: this.#snapshot, clock, checkEgress });
    // Headers added for the explanation are not the caller's.
    const added = Object.keys(request.headers ?? {}).some((name) => name.toLowerCase() === 'content-type') ? [] : ['content-type'];
    const described = await this.#describe(run, new Set([...Object.keys(keyHeaders), ...added]));
    return { ...described, warnings: [...this.#lostKey(request), ...described.warnings, ...this.#unknownAssumptions(request, described)] };
  }

  /** Warnings about assumed responses for slugs that no provider has, which are probably misspelled. */
  #unknownAssumptions({ assume = {} }: ExplainRequest, { targets }: Explanation): readonly string[] {
    const slugs = [...new Set([...this.#snapshot.providers.keys(), ...targets.map(({ provider }) => provider)])];
    return Object.keys(assume)
      .filter((slug) => !slugs.includes(slug))
      .map((slug) => `The assumed response of "${this.#hide(slug)}" has no effect: no provider has this slug.${didYouMean(slug, slugs)}`);
  }

  /** A warning if the request cannot be explained with the key or token of its record. */
  #lostKey({ key, recorded_key: recorded }: ExplainRequest): readonly string[] {
    if (key !== undefined || recorded === undefined || this.#keys.has(recorded)) return [];
    const what = recorded.startsWith('jwt:')
      ? 'a token, which is not in the log'
      : `the API key "${recorded}", which this configuration does not have`;
    return [`The request was made with ${what}: it is explained without a key.`];
  }

  /**
   * Headers that authenticate with the named key.
   * @throws GatewayError `not_allowed` when no key has the name in `key`
   */
  #keyHeaders({ key, recorded_key: recorded }: ExplainRequest): Readonly<Record<string, string>> {
    if (key !== undefined) return this.#keys.headers(key);
    return recorded === undefined || !this.#keys.has(recorded) ? {} : this.#keys.headers(recorded);
  }

  async #describe(run: DryRun, addedHeaders: ReadonlySet<string>): Promise<Explanation> {
    const { tree, origins } = this.#deps;
    const hide = this.#hide;
    const { ctx, visits } = run;
    const levels = new ConfigLevels(tree, origins, inlineConfigOf(ctx));
    const first = visits.find(({ when }) => when === 'here') ?? visits[0];
    const { config } = ctx.facts;
    const key = ctx.facts.caller.key?.name ?? null;
    const parts = { run, levels, hide };
    const targets: ExplainedTarget[] = [];
    for (const visit of withExcludedTargets(run)) {
      await yieldToEventLoop();
      targets.push(describeTarget(visit, parts));
    }
    const policy = policyOf(ctx);
    return {
      request: { method: ctx.method, path: hide(ctx.path), endpoint: ctx.calledEndpoint },
      key: { name: key, at: key === null ? null : origins.at(formatPath(['api_keys', key])) },
      limits: limitsOf(ctx, origins),
      prompt: promptOf(ctx),
      config: describeConfig(ctx, origins),
      overruled: first?.attempt === undefined ? [] : overruledIn(ctx, first.attempt).map((one) => ({ ...one, value: hide(one.value) })),
      route: (config === undefined
        ? []
        : describeRoute({
            config,
            leaf: visits[0]?.leaf,
            traversal: ctx.facts.traversal,
            facts: queryFacts(ctx),
            levels,
            originAt: (path) => origins.near(path),
            hide,
          })
      ).map((node) => ({
        ...node,
        conditions: node.conditions.map((one) => ({ ...one, text: hide(one.text), why: hide(one.why) })),
      })),
      targets,
      plugins: pluginsOf(ctx, hide),
      removed_headers: removedHeaders(ctx, first?.sent, addedHeaders),
      warnings: [...unfetchedFileWarnings(this.#deps.filesOf(ctx.hold), hide), ...run.warnings, ...pluginFailures(run)].map(hide),
      log: { bodies: policy.bodies, at: origins.at(policy.because) },
      answer: gatewayResponseOf(run, hide),
    };
  }
}

/** The visited targets, together with those excluded by a rule of the key, the model or the provider. */
function withExcludedTargets({ ctx, visits }: DryRun): readonly Visit[] {
  const { traversal, config } = ctx.facts;
  if (traversal?.refusals === undefined || config === undefined) return visits;
  const order = new Map([...leavesOf(config.root)].map((leaf, at) => [leaf, at]));
  const positionOf = (leaf: Leaf): number => order.get(leaf) ?? -1;
  const refused = [...traversal.refusals].filter(([leaf]) => !visits.some((visit) => visit.leaf === leaf));
  const all = [...visits];
  for (const [leaf, error] of refused.slice(0, maxTargets)) {
    const at = all.findIndex((visit) => positionOf(visit.leaf) > positionOf(leaf));
    all.splice(at < 0 ? all.length : at, 0, failedVisit(leaf, error));
  }
  return all.slice(0, maxTargets);
}

const maxTargets = 64;

/** Most files listed in warnings. */
const maxFiles = 8;

const unfetchedFileWarnings = (urls: readonly string[], hide: (text: string) => string): readonly string[] =>
  [...new Set(urls)]
    .slice(0, maxFiles)
    .map((url) => `The file ${hide(url).slice(0, 200)} is not fetched: the bodies below lack its content.`);

function inlineConfigOf(ctx: RequestContext): ReturnType<typeof tryParseObject> {
  const text = fromHeader(ctx.headers.gateway('config')?.trim() ?? '');
  return text.startsWith('{') ? tryParseObject(text) : undefined;
}

const queryFacts = (ctx: RequestContext): QueryFacts => ({
  metadata: ctx.metadata,
  pathname: ctx.path,
  params: (name) => (ctx.body.kind === 'json' ? ctx.body.value(name) : undefined),
});

function limitsOf({ facts }: RequestContext, origins: Origins): Explanation['limits'] {
  const { key } = facts.caller;
  if (key?.limits === undefined) return null;
  return { ...shownLimits(key.limits), at: origins.at(formatPath(['api_keys', key.name, 'limits'])) };
}

function promptOf({ facts }: RequestContext): Explanation['prompt'] {
  const version = facts.prompt?.used.version;
  return version === undefined ? null : { id: version.id, version: version.number };
}

function describeConfig(ctx: RequestContext, origins: Origins): Explanation['config'] {
  const { config, prompt, caller } = ctx.facts;
  if (config === undefined || config.name === '-') return null;
  const header = ctx.headers.gateway('config')?.trim() ?? '';
  const by =
    header !== ''
      ? `header ${headerNameAsSent(ctx.headers, 'config')}`
      : prompt?.config === config.name
        ? `stored prompt ${prompt.used.version.id}`
        : `${caller.key?.enforceConfig === true ? 'enforced' : 'default'} config of key ${caller.name}`;
  return { name: config.name, by, at: config.name === 'inline' ? null : origins.at(formatPath(['configs', config.name])) };
}

/** Each plugin once per moment, with its notes. */
function pluginsOf(ctx: RequestContext, hide: (text: string) => string): Explanation['plugins'] {
  const seen = new Set<string>();
  return ctx.plugins.flatMap(({ name, moment }) => {
    if (seen.has(`${name} ${moment}`)) return [];
    seen.add(`${name} ${moment}`);
    const notes = ctx.notes[name];
    return [{ name, moment, said: notes === undefined ? null : hide(JSON.stringify(notes)) }];
  });
}

/** Longest text shown of a response made by the gateway, in characters. */
const maxResponseLength = 4000;

function gatewayResponseOf({ answer, error }: DryRun, hide: (text: string) => string): Explanation['answer'] {
  if (error !== undefined)
    return {
      status: error.status,
      code: error.code,
      message: hide(error.message),
      hint: error.hint === undefined ? null : hide(error.hint),
    };
  if (answer === undefined) return null;
  const text = answer.body?.toString('utf8') ?? '';
  return { status: answer.status, code: null, message: hide(text).slice(0, maxResponseLength), hint: null };
}

/** Errors thrown by plugins. Callers do not see them, but an explanation has no log in which to find them. */
const pluginFailures = ({ error, visits }: DryRun): readonly string[] =>
  [...new Set([error, ...visits.map((visit) => visit.error)])].flatMap((each) =>
    each?.code === 'internal' && each.cause instanceof Error ? [`The gateway or a plugin failed: ${each.cause.message}`] : [],
  );
