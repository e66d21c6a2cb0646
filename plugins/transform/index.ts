import { emptyBody, type EmptyBody, type JsonBody } from '#core/json/body.ts';
import type { RequestBody } from '#core/http/request.ts';
import type { Routed } from '#core/context.ts';
import { endpoints, methodsOf, traitsOf } from '#core/endpoint.ts';
import { GatewayError, withUsableNames } from '#core/error.ts';
import { type HeaderPairs, joinHeaders } from '#core/http/headers.ts';
import type { JsonObject } from '#core/json/merge.ts';
import { checkPath, pathOf } from '#core/http/plain-path.ts';
import type { Attempt } from '#core/plan.ts';
import { forbidden, rulesFor } from '#core/model/model-rules.ts';
import { withheldHeaders } from '#core/model/request-settings.ts';
import { definePlugin, type PluginHost, type PluginInstance } from '#core/plugin.ts';
import { type CommonSettings, isConverting, type Operation, type Translation, type UpstreamRequest } from '#core/provider.ts';
import type { CredentialRef } from '#core/snapshot.ts';
import { bodyFor, requestedHost, withRequestTimeout, modelFor, withOverride } from './body.ts';
import { AttemptCall } from './call.ts';
import { callerCredential, checkAccountHeaders } from './credential.ts';
import { credentialPairs, type Forwarded, forwardedCredential, forwardedHeaders, ForwardLists, withTraceContext } from './forward.ts';
import { type CompiledLeaf, CompiledLeaves, type ResolvedModel } from './compiled-leaf.ts';
import { checkEnforced } from './enforced.ts';
import { FormConverter } from './form-json.ts';
import { relayedHeaders, unparsedTap } from './relayed.ts';
import { withCheckedModels } from './found-models.ts';
import { checkNamedModels } from './named-models.ts';
import { NoteStore } from './memory/notes.ts';
import { UsageReports } from './memory/usage-reports.ts';

/**
 * Makes the upstream request of an attempt from the client's request: applies the target's overrides, selects deployment,
 * credential and forwarded headers, and calls the provider's conversion.
 */
export default definePlugin({
  name: 'transform',
  moments: ['prepare'],
  provides: ['upstream-requests'],
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: (_options, host) => new Transform(host),
});

/** An attempt before the provider's conversion. */
interface AttemptDraft {
  readonly ctx: Routed;
  readonly attempt: Attempt;
  readonly work: CompiledLeaf;
  readonly operation: Operation | undefined;
  readonly call: AttemptCall;
  readonly body: RequestBody;
  readonly served: ResolvedModel;
  readonly copies: Forwarded | undefined;
}

class Transform implements PluginInstance {
  readonly #host: PluginHost;
  readonly #works = new CompiledLeaves();
  readonly #lists = new ForwardLists();
  readonly #noteStore: NoteStore;
  readonly #reports: UsageReports;
  readonly #forms = new FormConverter();

  constructor(host: PluginHost) {
    this.#host = host;
    this.#noteStore = new NoteStore(host);
    this.#reports = new UsageReports(host);
  }

  /** Synchronous, unless the provider needs downloaded files, or accepts no forms. */
  prepare(ctx: Routed, attempt: Attempt): void | Promise<void> {
    attempt.model = modelFor(ctx, attempt.target);
    if (attempt.binding.unusable !== undefined) throw attempt.binding.unusable;
    const operation = operationFor(ctx, attempt);
    const { body } = ctx;
    if (body.kind !== 'form' || operation?.fromForm === undefined) return this.#prepare(ctx, attempt, operation, body);
    return this.#forms.of(body, operation, ctx.hold).then((made) => this.#prepare(ctx, attempt, operation, made));
  }

