import type { Routed } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import { credentialHeaders, type HeaderPairs, isForwardable, placeholderCredentials } from '#core/http/headers.ts';
import type { CredentialRef } from '#core/snapshot.ts';
import { headerNameAsSent } from '#core/text/header-name-as-sent.ts';
import { formatTraceparent, isSampledId, parseTraceparent, type TraceParent, w3cTraceId } from '#core/http/trace.ts';
import { attemptSpanId, spanIdOf } from '#core/records/span-ids.ts';

/** Maximum cached values of `x-gateway-forward-headers`, and maximum characters of a cached one. */
const maxCachedLists = 256;
const maxCachedLength = 1024;

/** The caller's own header signs the request: nothing is added to it. */
export const forwardedCredential: CredentialRef = Object.freeze({ owner: 'forwarded', headers: () => [] });

/** Parses `x-gateway-forward-headers`, with a cache. */
export class ForwardLists {
  readonly #lists = new Map<string, readonly string[]>();

  /** @throws GatewayError `invalid_header` */
  of(ctx: Routed): readonly string[] | undefined {
    const text = ctx.headers.gateway('forwardHeaders');
    if (text === undefined || text === '') return undefined;
    const known = this.#lists.get(text);
    if (known !== undefined) return known;
    const list = text.split(',').flatMap((name) => name.trim().toLowerCase() || []);
    const forbiddenName = list.find((name) => !isForwardable(name) || ctx.headers.isGateway(name));
    if (forbiddenName !== undefined) {
      throw new GatewayError('invalid_header', {
        message: `The header "${forbiddenName}" cannot be forwarded.`,
        param: headerNameAsSent(ctx.headers, 'forwardHeaders'),
        hint: 'Gateway headers, host, accept-encoding, content-*, x-forwarded-* and connection headers are never forwarded.',
      });
    }
    if (text.length > maxCachedLength) return list;
    if (this.#lists.size >= maxCachedLists) this.#lists.clear();
    this.#lists.set(text, list);
    return list;
  }
}

/** The copied headers, and whether one of them is the caller's credential. */
export interface Forwarded {
  readonly pairs: HeaderPairs;
  readonly signs: boolean;
}

/**
 * Copies the listed headers, except one with a gateway key or a placeholder. If `authorization` is listed, the catalog's
 * credential must not replace it.
 *
 * @throws GatewayError `missing_credential`
 */
export function forwardedHeaders(ctx: Routed, names: readonly string[]): Forwarded {
  const pairs: HeaderPairs = [];
  let signs = false;
  for (const name of names) {
    const value = ctx.headers.get(name);
    if (value === undefined || ctx.headers.isGateway(name)) continue;
    if (credentialHeaders.has(name) && !isCallerCredential(ctx, name, value)) continue;
    pairs.push(name, value);
    signs ||= name !== 'cookie' && credentialHeaders.has(name);
  }
  if (signs || !names.includes('authorization')) return { pairs, signs };
  throw new GatewayError('missing_credential', {
    message: 'The header "authorization" is configured to be forwarded, but the request has none besides the gateway key.',
    param: 'authorization',
    hint: 'Send the gateway key in x-gateway-api-key, and the credential for the provider in authorization.',
  });
}

/** The credentials among the copied headers. */
export function credentialPairs(pairs: HeaderPairs): HeaderPairs {
  const out: HeaderPairs = [];
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    const name = pairs[at] ?? '';
    if (name !== 'cookie' && credentialHeaders.has(name)) out.push(name, pairs[at + 1] ?? '');
  }
  return out;
}

function isCallerCredential(ctx: Routed, name: string, value: string): boolean {
  if (ctx.facts.caller.consumed.includes(name)) return false;
  const bare = /^bearer(?: |$)/i.test(value) ? value.slice(7).trim() : value;
  return bare !== '' && !placeholderCredentials.has(bare);
}

/**
 * Adds the trace context to the copied headers: the provider's span is a child of the gateway's span. Not for a request
 * without a trace, unless traces are exported, or if its `traceparent` is copied.
 *
 * @param attempt index among all attempts of the request, from 0
 */
export function withTraceContext(ctx: Routed, copies: HeaderPairs | undefined, attempt: number): HeaderPairs | undefined {
  const parent = parseTraceparent(ctx.headers.get('traceparent'));
  const { tracing } = ctx.snapshot.observability;
  if ((parent === undefined && tracing === undefined) || copies?.includes('traceparent') === true) return copies;
  // The parent must be an exported span: the attempt, if attempts are exported.
  const step = tracing === undefined ? spanIdOf(ctx.id) : attemptSpanId(ctx.id, attempt);
  const pairs: HeaderPairs = ['traceparent', formatTraceparent(parent ?? newTrace(ctx.traceId, tracing?.ratio ?? 0), step)];
  const state = parent === undefined ? undefined : ctx.headers.get('tracestate');
  if (state !== undefined && state !== '' && copies?.includes('tracestate') !== true) pairs.push('tracestate', state);
  return copies === undefined ? pairs : copies.concat(pairs);
}

/** A new trace that begins at the gateway. */
function newTrace(id: string, ratio: number): TraceParent {
  const traceId = w3cTraceId(id);
  return { traceId, parentId: '', flags: isSampledId(traceId, ratio) ? '01' : '00' };
}
