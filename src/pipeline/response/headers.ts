import type { ErrorCode } from '../../core/error.ts';
import { headerList, toHeader } from '../../core/http/header-text.ts';
import { canonicalPrefix, type HeaderPairs, hopByHopHeaders, responseHeaders } from '../../core/http/headers.ts';
import { promptName } from '../../core/model/prompt.ts';
import { cacheStatusOf, isSuccess, type Outcome, type Reply, statusOf, type UpstreamReply } from '../../core/plan.ts';
import type { Overruled } from '../../core/records/record.ts';
import type { Dropped } from '../../core/provider.ts';
import type { Execution } from '../execute.ts';
import { overruledIn } from '../record/overruled.ts';
import { chargeFor } from '../record/usage.ts';
import type { RequestContext } from '../request.ts';

/** Provider headers that are not forwarded: framing, request ids (replaced by the gateway's), and those of its site (cookies, CORS). */
const notForwarded: ReadonlySet<string> = new Set([
  ...hopByHopHeaders,
  'content-length',
  'content-encoding',
  'x-request-id',
  'request-id',
  'set-cookie',
  'server',
  'date',
  'alt-svc',
  'strict-transport-security',
  'via',
  'x-powered-by',
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-allow-private-network',
  'access-control-expose-headers',
  'access-control-max-age',
]);

/** Maximum items of each list header, and maximum bytes of one item. */
const attemptsLimit = { items: 8 } as const;
const droppedLimit = { items: 20, bytes: 128 } as const;
const warningsLimit = { items: 5, bytes: 200 } as const;
/** Maximum bytes of a trace id and of a target's path. Callers choose both, of any length. */
const idBytes = 256;

/**
 * Completes the headers of a reply: the provider's headers that may be forwarded, then the gateway's, then the gateway's
 * again under the prefix that the client used.
 */
export function completeHeaders(ctx: RequestContext, run: Execution | undefined, reply: Reply, facts: ReplyFacts): void {
  const { last } = facts;
  const isForwarded = last?.kind === 'answered' && facts.error?.isGatewayBody !== true;
  const converted = isForwarded && last.reply.converted;
  // After the gateway used up its attempts, the provider's retry advice no longer holds. A draining gateway is an exception:
  // another instance has attempts of its own.
  const usedUp = run !== undefined && facts.error !== undefined && facts.error.code !== 'draining' && run.history.length > 1;
  if (last?.kind === 'answered') forwardUpstream(last.reply, reply.headers, isForwarded ? 'all' : facts.error?.code, ctx);
  if (isForwarded && last.reply.isVerbatim === true && !converted) forwardFraming(last.reply.headers, reply.headers);
  if (usedUp) removeHeader(reply.headers, 'x-should-retry');
  // A plugin that responds may have set it.
  if (!isForwarded && !hasHeader(reply.headers, 'content-type')) reply.headers.push('content-type', 'application/json');
  if (converted) replaceContent(reply.headers, converted.contentType);
  reply.headers.push('x-request-id', ctx.id);
  if (facts.idHeader !== undefined) reply.headers.push(facts.idHeader, ctx.id);
  const from = reply.headers.length;
  addGatewayHeaders(ctx, run, reply, facts);
  const alias = ctx.headers.aliasPrefix;
  if (alias !== undefined) repeatWithPrefix(reply.headers, from, alias);
  reply.headers.push('server-timing', `gw;dur=${facts.overheadMs}, up;dur=${Math.round(facts.upstreamMs)}`);
  if (facts.error !== undefined) pushRetry(reply.headers, facts.error, usedUp);
  if (facts.error?.allow !== undefined) reply.headers.push('allow', facts.error.allow);
}

/** Adds the retry headers that client libraries read, where the provider did not send them. */
function pushRetry(out: HeaderPairs, { retry, retryAfterMs }: FaultFacts, usedUp: boolean): void {
  if ((usedUp || !retry) && !hasHeader(out, 'x-should-retry')) out.push('x-should-retry', 'false');
  if (retryAfterMs !== undefined && !hasHeader(out, 'retry-after') && !hasHeader(out, 'retry-after-ms'))
    out.push('retry-after', Math.ceil(retryAfterMs / 1000).toString());
}