  /** @param clientBody the client's body, or its form converted to JSON */
  #prepare(ctx: Routed, attempt: Attempt, operation: Operation | undefined, clientBody: RequestBody): void | Promise<void> {
    const work = this.#works.for(ctx, attempt);
    const override = work.overrides?.forEndpoint(ctx.endpoint, operation?.sameMeaning);
    const body = bodyFor(ctx, clientBody, override);
    if (override !== undefined && ctx.facts.caller.key?.enforceConfig === true) checkEnforced(ctx, override, operation?.ownForms);
    attempt.timeouts = withRequestTimeout(ctx, attempt.timeouts);
    const settings = settingsFor(ctx, attempt, work);
    const forward = this.#lists.of(ctx) ?? work.forward;
    const copies = forward.length === 0 ? undefined : forwardedHeaders(ctx, forward);
    checkNamedModels(ctx, attempt, { body, settings, copies: copies?.pairs });
    const served = resolveModel(ctx, attempt, work);
    const credential = ownerOf(work, served, copies);
    checkAccountHeaders(ctx, attempt, { credential, copies: copies?.pairs, isCallerList: isCallerList(ctx, attempt) });
    const call = new AttemptCall(ctx, attempt, {
      settings,
      deployment: served.deployment,
      credential,
      body,
      noteStore: this.#noteStore,
      reports: this.#reports,
    });
    const draft: AttemptDraft = { ctx, attempt, work, operation, call, body, served, copies };
    const needs = operation?.media?.(sendable(body), call);
    if (needs === undefined || needs.length === 0) return convertRequest(draft);
    const signer = { trust: attempt.trust, sign: (request: UpstreamRequest) => signedBy(draft, request) };
    return this.#host.media(needs, ctx.hold, signer).then((media) => {
      call.media = media;
      convertRequest(draft);
    });
  }
}

/** @throws GatewayError `model_not_found`, which lists only models that the caller may use, and other errors of the provider about the name */
function resolveModel(ctx: Routed, { model, binding, target }: Attempt, work: CompiledLeaf): ResolvedModel {
  const served = work.resolve(traitsOf(ctx.endpoint).baseModel === true ? '' : model);
  if (!(served instanceof GatewayError)) return served;
  const rules = rulesFor(ctx.facts.caller.key, binding, target);
  throw withUsableNames(served, (name) => forbidden(rules, name) === undefined);
}

/** Calls the provider's conversion, and sets what depends on it. */
function convertRequest(draft: AttemptDraft): void {
  const { ctx, attempt, work, operation, call, body, copies } = draft;
  const translation = operation?.begin(sendable(body), call) ?? relayTranslation(ctx, attempt, call, body);
  attempt.translation = translation;
  const converted = translation.request;
  const override = work.overrides?.forEndpoint(ctx.endpoint, operation?.sameMeaning);
  const upstream = withCheckedModels(ctx, attempt, override === undefined ? converted : withOverride(ctx, override, converted));
  checkPath(pathOf(upstream));
  if (upstream.warnings !== undefined) ctx.warnings.push(...upstream.warnings);
  attempt.call = call;
  attempt.credential = credentialFor(draft, upstream);
  const copied = withTraceContext(ctx, copies?.pairs, attempt.index);
  attempt.forwarded = copied;
  attempt.upstream = copied === undefined ? upstream : { ...upstream, headers: joinHeaders(upstream.headers, copied) };
  attempt.lane = laneOf(ctx, attempt, upstream);
}

/** The credential that signs a request of this attempt. @throws GatewayError `missing_credential` */
function credentialFor({ ctx, work, call, served }: AttemptDraft, upstream: UpstreamRequest): CredentialRef {
  if (call.credential === 'forwarded') return forwardedCredential;
  return call.credential === 'caller' ? callerCredential(ctx, work.binding, served, upstream) : served.credential;
}

/** Headers that sign a further request of the attempt. */
function signedBy(draft: AttemptDraft, request: UpstreamRequest): HeaderPairs | Promise<HeaderPairs> {
  const { copies } = draft;
  return copies?.signs === true ? credentialPairs(copies.pairs) : credentialFor(draft, request).headers(request);
}

function ownerOf(work: CompiledLeaf, served: ResolvedModel, copies: Forwarded | undefined): AttemptCall['credential'] {
  if (copies?.signs === true) return 'forwarded';
  return work.binding.owner === 'caller' ? 'caller' : served.credential.owner;
}

