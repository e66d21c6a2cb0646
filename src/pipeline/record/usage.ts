import type { UsageRecord } from '../../core/records/record.ts';
import { emptyRecord } from '../../core/records/empty.ts';
import type { Usage, UsageDetails } from '../../core/model/usage.ts';
import { type Attempt, isIntercepted, isSuccess, type Outcome } from '../../core/plan.ts';
import type { Tap } from '../../core/tap.ts';
import type { PriceBook } from '../../core/cost/book.ts';
import { costOf, free, unknownCost } from '../../core/cost/cost.ts';
import type { Price } from '../../core/cost/price.ts';
import { traitsOf } from '../../core/endpoint.ts';
import type { Leaf } from '../../core/snapshot.ts';
import type { Charge, RequestContext } from '../request.ts';

const noUsage = emptyRecord.usage;

/** The tap of the response, also of a faulty one. */
export function tapOf(last: Outcome | undefined): Tap | undefined {
  if (last?.kind === 'faulty' || last?.kind === 'refused') return last.tap;
  return last?.kind === 'answered' ? last.reply.tap : undefined;
}

/** Usage and cost of the last attempt. Earlier attempts report no usage, and most providers do not charge for them. */
export function chargeFor(ctx: RequestContext, last: Outcome | undefined): Charge {
  if (isIntercepted(last)) return { usage: noUsage, cost: free };
  const tap = tapOf(last);
  const isAnswer = last !== undefined && isSuccess(last);
  const usage = usageRecord(tap, ctx, isAnswer ? last : undefined);
  if (last === undefined || (!isAnswer && usage.source === 'none')) return { usage, cost: free };
  const { attempt } = last;
  const isBlank = usage.source === 'none' && usage.details === undefined;
  if (isBlank && (attempt.call === undefined || isUnpaid(attempt.call.endpoint) || isRelayedRead(ctx))) return { usage, cost: free };
  const price = priceOf(attempt, ctx.snapshot.prices, tap?.model, ctx.at);
  // Without reported usage the consumption is unknown, unless the provider has a price per request.
  if (isBlank && price?.rates.request === undefined) return { usage, cost: isFree(attempt) ? free : unknownCost };
  return { usage, cost: costOf(usage, price) };
}

const priceOf = (attempt: Attempt, prices: PriceBook, answered: string | undefined, at: number): Price | undefined =>
  prices.priceOf(
    {
      slug: attempt.binding.slug,
      type: attempt.binding.provider.type,
      listed: attempt.binding.provider.entry.prices,
      model: attempt.model,
      sent: attempt.call?.model,
      foundation: attempt.call?.foundationModel,
      answered,
    },
    at,
  );

/** Bytes per token for the estimate of a request's size. */
const tokenBytes = 4;

const isFree = ({ binding }: Attempt): boolean => binding.provider.entry.prices === 'none';

/** True for routes without a paid model run: stored objects, lists, token counts and moderations. */
export function isUnpaid(endpoint: RequestContext['endpoint']): boolean {
  return (traitsOf(endpoint).state !== undefined && !startsWork.has(endpoint)) || unpaid.has(endpoint);
}

/** True for requests to any other path that read or delete an object: the request that created it has the cost. */
const isRelayedRead = ({ endpoint, method }: RequestContext): boolean => endpoint === 'relay' && startsNothing.has(method);

const startsNothing: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);

/** The provider runs models for these later. */
const startsWork: ReadonlySet<string> = new Set(['batches', 'fine_tuning/jobs'] satisfies RequestContext['endpoint'][]);

const unpaid: ReadonlySet<string> = new Set([
  'models',
  'models/{id}',
  'models/{id}/delete',
  'messages/count_tokens',
  'responses/input_tokens',
  'moderations',
] satisfies RequestContext['endpoint'][]);

/**
 * Usage as reported by the provider, else an estimate: four bytes per prompt token, one stream event per completion
 * token. For a stream that did not complete, the completion is at least the number of content events, because its report
 * may date from the beginning of the stream.
 */
function usageRecord(tap: Tap | undefined, ctx: RequestContext, answer: Outcome | undefined): UsageRecord {
  const usage = tap?.usage;
  const details = answer === undefined ? usage?.details : detailsOf(usage, ctx, answer.attempt.target.override);
  if (usage === undefined && (answer === undefined || tap === undefined || tap.contentEvents === 0)) {
    return details === undefined ? noUsage : { ...noUsage, details };
  }
  if (usage === undefined) {
    const prompt = ctx.body.kind === 'json' ? Math.ceil(ctx.body.size / tokenBytes) : 0;
    return { ...noUsage, prompt, completion: tap?.contentEvents ?? 0, source: 'estimated', ...(details === undefined ? {} : { details }) };
  }
  const received = tap?.complete === false ? tap.contentEvents : 0;
  const record = usageIn(details === undefined ? usage : { ...usage, details });
  return received > usage.completion ? { ...record, completion: received, source: 'estimated' } : record;
}

/** Converts usage to the form of the record. */
export function usageIn(usage: Usage): UsageRecord {
  const { details } = usage;
  return {
    prompt: tokens(usage.prompt),
    completion: tokens(usage.completion),
    cached: tokens(usage.cached),
    cache_write: tokens(usage.cacheWrite),
    reasoning: tokens(usage.reasoning),
    audio_in: tokens(usage.audioIn),
    audio_out: tokens(usage.audioOut),
    source: 'reported',
    ...(details === undefined ? {} : { details }),
  };
}

/**
 * More than any real or priced count. Without this limit, one response with an infinite count would make a metrics
 * counter infinite until the process ends.
 */
const maxTokens = 1e13;

/** Rounded up as in converted responses, so that record and cost have what the client got. */
const tokens = (count = 0): number => (count < maxTokens ? Math.ceil(count) : maxTokens);

/**
 * Quantities that price routes without tokens. They are read from the request if the response does not contain them.
 * @param override `override_params` of the target that answered
 */
function detailsOf(usage: Usage | undefined, { endpoint, body }: RequestContext, override: Leaf['override']): UsageDetails | undefined {
  if (endpoint.startsWith('images/') && endpoint !== 'images/embeddings') {
    const read = (name: string): unknown =>
      override?.[name] ?? (body.kind === 'json' ? body.value(name) : body.kind === 'form' ? body.fields.get(name) : undefined);
    const images = Number(read('n') ?? 1);
    const image = [read('size'), read('quality')].map((each) => (typeof each === 'string' && each !== 'auto' ? each : '')).join('/');
    return {
      ...usage?.details,
      images: usage?.details?.images ?? (Number.isInteger(images) && images > 0 ? images : 1),
      ...(image === '/' ? {} : { image: image.slice(0, 64) }),
    };
  }
  if (endpoint === 'audio/speech' && body.kind === 'json') {
    const input = override?.['input'] ?? body.value('input');
    return typeof input === 'string' ? { ...usage?.details, characters: input.length } : usage?.details;
  }
  return usage?.details;
}
