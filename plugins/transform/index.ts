import { emptyBody, type EmptyBody, type JsonBody, type RequestBody } from '#core/body.ts';
import type { Routed } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import type { Plain } from '#core/merge.ts';
import { bareModel } from '#core/model-name.ts';
import type { Attempt } from '#core/plan.ts';
import { definePlugin, type PluginInstance } from '#core/plugin.ts';
import type { CommonSettings, UpstreamRequest } from '#core/provider.ts';
import { AttemptCall } from './call.ts';
import { callersCredential } from './credential.ts';
import { ForwardLists, forwardedCredential, forwardedHeaders, joinHeaders } from './forward.ts';
import { type LeafWork, LeafWorks } from './leaf-work.ts';
import { type Override, overridePatch } from './override.ts';
import { chosenHost, lowered } from './request-values.ts';

/**
 * Turns the client's request into what one attempt sends: the target's overrides, the deployment, the credential, the
 * headers that go along, and last the provider's own conversion.
 */
export default definePlugin({
  name: 'transform',
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: () => new Transform(),
});

class Transform implements PluginInstance {
  readonly #works = new LeafWorks();
  readonly #lists = new ForwardLists();

  prepare(ctx: Routed, attempt: Attempt): void {
    if (attempt.binding.unusable !== undefined) throw attempt.binding.unusable;
    const work = this.#works.for(ctx, attempt);
    const { binding } = work;
    const body = bodyFor(ctx, work);
    attempt.model = modelFor(ctx, work);
    attempt.clocks = lowered(ctx, attempt.clocks);
    const settings = settingsFor(ctx, attempt, work);
    const forward = this.#lists.of(ctx) ?? work.forward;
    const copies = forward.length === 0 ? undefined : forwardedHeaders(ctx, forward);
    const { deployment, credential } = work.serve(attempt.model);
    const signs = copies?.signs === true ? forwardedCredential : credential;
    const owner = copies?.signs === true ? 'forwarded' : binding.owner === 'caller' ? 'caller' : credential.owner;
    const call = new AttemptCall(ctx, attempt, { settings, deployment, credential: owner, body });
    const upstream = upstreamFor(ctx, attempt, call, body);
    attempt.call = call;
    attempt.credential = owner === 'caller' ? callersCredential(ctx, binding, credential, upstream) : signs;
    attempt.upstream = copies === undefined ? upstream : { ...upstream, headers: joinHeaders(upstream.headers, copies.pairs) };
    attempt.lane = laneOf(ctx, attempt, upstream);
  }
}

/** The client's body with the target's overrides. Bodies that only pass through can't be changed. */
function bodyFor(ctx: Routed, work: LeafWork): RequestBody {
  const { body } = ctx;
  if (body.kind !== 'json') return body;
  const { override } = work;
  if (override === undefined) return withoutSlug(body, undefined);
  warnAboutStream(ctx, override);
  const patch = overridePatch(override, body);
  return withoutSlug(patch === undefined ? body : body.edit(patch), override.model);
}

/** A model that is nothing but a slug names no model: the provider must not see it. Others are written by the provider. */
function withoutSlug(body: JsonBody, override: string | undefined): JsonBody {
  if (override !== undefined) return body;
  const model = body.peek('model');
  return typeof model === 'string' && model !== '' && bareModel(model) === '' ? body.edit(noModel) : body;
}

const noModel: ReadonlyMap<string, unknown> = new Map([['model', undefined]]);

/** The body's name comes before the asked one: a `screen` plugin may have changed it. */
function modelFor(ctx: Routed, work: LeafWork): string {
  const override = work.override?.model;
  if (override !== undefined && override !== '') return override;
  const named = ctx.body.kind === 'json' ? ctx.body.peek('model') : undefined;
  return bareModel(typeof named === 'string' ? named : ctx.askedModel);
}

function settingsFor(ctx: Routed, attempt: Attempt, work: LeafWork): CommonSettings & Plain {
  const host = chosenHost(ctx);
  attempt.trust = host === undefined ? work.trust : 'request';
  // Direct mode has taken it already, and providers remember what they parsed by the settings object.
  return host === undefined || work.settings.custom_host === host ? work.settings : { ...work.settings, custom_host: host };
}

function upstreamFor(ctx: Routed, attempt: Attempt, call: AttemptCall, body: RequestBody): UpstreamRequest {
  const { provider, slug } = attempt.binding;
  if (ctx.endpoint === 'relay' || ctx.endpoint === 'realtime') {
    const address = provider.relay?.(call, ctx.path);
    if (address === undefined) throw unsupported(ctx, slug, provider.type);
    return { ...address, method: ctx.method, headers: address.headers ?? [], body: emptyBody, dropped: [] };
  }
  const operation = provider.operations[ctx.endpoint];
  if (operation === undefined) throw unsupported(ctx, slug, provider.type);
  attempt.operation = operation;
  return operation.request(sendable(body), call);
}

const sendable = (body: RequestBody): JsonBody | EmptyBody => (body.kind === 'passing' ? emptyBody : body);

function unsupported(ctx: Routed, slug: string, type: string): GatewayError {
  return new GatewayError('unsupported_endpoint', {
    message: `Provider "${slug}" (${type}) does not serve ${ctx.method} ${ctx.path}.`,
    hint: 'Choose another provider for this route.',
  });
}

function laneOf(ctx: Routed, attempt: Attempt, upstream: UpstreamRequest): Attempt['lane'] {
  const { operation } = attempt;
  if (operation?.result !== undefined || operation?.stream !== undefined) return 'full';
  return upstream.body.kind === 'json' && upstream.body !== ctx.body ? 'splice' : 'express';
}

function warnAboutStream(ctx: Routed, override: Override): void {
  if (override.stream === undefined || override.stream === ctx.stream) return;
  const warning = 'override_params.stream is not applied: whether an answer streams is up to the client';
  if (!ctx.warnings.includes(warning)) ctx.warnings.push(warning);
}
