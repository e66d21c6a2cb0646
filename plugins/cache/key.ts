import type { Routed } from '#core/context.ts';
import type { JsonBody } from '#core/json/body.ts';
import type { Endpoint } from '#core/endpoint.ts';
import type { Attempt } from '#core/plan.ts';

/** Routes whose responses depend on the request alone: they create no object, and their results do not expire. */
const cacheable: ReadonlySet<Endpoint> = new Set([
  'chat/completions',
  'completions',
  'messages',
  'responses',
  'embeddings',
  'images/embeddings',
  'moderations',
]);

/** Bytes of the largest request body that is cached: each one is hashed. */
const maxRequestBytes = 1024 * 1024;

/** Headers that differ between equal requests. */
const perRequest: ReadonlySet<string> = new Set(['traceparent', 'tracestate', 'baggage', 'idempotency-key', 'x-request-id']);

/**
 * All that the response of an attempt depends on, as a text: what is sent upstream, who sends it, and with whose credential.
 * Undefined if the response must not be cached.
 */
export function textOfKey(ctx: Routed, attempt: Attempt): string | undefined {
  const { upstream, binding, translation } = attempt;
  if (upstream === undefined || upstream.body.kind !== 'json') return undefined;
  // A response that needs several requests cannot be made from the last one.
  if (!cacheable.has(ctx.endpoint) || translation?.then !== undefined || upstream.body.size > maxRequestBytes) return undefined;
  if (isStored(ctx.endpoint, attempt, upstream.body) || continues(upstream.body)) return undefined;
  const { name, key } = ctx.facts.caller;
  // A plugin that authenticates callers may know them by name alone.
  const sender = [name, key?.owner, ctx.headers.gateway('cacheNamespace'), binding.slug, binding.virtualKey, accountOf(ctx, attempt)];
  const { method, origin, path, headers, body } = upstream;
  return `${JSON.stringify([sender, method, origin, path, headersOf(headers)])}\n${body.oneByte}`;
}

/** The account at the provider. A target may have a credential of its own, in the file or in a config of the request. */
function accountOf({ facts, headers }: Routed, { call, credential, target: { root, path } }: Attempt): unknown {
  if (call?.credential === 'catalog') return [call.deployment, credential?.setting?.startsWith(path) === true ? [root, path] : null];
  // Where the caller's credential has several parts, they are in the settings.
  return [facts.caller.credential, call?.settings, root === 'inline' ? headers.gateway('config') : null];
}

/**
 * True if the provider keeps the response under its ID, as an object that belongs to one request. For `responses` that is the
 * default, but not where the request is converted to another format.
 */
function isStored(endpoint: Endpoint, { lane }: Attempt, body: JsonBody): boolean {
  const store = body.peek('store');
  return endpoint === 'responses' && lane !== 'full' ? store !== false || body.peek('background') === true : store === true;
}

/** Members that name an object of the provider which each request changes: a conversation, or a container in which code runs. */
const changing = ['conversation', 'container'] as const;

const continues = (body: JsonBody): boolean => changing.some((name) => body.has(name) && body.peek(name) !== null);

function headersOf(pairs: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < pairs.length; at += 2)
    if (!perRequest.has((pairs[at] ?? '').toLowerCase())) kept.push(pairs[at] ?? '', pairs[at + 1] ?? '');
  return kept;
}
