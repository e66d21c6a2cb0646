import type { Admitted, Routed } from '#core/context.ts';
import { dialectOf } from '#core/endpoint.ts';
import { GatewayError } from '#core/error.ts';
import { parseExact } from '#core/json/scan.ts';
import { isJsonObject } from '#core/json/merge.ts';
import { modelsOfConfig, type ConfigReader } from '#core/known-models/of-config.ts';
import { type KnownModel, modelNamesOf } from '#core/known-models/of-provider.ts';
import { bareModel } from '#core/model/model-name.ts';
import { forbiddenModel, isLimited, rulesFor, hiddenModelError } from '#core/model/model-rules.ts';
import { definePlugin, type Planned } from '#core/plugin.ts';
import { nearest } from '#core/text/nearest.ts';
import type { Attempt, Plan, Reply } from '#core/plan.ts';
import type { ApiKey, ProviderBinding, Snapshot } from '#core/snapshot.ts';
import { isRow, listReply, messagesList, modelReply } from './list.ts';

/**
 * `GET /v1/models` and `GET /v1/models/{id}`. Responds from the configuration if it knows the models; otherwise the request
 * goes to the selected provider, and its list is filtered to the models that the caller may use.
 */
export default definePlugin({
  name: 'models',
  moments: ['plan', 'reply'],
  endpoints: ['models', 'models/{id}'],
  implied: 'last',
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: () => ({ plan, reply: filterModels }),
});

/** @throws GatewayError `model_not_found`, and `not_allowed` if the selected provider is disabled */
function plan(ctx: Admitted, earlierPlan: Plan | undefined): Planned {
  if (ctx.endpoint === 'models') {
    const listed = listedRows(ctx, earlierPlan);
    return listed === undefined ? undefined : { answer: listReply(listed, dialectOf(ctx)) };
  }
  const row = findRow(ctx, earlierPlan);
  return row === undefined ? undefined : { answer: modelReply(row, dialectOf(ctx)) };
}

/** Filters a provider's list to the models that the caller may use, and converts it to the caller's format. Other replies are unchanged. */
function filterModels(ctx: Routed, { binding, target }: Attempt, reply: Reply): undefined {
  if (ctx.endpoint !== 'models' || reply.status >= 300) return;
  const rules = rulesFor(ctx.facts.caller.key, binding, target);
  const isMessages = dialectOf(ctx) === 'messages';
  if (!isLimited(rules) && !isMessages) return;
  const list = reply.body === undefined ? undefined : listIn(reply.body);
  if (list === undefined) {
    if (!isLimited(rules)) return;
    reply.flow?.abort();
    throw hiddenModelError(rules, 'requests a list that is too large or of an unexpected kind');
  }
  const data = list.data.filter(isRow).filter(({ id }) => forbiddenModel(rules, id) === undefined);
  const filtered = { ...(isLimited(rules) ? withoutOtherLists(list) : list), data };
  reply.body = Buffer.from(JSON.stringify(isMessages ? messagesList(filtered) : filtered), 'utf8');
}

/** Removes further lists: some servers list their models a second time, in another format. */
const withoutOtherLists = (list: object): object =>
  Object.fromEntries(Object.entries(list).filter(([, value]) => !isJsonObject(value) && !Array.isArray(value)));

function listIn(body: Buffer): { readonly data: readonly unknown[] } | undefined {
  try {
    const list = parseExact(body.toString('utf8'));
    return isJsonObject(list) && Array.isArray(list['data']) ? { ...list, data: list['data'] } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The models of the applicable config, or else of the provider that the request selects, or else all names that the caller
 * may use as `@slug/model`. Undefined if the provider knows more models than the configuration.
 */
function listedRows(ctx: Admitted, plan: Plan | undefined): readonly KnownModel[] | undefined {
  const { caller, choice, config } = ctx.facts;
  const { key } = caller;
  if (choice === undefined && config !== undefined) {
    const models = modelsOfConfig(config, readerOf(ctx));
    const needsProvider = models.length === 0 && plan?.first.provider?.provider.operations.models !== undefined;
    return needsProvider ? undefined : models;
  }
  if (plan === undefined) return catalogRows(ctx.snapshot, key);
  const binding = plan.first.provider ?? choice?.binding;
  if (binding?.provider.entry.models === undefined) return undefined;
  if (binding.unusable !== undefined) throw binding.unusable;
  // Without deployments in the configuration, only the provider knows its models.
  if (binding.provider.entry.models(binding.settings).length === 0) return undefined;
  return rowsOf(binding, key, ctx.snapshot);
}

function readerOf({ snapshot, facts: { caller }, metadata }: Admitted): ConfigReader {
  const { key } = caller;
  return {
    key,
    metadata,
    catalog: () => catalogRows(snapshot, key),
    mayUse: ({ slug, virtualKey }) =>
      key === undefined || key.allowsProvider(slug) || (virtualKey !== undefined && key.allowsProvider(virtualKey)),
  };
}

/** Finds a name of the catalog, or a bare name if a provider is selected. */
function findRow(ctx: Admitted, plan: Plan | undefined): KnownModel | undefined {
  const requested = ctx.requestedModel;
  const listed = catalogRows(ctx.snapshot, ctx.facts.caller.key).find(({ id }) => id === requested);
  if (listed !== undefined) return listed;
  const rows = listedRows(ctx, plan);
  if (rows === undefined) return undefined;
  const bare = bareModel(requested);
  const found = plan === undefined && ctx.facts.config === undefined ? undefined : rows.find(({ id }) => bareModel(id) === bare);
  if (found !== undefined) return found;
  const near = nearest(
    bare,
    rows.map(({ id }) => bareModel(id)),
  );
  const suggestion = near === undefined ? undefined : rows.find(({ id }) => bareModel(id) === near);
  throw new GatewayError('model_not_found', {
    message: `The catalog lists no model "${requested}".${suggestion === undefined ? '' : ` Did you mean "${suggestion.id}"?`}`,
    param: 'model',
    hint: 'GET /v1/models lists the available names; send x-gateway-provider to ask a provider.',
  });
}

function catalogRows(snapshot: Snapshot, key: ApiKey | undefined): readonly KnownModel[] {
  // Such a key must not select a provider, so it could not use any of these names.
  if (key?.enforceConfig === true) return [];
  const rows: KnownModel[] = [];
  for (const [name, binding] of snapshot.providers) {
    if (binding.unusable === undefined && isListed(name, binding, key)) rows.push(...rowsOf(binding, key, snapshot));
  }
  return rows;
}

/** A virtual key has the same models as its provider, so it is listed only if the caller may not use the provider itself. */
function isListed(name: string, { slug, virtualKey }: ProviderBinding, key: ApiKey | undefined): boolean {
  if (virtualKey === undefined) return key === undefined || key.allowsProvider(slug);
  return key !== undefined && key.allowsProvider(name) && !key.allowsProvider(slug);
}

function rowsOf(binding: ProviderBinding, key: ApiKey | undefined, snapshot: Snapshot): readonly KnownModel[] {
  const name = binding.virtualKey ?? binding.slug;
  // A provider that was sent with the request has no name in the catalog.
  const prefix = snapshot.providers.get(name) === binding ? `@${name}/` : '';
  return modelNamesOf(binding)
    .filter((model) => binding.allowsModel(model) && (key === undefined || key.allowsModel(model)))
    .map((model) => ({ id: prefix + model, owner: name, model }));
}
