import type { JsonBody } from '#core/json/body.ts';
import type { RequestBody } from '#core/http/request.ts';
import type { Routed } from '#core/context.ts';
import { traitsOf } from '#core/endpoint.ts';
import { bareModel } from '#core/model/model-name.ts';
import { isExactNumber } from '#core/json/merge.ts';
import type { UpstreamRequest } from '#core/provider.ts';
import { checkEnforced } from './enforced.ts';
import { type Override, overridePatch } from './override.ts';
import { GatewayError } from '#core/error.ts';
import { hasUnreadBody } from '#core/json/unread-body.ts';
import type { Leaf, Timeouts } from '#core/snapshot.ts';
import { headerNameAsSent } from '#core/text/header-name-as-sent.ts';

/**
 * Applies the target's overrides to the client's body, or to the one converted from its form. Forwarded bodies cannot be
 * changed.
 */
export function bodyFor(ctx: Routed, body: RequestBody, override: Override | undefined): RequestBody {
  if (override !== undefined && hasUnreadBody(ctx)) warnAboutBody(ctx, override);
  if (body.kind !== 'json') return body;
  if (override === undefined) return withoutSlug(body);
  warnAboutStream(ctx, override);
  const patch = overridePatch(override, body);
  const edited = patch === undefined ? body : body.edit(patch);
  return override.model === undefined ? withoutSlug(edited) : edited;
}

/** The model name for the target. The body takes precedence over the requested name, because a `screen` plugin may have changed it. */
export function modelFor(ctx: Routed, { override }: Leaf): string {
  const overridden = override?.['model'];
  if (typeof overridden === 'string' && overridden !== '') return overridden;
  const named = ctx.body.kind === 'json' ? ctx.body.peek('model') : undefined;
  return bareModel(typeof named === 'string' ? named : ctx.requestedModel);
}

/** Removes a model that is only a slug, which the provider must not see. Other models are written by the provider's conversion. */
function withoutSlug(body: JsonBody): JsonBody {
  const model = body.peek('model');
  return typeof model === 'string' && model !== '' && bareModel(model) === '' ? body.edit(noModel) : body;
}

const noModel: ReadonlyMap<string, unknown> = new Map([['model', undefined]]);

function warnAboutStream(ctx: Routed, override: Override): void {
  if (override.stream === undefined || override.stream === ctx.stream) return;
  const warning = 'override_params.stream is not applied: the client decides whether a response is streamed';
  if (!ctx.warnings.includes(warning)) ctx.warnings.push(warning);
}

/** `labels` are only for the record, which always contains them. */
function warnAboutBody({ warnings }: Routed, { model, members }: Override): void {
  const names = [...(model === undefined ? [] : ['model']), ...members.map(({ key }) => key)].filter((name) => name !== 'labels');
  const warning = `override_params (${names.join(', ')}) are not applied: the gateway does not parse the body of this request`;
  if (names.length > 0 && !warnings.includes(warning)) warnings.push(warning);
}

/** Applies `x-gateway-request-timeout` (milliseconds), which can only shorten the timeout. @throws GatewayError */
export function withRequestTimeout(ctx: Routed, timeouts: Timeouts): Timeouts {
  const text = ctx.headers.gateway('requestTimeout');
  if (text === undefined || text === '') return timeouts;
  const ms = Number(text);
  if (!Number.isFinite(ms) || ms <= 0) {
    throw new GatewayError('invalid_header', {
      message: `The request timeout "${text.slice(0, 40)}" is not a number of milliseconds.`,
      param: headerNameAsSent(ctx.headers, 'requestTimeout'),
      hint: 'Send a number above 0, for example 30000.',
    });
  }
  return timeouts.request !== undefined && timeouts.request <= ms ? timeouts : { ...timeouts, request: ms };
}

/** The provider host in the request. The routing plugin checks whether it is allowed. */
export function requestedHost(ctx: Routed): string | undefined {
  return ctx.headers.gateway('customHost') || undefined;
}

/**
 * A form with the target's overrides as text fields. Uploads are not changed, because they are stored and not run. Values
 * that no text field can contain are omitted with a warning.
 */
export function withOverride(ctx: Routed, override: Override, upstream: UpstreamRequest): UpstreamRequest {
  const { body } = upstream;
  const { members } = override;
  if (body.kind !== 'form' || members.length === 0 || traitsOf(ctx.endpoint).file === 'up') return upstream;
  const fields = new Map<string, string | undefined>();
  for (const { key, value } of members) {
    const text = fieldText(value);
    if (text !== undefined) fields.set(key, text);
    else warn(ctx, `override_params.${key} is not applied: a form has no field for it`);
  }
  for (const [name, text] of body.edit?.fields ?? []) fields.set(name, text);
  // In a form that is still being received, the fields after the file are only known once they arrive.
  const isEnforced = ctx.facts.caller.key?.enforceConfig === true && !body.form.isBuffered;
  const watched = isEnforced ? { check: () => checkEnforced(ctx, override) } : {};
  return { ...upstream, body: { ...body, edit: { ...body.edit, fields, ...watched } } };
}

function fieldText(value: unknown): string | undefined {
  if (isExactNumber(value)) return JSON.stringify(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function warn({ warnings }: Routed, text: string): void {
  if (!warnings.includes(text)) warnings.push(text);
}
