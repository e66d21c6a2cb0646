import type { Plan, Reply } from '../core/plan.ts';
import type { ApiKey, ProviderBinding, Snapshot } from '../core/snapshot.ts';
import type { RequestContext } from './request.ts';

/** One row of the list, as clients of the OpenAI format know it (openai-and-others.md Part 1). */
interface ModelRow {
  readonly id: string;
  readonly object: 'model';
  readonly created: 0;
  readonly owned_by: string;
}

/**
 * The answer to `GET /v1/models` as far as the file knows it. Without a plan it lists what the caller may name as
 * `@slug/model`; with one, the models of the provider that was chosen. Undefined when that provider has to be asked.
 *
 * @throws GatewayError when the chosen provider is switched off
 */
export function listModels(ctx: RequestContext, plan: Plan | undefined): Reply | undefined {
  const key = ctx.facts.caller.key;
  if (plan === undefined) return replyWith(catalogRows(ctx.snapshot, key));
  const binding = plan.first.provider ?? ctx.facts.choice?.binding;
  if (binding?.provider.models === undefined) return undefined;
  if (binding.unusable !== undefined) throw binding.unusable;
  // A provider without deployments of its own knows its models better than the file does.
  if (binding.provider.models(binding.settings).length === 0) return undefined;
  return replyWith(rowsOf(binding, key, ctx.snapshot));
}

function catalogRows(snapshot: Snapshot, key: ApiKey | undefined): readonly ModelRow[] {
  // Such a key may name no provider, so no name of ours would work for it.
  if (key?.enforceConfig === true) return [];
  const rows: ModelRow[] = [];
  for (const [name, binding] of snapshot.providers) {
    if (binding.unusable === undefined && isListed(name, binding, key)) rows.push(...rowsOf(binding, key, snapshot));
  }
  return rows;
}

/** A virtual key shows the models of its provider once more: it is listed only where the provider itself may not be used. */
function isListed(name: string, { slug, virtualKey }: ProviderBinding, key: ApiKey | undefined): boolean {
  if (virtualKey === undefined) return key === undefined || key.allowsProvider(slug);
  return key !== undefined && key.allowsProvider(name) && !key.allowsProvider(slug);
}

function rowsOf(binding: ProviderBinding, key: ApiKey | undefined, snapshot: Snapshot): readonly ModelRow[] {
  const name = binding.virtualKey ?? binding.slug;
  // What a request brought has no name in the catalog.
  const prefix = snapshot.providers.get(name) === binding ? `@${name}/` : '';
  return namesOf(binding)
    .filter((model) => binding.allowsModel(model) && (key === undefined || key.allowsModel(model)))
    .map((model) => ({ id: prefix + model, object: 'model', created: 0, owned_by: name }));
}

/** The names that the entry's settings give, then those of its `models:` list that it can serve. */
function namesOf({ provider, settings, models }: ProviderBinding): readonly string[] {
  const named = provider.models?.(settings).map(({ id }) => id) ?? [];
  const allowed = (models ?? []).filter((model) => !(provider.deployment?.(settings, model) instanceof Error));
  return [...new Set([...named, ...allowed])];
}

function replyWith(data: readonly ModelRow[]): Reply {
  return { status: 200, headers: [], body: Buffer.from(JSON.stringify({ object: 'list', data }), 'utf8'), flow: undefined };
}
