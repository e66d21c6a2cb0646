import { GatewayError } from '../core/error.ts';
import { parseJson } from '../core/json-scan.ts';
import { isPlain } from '../core/merge.ts';
import { bareModel } from '../core/model-name.ts';
import { forbidden, isLimited, rulesFor, unseen } from '../core/model-rules.ts';
import { nearest } from '../core/nearest.ts';
import type { Attempt, Plan, Reply } from '../core/plan.ts';
import type { ApiKey, ProviderBinding, Snapshot } from '../core/snapshot.ts';
import type { RequestContext } from './request.ts';

/** One row of the list, as clients of the OpenAI format know it. */
interface ModelRow {
  readonly id: string;
  readonly object: 'model';
  readonly created: 0;
  readonly owned_by: string;
}

/**
 * The answer to `GET /v1/models` and `GET /v1/models/{id}` as far as the file knows it. Undefined for every other
 * route, and when the provider that was chosen has to be asked.
 *
 * @throws GatewayError `model_not_found`, and `not_allowed` when the chosen provider is switched off
 */
export function answerFromCatalog(ctx: RequestContext, plan: Plan | undefined): Reply | undefined {
  if (ctx.endpoint === 'models') {
    const data = listedRows(ctx, plan);
    return data === undefined ? undefined : replyWith({ object: 'list', data });
  }
  const row = ctx.endpoint === 'models/{id}' ? findRow(ctx, plan) : undefined;
  return row === undefined ? undefined : replyWith(row);
}

/** Of a provider's own list of models what the caller may use; every other reply as it is. */
export function usableList(ctx: RequestContext, { binding, target }: Attempt, reply: Reply): Reply {
  if (ctx.endpoint !== 'models') return reply;
  const rules = rulesFor(ctx.facts.caller.key, binding, target);
  if (reply.status >= 300 || !isLimited(rules)) return reply;
  const list = reply.body === undefined ? undefined : listIn(reply.body);
  if (list === undefined) {
    reply.flow?.abort();
    throw unseen(rules, 'asks for a list that is too large, or of another kind than expected');
  }
  const data = list.data.filter((row) => isPlain(row) && typeof row['id'] === 'string' && forbidden(rules, row['id']) === undefined);
  return { ...reply, body: Buffer.from(JSON.stringify({ ...list, data }), 'utf8') };
}

function listIn(body: Buffer): { readonly data: readonly unknown[] } | undefined {
  try {
    const list = parseJson(body.toString('utf8'));
    return isPlain(list) && Array.isArray(list['data']) ? { ...list, data: list['data'] } : undefined;
  } catch {
    return undefined;
  }
}

/** Without a plan what the caller may name as `@slug/model`; with one, the models of the provider that was chosen. */
function listedRows(ctx: RequestContext, plan: Plan | undefined): readonly ModelRow[] | undefined {
  const key = ctx.facts.caller.key;
  if (plan === undefined) return catalogRows(ctx.snapshot, key);
  const binding = plan.first.provider ?? ctx.facts.choice?.binding;
  if (binding?.provider.models === undefined) return undefined;
  if (binding.unusable !== undefined) throw binding.unusable;
  // A provider without deployments of its own knows its models better than the file does.
  if (binding.provider.models(binding.settings).length === 0) return undefined;
  return rowsOf(binding, key, ctx.snapshot);
}

/** A name as the catalog lists it is found at once; of a provider that was chosen its bare name will do. */
function findRow(ctx: RequestContext, plan: Plan | undefined): ModelRow | undefined {
  const asked = ctx.askedModel;
  const listed = catalogRows(ctx.snapshot, ctx.facts.caller.key).find(({ id }) => id === asked);
  if (listed !== undefined) return listed;
  const rows = listedRows(ctx, plan);
  if (rows === undefined) return undefined;
  const bare = bareModel(asked);
  const found = plan === undefined ? undefined : rows.find(({ id }) => bareModel(id) === bare);
  if (found !== undefined) return found;
  const near = nearest(
    bare,
    rows.map(({ id }) => bareModel(id)),
  );
  const meant = near === undefined ? undefined : rows.find(({ id }) => bareModel(id) === near);
  throw new GatewayError('model_not_found', {
    message: `The catalog lists no model "${asked}".${meant === undefined ? '' : ` Did you mean "${meant.id}"?`}`,
    param: 'model',
    hint: 'GET /v1/models lists the names that can be used; x-gateway-provider asks a provider.',
  });
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

function replyWith(body: ModelRow | { object: 'list'; data: readonly ModelRow[] }): Reply {
  return { status: 200, headers: [], body: Buffer.from(JSON.stringify(body), 'utf8'), flow: undefined };
}