function hasHeader(pairs: HeaderPairs, name: string): boolean {
  for (let i = 0; i < pairs.length; i += 2) if (pairs[i]?.toLowerCase() === name) return true;
  return false;
}

/** What the headers report about an error. */
export interface FaultFacts {
  readonly source: 'gateway' | 'provider';
  /** The body is the gateway's, not the provider's. */
  readonly isGatewayBody: boolean;
  readonly code?: ErrorCode | undefined;
  /** True when the same request can succeed if it is sent again. */
  readonly retry: boolean;
  /** The wait in the provider's error body, or that of a temporary gateway error. */
  readonly retryAfterMs?: number | undefined;
  /** Value of the `Allow` header. */
  readonly allow?: string | undefined;
}

export interface ReplyFacts {
  /** The outcome of the reply; undefined if nothing was sent. */
  readonly last: Outcome | undefined;
  /** The source of the error; undefined for a success. */
  readonly error: FaultFacts | undefined;
  /** Header in which the client's libraries look for the request id, besides `x-request-id`. */
  readonly idHeader: string | undefined;
  readonly overheadMs: number;
  readonly upstreamMs: number;
}

function addGatewayHeaders(ctx: RequestContext, run: Execution | undefined, reply: Reply, facts: ReplyFacts): void {
  const { last, error } = facts;
  const out = reply.headers;
  // The caller's own bytes: a decoded text is not a valid header.
  const trace = ctx.headers.gateway('traceId') || ctx.traceId;
  out.push(responseHeaders.traceId, trace.length <= idBytes ? trace : `${trace.slice(0, idBytes)}...`);
  out.push(
    responseHeaders.config,
    `${toHeader(ctx.facts.config?.name ?? '-')}${ctx.facts.config === undefined || ctx.facts.config.name === '-' ? '' : `@${ctx.snapshot.revision}`}`,
  );
  const { prompt } = ctx.facts;
  if (prompt !== undefined) out.push(responseHeaders.prompt, toHeader(promptName(prompt.used.version)));
  out.push(responseHeaders.cacheStatus, cacheStatusOf(last));
  out.push(responseHeaders.overheadMs, facts.overheadMs.toString());
  if (error !== undefined) out.push(responseHeaders.errorSource, error.source);
  if (error?.isGatewayBody === true && error.source === 'gateway') out.push(responseHeaders.exception, 'true');
  if (!ctx.snapshot.server.exposeRouting) return;
  if (ctx.warnings.length > 0) out.push(responseHeaders.warnings, headerList(ctx.warnings, oneLine, '; ', warningsLimit.items));
  if (last === undefined || run === undefined) {
    if (run !== undefined) pushAttempts(out, run);
    return;
  }
  const { attempt } = last;
  out.push(responseHeaders.provider, toHeader(attempt.binding.slug));
  out.push(responseHeaders.providerType, attempt.binding.provider.type);
  if (attempt.model !== '') out.push(responseHeaders.model, toHeader(attempt.model));
  out.push(responseHeaders.lastUsedOptionIndex, toHeader(attempt.target.path, idBytes));
  out.push(responseHeaders.retryAttemptCount, retryCount(last).toString());
  pushAttempts(out, run);
  const dropped = attempt.upstream?.dropped ?? [];
  if (dropped.length > 0) {
    const named = ({ param }: Dropped): string => toHeader(param, droppedLimit.bytes);
    out.push(responseHeaders.droppedParams, headerList(dropped, named, ', ', droppedLimit.items));
  }
  const overruled = overruledIn(ctx, attempt);
  if (error === undefined && reply.flow === undefined) {
    ctx.charge = chargeFor(ctx, last);
    const { usd } = ctx.charge.cost;
    if (usd !== null) out.push(responseHeaders.cost, usd);
  }
  if (overruled.length > 0) out.push(responseHeaders.overruled, headerList(overruled, overruledText, ', ', overruled.length));
}

