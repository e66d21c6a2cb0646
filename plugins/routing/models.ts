import type { Admitted } from '#core/context.ts';
import { traitsOf } from '#core/endpoint.ts';
import type { GatewayError } from '#core/error.ts';
import { namesModel, plainName } from '#core/json/model-fields.ts';
import { bareModel } from '#core/model/model-name.ts';
import { forbidden, forbiddenModel, type ModelRules, ruleOf, unseen } from '#core/model/model-rules.ts';
import { decodedSegments } from '#core/http/plain-path.ts';
import { modelsInQuery } from '#core/http/query-names.ts';
import type { Leaf } from '#core/snapshot.ts';
import { hasUnreadBody } from '#core/json/unread-body.ts';

/**
 * Why a request may not go to a target whose models are limited, by key or provider: it names a model that is on no list,
 * or one that nobody can see. Fields of the body beside `model` are looked at when the target's overrides are in it.
 */
export function modelFault(ctx: Admitted, leaf: Leaf, rules: ModelRules): GatewayError | undefined {
  if (hasUnreadBody(ctx)) {
    const hint = `${ruleOf(rules)} Send files to /v1/files, and batches to /v1/batches.`;
    return unseen(rules, `has a body that the gateway does not parse on ${ctx.method} ${shown(ctx.path)}`, hint);
  }
  const model = modelAt(ctx, leaf) ?? bareModel(ctx.requestedModel);
  if (model === '' && runsModel(ctx) && !isFoundLater(ctx, rules)) return unseen(rules, 'does not name its model', missingHint(ctx, rules));
  const refusal = forbiddenModel(rules, model);
  if (refusal !== undefined) return refusal;
  for (const named of modelsBeside(ctx)) {
    const refused = forbidden(rules, named);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** The model of a target that names one itself, by `override_params` or by a prompt of its own; undefined: the request's. */
function modelAt({ facts }: Admitted, { override, prompt }: Leaf): string | undefined {
  const own = override?.['model'];
  if (typeof own === 'string' && own !== '') return own;
  return prompt === undefined ? undefined : bareModel(facts.prompt?.requestedModel ?? prompt.version.model ?? '');
}

/** Models in query, and where the request itself is relayed, in path and headers. */
function* modelsBeside(ctx: Admitted): Iterable<string> {
  yield* modelsInQuery(ctx.query);
  if (traitsOf(ctx.endpoint).body !== 'passing') return;
  if (ctx.endpoint === 'relay') yield* modelsInPath(ctx.path);
  for (const [name, value] of ctx.headers.entries()) if (!ctx.headers.isGateway(name) && namesModel(plainName(name))) yield value;
}

/** `models/NAME`, `engines/NAME`, `deployments/NAME`: the name may hold slashes, so what follows counts as well as its first segment. */
function* modelsInPath(path: string): Iterable<string> {
  const segments = decodedSegments(path);
  for (const [i, segment] of segments.entries()) {
    const name = segments[i + 1];
    if (name !== undefined && namesModel(plainName(segment))) yield name;
  }
}

/**
 * Calls that run a model even where they name none (a default of the provider). Uploads alone run none, and what a file of
 * a batch asks for is seen on its way; the lines in a batch's own body name theirs.
 */
function runsModel({ endpoint, method, params, body }: Admitted): boolean {
  if (endpoint === 'realtime') return true;
  if (endpoint === 'batches' && body.kind === 'json' && body.has('requests')) return false;
  return endpoint !== 'relay' && method === 'POST' && params['id'] === undefined && traitsOf(endpoint).file !== 'up';
}

/** The provider reads the model from a file before it runs anything, and is held to the lists then. */
const isFoundLater = ({ endpoint }: Admitted, { binding }: ModelRules): boolean =>
  binding.provider.operations[endpoint]?.findsModel === true;

const missingHint = ({ endpoint }: Admitted, rules: ModelRules): string =>
  `${ruleOf(rules)}${traitsOf(endpoint).modelByHeader === true ? ' Name the model in x-gateway-provider-model.' : ''}`;

const shown = (path: string): string => (path.length > 100 ? `${path.slice(0, 100)}…` : path);
