import type { Routed } from '#core/context.ts';
import type { HeaderPairs } from '#core/http/headers.ts';
import { formatTraceparent, parseTraceparent, spanIdOf } from '#core/http/trace.ts';

/**
 * What is copied, and the trace that the request is a part of: the provider's step hangs below ours. Nothing is added to
 * a request that brings no trace, or whose `traceparent` is copied as it is.
 */
export function withTrace(ctx: Routed, copies: HeaderPairs | undefined): HeaderPairs | undefined {
  const parent = parseTraceparent(ctx.headers.get('traceparent'));
  if (parent === undefined || copies?.includes('traceparent') === true) return copies;
  const pairs: HeaderPairs = ['traceparent', formatTraceparent(parent, spanIdOf(ctx.id))];
  const state = ctx.headers.get('tracestate');
  if (state !== undefined && state !== '' && copies?.includes('tracestate') !== true) pairs.push('tracestate', state);
  return copies === undefined ? pairs : copies.concat(pairs);
}
