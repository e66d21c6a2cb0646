import { bareModel } from '../../../core/model/model-name.ts';
import type { JsonObject } from '../../../core/json/merge.ts';
import { choosePrompt, splitReference } from '../../../core/model/prompt.ts';
import type { Branch, CompiledConfig, Leaf, Match } from '../../../core/snapshot.ts';
import { conditionText } from './condition-text.ts';
import { compileQuery, modelsIn } from './conditions.ts';
import { shorten } from '../../validate/describe.ts';
import type { RegexCompiler } from '../../validate/regex.ts';
import type { ConfigEntry, TargetEntry } from '../../schema/index.ts';
import { type BindingContext, chooseBinding } from './choose-binding.ts';
import type { TreeBudget } from './budget.ts';
import { circuitOf } from './circuit.ts';
import { deepFreeze } from '../freeze.ts';
import { invalidConfig } from '../invalid.ts';
import { inherit, type InheritedSettings, defaultSettings } from './inherited-settings.ts';
import { canonicalConfig } from '../canonical-config.ts';
import { compileFallbackCodes } from './status-codes.ts';
import { runSteps, type Steps } from '../../../core/async/steps.ts';

/** Input for compiling the target trees of a snapshot. */
export interface TreeSource extends BindingContext {
  /** Origin of the tree, copied to every leaf: `configs.<name>`, `inline` or `request`. */
  readonly root: string;
  /** Distinguishes trees with the same root that are in use at the same time. Undefined when there is only one. */
  readonly text?: string;
  /** A named config used as a target; undefined when it does not exist, or when named configs are not allowed. */
  namedConfig(name: string): ConfigEntry | undefined;
  /** Limits for a config sent with a request. */
  readonly regex?: RegexCompiler;
  readonly budget?: TreeBudget;
  /** Checks that the sender may use a prompt. @throws GatewayError `not_allowed` */
  readonly checkPrompt?: (id: string) => void;
}

/** Position of a node in the tree. */
interface TreeLocation {
  readonly path: string;
  readonly index: number;
  readonly parent: Branch | undefined;
  readonly inherited: InheritedSettings;
  /** Name and weight are those of the target, even if it refers to a named config. */
  readonly name: string | undefined;
  readonly weight: number;
  /** Named configs on the path to this node. */
  readonly enclosingConfigs: readonly string[];
}

/**
 * Compiles a config object to its target tree, with inherited settings in every leaf.
 * @throws GatewayError
 */
export function compileTree(name: string, written: unknown, source: TreeSource): CompiledConfig {
  return runSteps(treeSteps(name, written, source));
}

/** The same, one target per step. */
export function* treeSteps(name: string, written: unknown, source: TreeSource): Steps<CompiledConfig> {
  const entry = canonicalConfig(written) as ConfigEntry;
  const root = yield* compileNode(entry, source, {
    path: 'config',
    index: 0,
    parent: undefined,
    inherited: defaultSettings(),
    name: entry.name,
    weight: entry.weight ?? 1,
    enclosingConfigs: [],
  });
  return Object.freeze({ name, root, metadata: deepFreeze({ ...entry.metadata }), hasPrompts: hasPrompts(root), log: entry.log });
}

function hasPrompts(node: Branch | Leaf): boolean {
  return node.strategy === 'leaf' ? node.prompt !== undefined : node.targets.some(hasPrompts);
}

function* compileNode(entry: ConfigEntry, source: TreeSource, location: TreeLocation): Steps<Branch | Leaf> {
  const level = inherit(location.inherited, entry, source.text ?? source.root, location.path);
  source.budget?.addParams(level.override, location.inherited.override);
  if (entry.config !== undefined) return yield* compileNamed(entry.config, source, { ...location, inherited: level });
  if (entry.targets !== undefined || entry.strategy !== undefined) return yield* compileBranch(entry, level, source, location);
  yield;
  return compileLeaf(entry, level, source, location);
}

/** Another config as a target: its tree is compiled again at this position, with the settings inherited here. */
function compileNamed(name: string, source: TreeSource, location: TreeLocation): Steps<Branch | Leaf> {
  if (location.enclosingConfigs.includes(name)) throw invalidConfig(`config "${name}" contains itself`, undefined, location.path);
  const entry = source.namedConfig(name);
  if (entry === undefined) throw invalidConfig(`it cannot use a config called "${shorten(name)}"`, undefined, location.path);
  return compileNode(canonicalConfig(entry) as ConfigEntry, source, {
    ...location,
    enclosingConfigs: [...location.enclosingConfigs, name],
  });
}