/** True if the list of copied headers is from the request: a header, or a config that it sent. */
const isCallerList = (ctx: Routed, { target }: Attempt): boolean =>
  target.root === 'inline' || (ctx.headers.gateway('forwardHeaders') ?? '') !== '';

function settingsFor(ctx: Routed, attempt: Attempt, work: CompiledLeaf): CommonSettings & JsonObject {
  const host = requestedHost(ctx);
  attempt.trust = host === undefined ? work.trust : 'request';
  // Direct mode has already applied it, and providers cache parsed values by the settings object.
  return host === undefined || work.settings.custom_host === host ? work.settings : { ...work.settings, custom_host: host };
}

const isPassThrough = (ctx: Routed): boolean => endpoints[ctx.endpoint].body === 'passing';

/** Undefined for relayed routes. @throws GatewayError `unsupported_endpoint` */
function operationFor(ctx: Routed, attempt: Attempt): Operation | undefined {
  const { provider } = attempt.binding;
  const operation = provider.operations[ctx.endpoint];
  const isSupported = isPassThrough(ctx) ? provider.relay !== undefined : operation !== undefined;
  if (isSupported) return operation;
  throw unsupportedRoute(ctx, attempt);
}

/** A path that is defined for other methods gets 405. Both errors permit a fallback. */
function unsupportedRoute(ctx: Routed, { binding }: Attempt): GatewayError {
  const methods = ctx.endpoint === 'relay' ? methodsOf(ctx.path) : [];
  const { slug, provider } = binding;
  const details = { message: `Provider "${slug}" (${provider.type}) does not serve ${ctx.method} ${ctx.path}.` };
  if (methods.length === 0)
    return new GatewayError('unsupported_endpoint', { ...details, hint: 'Choose another provider for this route.' });
  // The method is right, but the upgrade is missing.
  if (methods.includes(ctx.method))
    return new GatewayError('unsupported_endpoint', { ...details, hint: 'This path is a WebSocket: connect to it with ws:// or wss://.' });
  const hint = `Methods of this path: ${methods.join(', ')}.`;
  return new GatewayError('unsupported_endpoint', { ...details, hint, status: 405, allow: methods });
}

/** A relayed request: the client's request, unread, with the provider's address and credential. */
function relayTranslation(ctx: Routed, attempt: Attempt, call: AttemptCall, body: RequestBody): Translation {
  const { provider } = attempt.binding;
  const found = provider.relay?.(call, pathFor(ctx, attempt));
  if (found === undefined) throw new GatewayError('internal', { message: 'The provider does not serve this route.' });
  const { reading, ...address } = found;
  const relayed = relayedHeaders(ctx.headers, withheldHeaders(provider, call.credential));
  const headers = joinHeaders(relayed, address.headers ?? []);
  // A compressed response cannot be searched for the credential.
  headers.push('accept-encoding', 'identity');
  const forwardedBody = body.kind === 'passing' || body.kind === 'socket' ? body : emptyBody;
  const request = { ...address, method: ctx.method, headers, body: forwardedBody, dropped: [] };
  if (reading !== undefined) return { request, ...reading };
  const tap = (body.kind === 'socket' ? provider.socketTap?.() : undefined) ?? unparsedTap;
  return { request, tap };
}

/** The client's path, with the model name for this target. */
function pathFor(ctx: Routed, { model }: Attempt): string {
  const isOther = traitsOf(ctx.endpoint).modelInPath === true && model !== ctx.params['id'];
  return isOther ? `/v1/models/${encodeURIComponent(model)}` : ctx.path;
}

const sendable = (body: RequestBody): JsonBody | EmptyBody => (body.kind === 'json' ? body : emptyBody);

function laneOf(ctx: Routed, attempt: Attempt, upstream: UpstreamRequest): Attempt['lane'] {
  if (attempt.translation !== undefined && isConverting(attempt.translation)) return 'full';
  const { body } = upstream;
  if (body.kind === 'form') return body.edit === undefined ? 'express' : 'splice';
  return (body.kind === 'json' && body !== ctx.body) || body.kind === 'file' ? 'splice' : 'express';
}
