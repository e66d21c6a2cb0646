import { GatewayError } from '../../../core/error.ts';
import { bareModel, slugOf, withoutAt } from '../../../core/model/model-name.ts';
import { nearest } from '../../../core/text/nearest.ts';
import type { CommonSettings, Provider } from '../../../core/provider.ts';
import { shortList } from '../../../core/text/wording.ts';
import { compileGlobs, plainNames } from '../../compile/providers/allow.ts';
import { providerOf, slugOfVirtualKey } from '../../read/registry.ts';
import { child, type Node, textOf } from '../../read/node.ts';
import { type CheckContext, sectionEntry, sectionEntries, sitesOf, slugIn, textsOf, valueOf } from '../context.ts';
import { promptSites } from '../prompts/sites.ts';
import { settingsIn } from '../providers/type-problems.ts';

/** A model that the configuration names for one of its providers. */
interface NamedModel {
  readonly slug: string;
  readonly model: string;
  readonly at: Node['at'];
}

/** Checks that each model named for a provider is served by it, where its entry lists the models it serves. */
export function checkServedModels(context: CheckContext): void {
  const entries = new Map<string, ProviderModels | undefined>();
  const cachedEntry = (slug: string): ProviderModels | undefined => {
    if (!entries.has(slug)) entries.set(slug, entryFor(slug, context));
    return entries.get(slug);
  };
  for (const one of [...modelsInTargets(context), ...modelsInPrompts(context)]) {
    const entry = cachedEntry(one.slug);
    if (entry === undefined) continue;
    const lists = [entry.models, entry.virtualKeyModels].filter((list) => list !== undefined);
    if (lists.every((list) => compileGlobs(list)(one.model))) reportUndeployed(one, entry, context);
    else reportUnlisted(one, context);
  }
  for (const name of ['providers', 'virtual_keys'] as const) {
    for (const [slug, { value }] of sectionEntries(context.root, name)) {
      const entry = cachedEntry(slug);
      if (entry === undefined || !context.isValid([name, slug])) continue;
      for (const { node, text } of textsOf(child(value, 'models'))) {
        if (plainNames([text]).length > 0) reportUndeployed({ slug, model: text, at: node.at }, entry, context);
      }
    }
  }
}

interface ProviderModels {
  readonly provider: Provider;
  readonly settings: CommonSettings;
  readonly models: readonly string[] | undefined;
  /** Model list of the virtual key. */
  readonly virtualKeyModels: readonly string[] | undefined;
}

/** Undefined when the entry is missing, invalid or disabled, which is reported elsewhere. */
function entryFor(slug: string, { root, registry, isValid, missingSecrets }: CheckContext): ProviderModels | undefined {
  const virtual = sectionEntry(root, 'virtual_keys', slug);
  const name = virtual === undefined ? slug : (slugOfVirtualKey(virtual.value) ?? '');
  const entry = sectionEntry(root, 'providers', name);
  const provider = providerOf(registry, textOf(child(entry?.value, 'type')) ?? '');
  if (entry === undefined || provider === undefined || !isValid(['providers', name]) || missingSecrets[name] !== undefined)
    return undefined;
  if (valueOf(child(entry.value, 'enabled')) === false) return undefined;
  return {
    provider,
    settings: settingsIn(entry.value, provider),
    models: modelListOf(entry.value),
    virtualKeyModels: modelListOf(virtual?.value),
  };
}

function modelListOf(node: Node | undefined): readonly string[] | undefined {
  const list = child(node, 'models');
  return list?.kind === 'list' ? textsOf(list).map(({ text }) => text) : undefined;
}

function* modelsInTargets({ root }: CheckContext): Generator<NamedModel> {
  for (const { node } of sitesOf(root)) {
    if (node.kind === 'scalar') {
      const text = withoutAt(textOf(node) ?? '');
      const slash = text.indexOf('/');
      if (slash > 0) yield { slug: text.slice(0, slash), model: text.slice(slash + 1), at: node.at };
      continue;
    }
    const model = child(child(node, 'override_params'), 'model');
    const written = textOf(model);
    const provider = textOf(child(node, 'provider')) ?? textOf(child(node, 'virtual_key'));
    if (model === undefined || written === undefined) continue;
    const slug = provider === undefined ? slugOf(written) : slugIn(provider);
    if (slug !== undefined && bareModel(written) !== '') yield { slug, model: bareModel(written), at: model.at };
  }
}

function* modelsInPrompts({ root }: CheckContext): Generator<NamedModel> {
  for (const { node } of promptSites(root)) {
    const model = child(node, 'model');
    const written = textOf(model) ?? '';
    const slug = slugOf(written);
    if (model !== undefined && slug !== undefined && bareModel(written) !== '') yield { slug, model: bareModel(written), at: model.at };
  }
}

function reportUnlisted({ slug, model, at }: NamedModel, { report }: CheckContext): void {
  const hint = 'add it to the list, or name another model';
  report({ code: 'never-used', at, message: `the list "models" of "${slug}" does not have the model "${model}"`, hint });
}

function reportUndeployed({ slug, model, at }: NamedModel, { provider, settings }: ProviderModels, { report }: CheckContext): void {
  const names = deployedNames(provider, settings, model);
  if (names === undefined) return;
  const meant = nearest(model, names);
  const hint = meant !== undefined ? `did you mean "${meant}"?` : `it has ${shortList(names, 12)}`;
  const message = `"${slug}" has no deployment for the model "${model}"`;
  report({ code: 'unknown-reference', severity: 'warning', at, message, hint });
}

/** Names that the entry serves when this model is not among them; undefined when it is served, or when that is unknown. */
function deployedNames(provider: Provider, settings: CommonSettings, model: string): readonly string[] | undefined {
  try {
    const found = provider.entry.deployment?.(settings, model);
    if (!(found instanceof GatewayError) || found.code !== 'model_not_found') return undefined;
    const names = (provider.entry.models?.(settings) ?? []).map(({ id }) => id);
    return names.length === 0 ? undefined : names;
  } catch {
    // An external type may throw on invalid settings, which its own check reports.
    return undefined;
  }
}