function* compileBranch(entry: ConfigEntry, level: InheritedSettings, source: TreeSource, location: TreeLocation): Steps<Branch> {
  const entries = entry.targets ?? [];
  if (entries.length === 0) throw invalidConfig(`"${location.path}" has a strategy but no targets`, undefined, `${location.path}.targets`);
  const strategy = entry.strategy?.mode ?? 'single';
  const targets: (Branch | Leaf)[] = [];
  const branch: Branch = {
    strategy,
    ...nodeOf(location),
    targets,
    fallsBackOn: strategy === 'fallback' ? compileFallbackCodes(entry.strategy?.on_status_codes) : () => false,
    ...(strategy === 'conditional'
      ? {
          ...compileMatch(entry, location.path, source),
          models: (entry.strategy?.conditions ?? []).flatMap(({ query }) => modelsIn(query)),
        }
      : {}),
  };
  for (const [index, written] of entries.entries()) {
    source.budget?.addTarget();
    const target = expandShortTarget(written);
    const { name, weight = 1 } = target;
    const path = `${location.path}.targets[${index}]`;
    targets.push(
      yield* compileNode(target, source, {
        path,
        index,
        parent: branch,
        inherited: level,
        name,
        weight,
        enclosingConfigs: location.enclosingConfigs,
      }),
    );
  }
  Object.freeze(targets);
  return Object.freeze(branch);
}

/** `slug/model` and `@slug/model` are short for a provider and an overridden model. */
function expandShortTarget(written: TargetEntry): ConfigEntry {
  if (typeof written !== 'string') return written;
  const text = written.startsWith('@') ? written.slice(1) : written;
  const slash = text.indexOf('/');
  const provider = `@${slash < 0 ? text : text.slice(0, slash)}`;
  const model = text.slice(slash + 1);
  // A model that itself looks like `@slug/…` is kept whole, as for `@up/@other/model` from a client.
  return slash < 0 ? { provider } : { provider, override_params: { model: bareModel(model) === model ? model : `${provider}/${model}` } };
}

function compileMatch(entry: ConfigEntry, path: string, { regex, mask = (text) => text }: TreeSource): Required<Pick<Branch, 'match'>> {
  const indexOf = (name: string): number => {
    const index = (entry.targets ?? []).findIndex((target) => typeof target !== 'string' && target.name === name);
    if (index < 0) throw invalidConfig(`"${path}" has no target called "${shorten(name)}"`, undefined, `${path}.strategy`);
    return index;
  };
  const conditions = (entry.strategy?.conditions ?? []).map(({ query, then }, at) => ({
    holds: compileQuery(query, regex),
    match: Object.freeze<Match>({ index: indexOf(then), because: `condition ${at + 1}: ${conditionText(query, mask)}` }),
  }));
  const otherwise: Match | undefined =
    entry.strategy?.default === undefined ? undefined : Object.freeze({ index: indexOf(entry.strategy.default), because: 'default' });
  return { match: (facts) => conditions.find(({ holds }) => holds(facts))?.match ?? otherwise };
}

function compileLeaf(entry: ConfigEntry, level: InheritedSettings, source: TreeSource, location: TreeLocation): Leaf {
  const prompt = level.prompt === undefined ? undefined : promptOf(level.prompt, source, location.path);
  const provider = chooseBinding(entry, level, source, { path: location.path, model: prompt?.version.model });
  return Object.freeze({
    strategy: 'leaf',
    ...nodeOf(location),
    root: source.root,
    provider,
    override: level.override === undefined ? undefined : withoutSlug(level.override, source.budget),
    retry: level.retry,
    circuit: circuitOf(level.circuit, location.path, provider),
    cache: level.cache,
    timeouts: level.timeouts,
    customHost: level.customHost,
    forwardHeaders: level.forwardHeaders,
    strict: level.strict,
    showsReasoning: level.showsReasoning,
    prompt,
  });
}

function promptOf(reference: string, { prompts, checkPrompt }: TreeSource, path: string): Leaf['prompt'] {
  const { id } = splitReference(reference);
  if (prompts.has(id)) checkPrompt?.(id);
  return choosePrompt(prompts, reference, `${path}.prompt_id`);
}

function nodeOf({ path, name, weight, parent, index }: TreeLocation): Pick<Leaf, 'path' | 'name' | 'weight' | 'parent' | 'index'> {
  return { path, name, weight, parent, index };
}

/** Removes the slug from `override_params.model`, and the whole member when it is only a slug. */
function withoutSlug(override: JsonObject, budget: TreeBudget | undefined): JsonObject {
  const { model } = override;
  const bare = typeof model === 'string' ? bareModel(model) : undefined;
  if (bare === undefined || bare === model) return override;
  const { model: _slug, ...rest } = override;
  const made = Object.freeze(bare === '' ? rest : { ...override, model: bare });
  budget?.addParams(made, override);
  return made;
}