const overruledText = ({ choice, value, by }: Overruled): string => `${choice}=${toHeader(value)};by=${by}`;

function repeatWithPrefix(out: HeaderPairs, from: number, prefix: string): void {
  for (let i = from, end = out.length; i < end; i += 2) {
    const name = out[i] ?? '';
    if (name.startsWith(canonicalPrefix)) out.push(prefix + name.slice(canonicalPrefix.length), out[i + 1] ?? '');
  }
}

/** The header that explains a status: the size of a file, for a range beyond its end, and the methods of a route. */
const explanations: Readonly<Partial<Record<number, string>>> = { 405: 'allow', 416: 'content-range' };

/**
 * Forwards the provider's headers: all allowed ones with its own response, only retry and rate-limit headers with a
 * gateway error. Its `x-should-retry`, and what explains its status, apply to its own error only.
 */
function forwardUpstream(
  { status, headers }: UpstreamReply,
  out: HeaderPairs,
  kind: 'all' | ErrorCode | undefined,
  ctx: RequestContext,
): void {
  for (const name in headers) {
    if (notForwarded.has(name) || ctx.headers.isGateway(name)) continue;
    const isLimit = name.startsWith('retry-after') || name.includes('ratelimit-');
    const isOfError = kind === 'provider_error' && (name === 'x-should-retry' || name === explanations[status]);
    if (kind === 'all' || isLimit || isOfError) out.push(name, headers[name] ?? '');
  }
}

/** Forwards the framing headers of a body that passes unchanged. */
function forwardFraming(headers: Readonly<Record<string, string>>, out: HeaderPairs): void {
  for (const name of ['content-length', 'content-encoding']) {
    const value = headers[name];
    if (value !== undefined) out.push(name, value);
  }
}

function removeHeader(out: HeaderPairs, name: string): void {
  for (let i = out.length - 2; i >= 0; i -= 2) if (out[i] === name) out.splice(i, 2);
}

/**
 * Removes headers that describe the provider's body (type, language, disposition, ranges), because they do not fit a converted body,
 * and its addresses of the object: a client that follows one sends its gateway key to the provider.
 */
function replaceContent(out: HeaderPairs, contentType: string): void {
  for (let i = out.length - 2; i >= 0; i -= 2) {
    const name = out[i] ?? '';
    if (name.startsWith('content-') || notOfConverted.has(name)) out.splice(i, 2);
  }
  out.push('content-type', contentType);
}

/** Besides `content-*`. */
const notOfConverted: ReadonlySet<string> = new Set(['etag', 'accept-ranges', 'location', 'operation-location']);

/**
 * 0: no retry was needed. n: success on retry n. -1: all retries were used, or retrying was skipped because the provider
 * asked for too long a wait. A status that the target does not retry needed none.
 */
function retryCount(last: Outcome): number {
  const { tries, target } = last.attempt;
  if (isSuccess(last) || last.kind === 'skipped' || target.retry.attempts === 0) return tries;
  const isFinal = (last.kind === 'answered' || last.kind === 'refused') && !target.retry.retries(statusOf(last));
  return isFinal ? tries : -1;
}

function pushAttempts(out: HeaderPairs, { attempts }: Execution): void {
  if (attempts.length > 0) out.push(responseHeaders.attempts, headerList(attempts, attemptText, ', ', attemptsLimit.items));
}

function attemptText(outcome: Outcome): string {
  const result = outcome.kind === 'answered' ? statusOf(outcome).toString() : outcome.kind;
  return `${toHeader(outcome.attempt.binding.slug)}=${result};${Math.round(outcome.times.totalMs)}ms`;
}

/** Makes a warning safe for a header. A warning is text of the gateway that can contain any name. */
const oneLine = (text: string): string => text.replaceAll(/[^\x20-\x7e]+/g, '?').slice(0, warningsLimit.bytes);
