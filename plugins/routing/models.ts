import type { Admitted } from '#core/context.ts';
import { traitsOf } from '#core/endpoint.ts';
import type { GatewayError } from '#core/error.ts';
import { namesModel, plainName } from '#core/json/model-fields.ts';
import { bareModel } from '#core/model/model-name.ts';
import { forbidden, forbiddenModel, type ModelRules, ruleOf, hiddenModelError } from '#core/model/model-rules.ts';
import { decodedSegments } from '#core/http/plain-path.ts';
import { modelsInQuery } from '#core/http/models-in-query.ts';
import type { Leaf } from '#core/snapshot.ts';
import { hasUnreadBody } from '#core/json/unread-body.ts';

/**
 * The error for a target whose models are limited by key or provider, if the request uses a model that is not listed or
 * cannot be determined. Other fields than `model` are checked after the target's overrides are applied.
 */
export function modelFault(ctx: Admitted, leaf: Leaf, rules: ModelRules): GatewayError | undefined {
  if (hasUnreadBody(ctx)) {
    const hint = `${ruleOf(rules)} Send files to /v1/files, and batches to /v1/batches.`;
    return hiddenModelError(rules, `has a body that the gateway does not parse on ${ctx.method} ${truncated(ctx.path)}`, hint);
  }
  const model = modelOfTarget(ctx, leaf) ?? bareModel(ctx.requestedModel);
  if (model === '' && runsModel(ctx) && !isModelFoundLater(ctx, rules))
    return hiddenModelError(rules, 'does not name its model', missingHint(ctx, rules));
  const refusal = forbiddenModel(rules, model);
  if (refusal !== undefined) return refusal;
  for (const named of modelsOutsideBody(ctx)) {
    const refused = forbidden(rules, named);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** The model that a target sets by `override_params` or by its prompt; undefined: the request's model. */
function modelOfTarget({ facts }: Admitted, { override, prompt }: Leaf): string | undefined {
  const overrideModel = override?.['model'];
  if (typeof overrideModel === 'string' && overrideModel !== '') return overrideModel;
  return prompt === undefined ? undefined : bareModel(facts.prompt?.requestedModel ?? prompt.version.model ?? '');
}

/** Models in the query, and for relayed requests also in path and headers. */
function* modelsOutsideBody(ctx: Admitted): Iterable<string> {
  yield* modelsInQuery(ctx.query);
  if (traitsOf(ctx.endpoint).body !== 'passing') return;
  if (ctx.endpoint === 'relay') yield* modelsInPath(ctx.path);
  for (const [name, value] of ctx.headers.entries()) if (!ctx.headers.isGateway(name) && namesModel(plainName(name))) yield value;
}

/** `models/NAME`, `engines/NAME`, `deployments/NAME`: the name may contain slashes, so both its first segment and the whole rest are checked. */
function* modelsInPath(path: string): Iterable<string> {
  const segments = decodedSegments(path);
  for (const [i, segment] of segments.entries()) {
    const name = segments[i + 1];
    if (name !== undefined && namesModel(plainName(segment))) yield name;
  }
}

/**
 * Calls that run a model even if they name none (a default of the provider). Uploads run none. The models in a batch's file
 * are checked while it is sent, and those in a batch's own body are in its lines.
 */
function runsModel({ endpoint, method, params, body }: Admitted): boolean {
  if (endpoint === 'realtime') return true;
  if (endpoint === 'batches' && body.kind === 'json' && body.has('requests')) return false;
  return endpoint !== 'relay' && method === 'POST' && params['id'] === undefined && traitsOf(endpoint).file !== 'up';
}

/** True if the provider's conversion reads the model from a file first. The lists are checked then. */
const isModelFoundLater = ({ endpoint }: Admitted, { binding }: ModelRules): boolean =>
  binding.provider.operations[endpoint]?.findsModel === true;

const missingHint = ({ endpoint }: Admitted, rules: ModelRules): string =>
  `${ruleOf(rules)}${traitsOf(endpoint).modelByHeader === true ? ' Name the model in x-gateway-provider-model.' : ''}`;

const truncated = (path: string): string => (path.length > 100 ? `${path.slice(0, 100)}…` : path);
