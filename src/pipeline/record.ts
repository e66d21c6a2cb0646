import type { RequestBody } from '../core/body.ts';
import { endpoints } from '../core/endpoint.ts';
import { isCredentialHeader, maskHeaders } from '../core/mask.ts';
import { isPlain } from '../core/merge.ts';
import { type Attempt, type KeptBody, type Outcome, statusOf } from '../core/plan.ts';
import type { UpstreamRequest } from '../core/provider.ts';
import type { AttemptRecord, BodyRecord, LogRecord, MessageRecord, UsageRecord } from '../core/record.ts';
import type { LogSettings } from '../core/snapshot.ts';
import type { Tap } from '../core/tap.ts';
import { parseTraceparent, spanIdOf } from '../core/trace.ts';
import { errorOf } from './answer.ts';
import { type Execution, isSuccess } from './execute.ts';
import type { RequestContext } from './request.ts';
import type { SealedRecord } from './seal.ts';

/** How a request ended, as far as only the delivery knows. */
export interface Ending {
  readonly status: number;
  readonly end: LogRecord['end'];
  readonly error: LogRecord['error'];
  /** Of a body that only passed through; others are measured here. */
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Monotonic milliseconds from arrival. */
  readonly totalMs: number;
  readonly firstEventMs: number | null;
  readonly overheadMs: number;
  /** The answer's bytes as the provider sent them. */
  readonly kept: KeptBody | undefined;
  /** An answer that no provider gave: an error of ours, a list from the catalog. */
  readonly own: Buffer | undefined;
}

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});
const noBody: MessageRecord = Object.freeze({ headers: noHeaders, body: null, why_absent: 'there was none' });

/** Builds the record of a finished request and gathers the bodies that are stored behind it. */
export function makeRecord(ctx: RequestContext, run: Execution | undefined, ending: Ending): SealedRecord {
  const last = run?.last;
  const attempt = last?.attempt;
  const tap = last?.kind === 'answered' ? last.reply.tap : undefined;
  const log = ctx.snapshot.log;
  const bodies = new Bodies(log);
  const request = bodies.request(ctx);
  const upstream = bodies.upstream(ctx, attempt?.upstream);
  const response = bodies.response(last, ending);
  const caller = ctx.facts.caller;
  const record: LogRecord = {
    v: 1,
    id: ctx.id,
    trace: traceRecord(ctx),
    at: ctx.at,
    endpoint: ctx.prompt?.endpoint ?? ctx.endpoint,
    method: ctx.method,
    path: ctx.path,
    stream: ctx.stream,
    status: ending.status,
    error: ending.error,
    key: caller.key?.name ?? null,
    key_id: caller.key?.id || null,
    virtual_key: attempt?.binding.virtualKey ?? ctx.facts.virtualKey?.virtualKey ?? null,
    config: ctx.facts.config === undefined || ctx.facts.config.name === '-' ? null : ctx.facts.config.name,
    prompt: ctx.prompt?.record ?? null,
    revision: ctx.snapshot.revision,
    target: attempt === undefined ? null : fullPath(attempt.target.root, attempt.target.path),
    provider: attempt?.binding.slug ?? null,
    type: attempt?.binding.provider.type ?? null,
    model: { asked: ctx.askedModel === '' ? null : ctx.askedModel, sent: attempt?.call?.model || null, answered: tap?.model ?? null },
    foundation_model: attempt?.call?.foundationModel ?? null,
    attempts: run === undefined ? [] : run.history.map((outcome, n) => attemptRecord(outcome, n, run.reasons[n])),
    plugins: ctx.plugins,
    ms: {
      total: round(ending.totalMs),
      first_event: ending.firstEventMs === null ? null : round(ending.firstEventMs),
      overhead: ending.overheadMs,
    },
    usage: usageRecord(tap, ctx, isModelAnswer(last)),
    cost: { usd: null, source: null },
    finish: tap?.finish ?? [],
    lane: ctx.received.kind === 'passing' && attempt !== undefined ? 'relay' : (attempt?.lane ?? 'none'),
    strict: attempt?.call?.strict ?? true,
    dropped: attempt?.upstream?.dropped ?? [],
    warnings: ctx.warnings,
    cache: 'DISABLED',
    guardrails: [],
    metadata: metadataOf(ctx, attempt),
    labels: labelsOf(ctx.body, attempt?.target.override),
    client: { ip: ctx.peer ?? null, agent: ctx.headers.get('user-agent') ?? null },
    bytes: { in: ctx.received.kind === 'json' ? ctx.received.size : ending.bytesIn, out: ending.bytesOut },
    end: ending.end,
    request: request,
    upstream,
    response,
    random: ctx.random,
  };
  return { record, request: bodies.parts.request, upstream: bodies.parts.upstream, response: bodies.parts.response };
}

/** The caller's own word on its trace, else what `traceparent` says: our step is then one of that trace. */
function traceRecord(ctx: RequestContext): LogRecord['trace'] {
  const { headers } = ctx;
  const continued = parseTraceparent(headers.get('traceparent'));
  return {
    trace_id: ctx.traceId,
    span_id: headers.gateway('spanId') ?? (continued === undefined ? null : spanIdOf(ctx.id)),
    parent: headers.gateway('parentSpanId') ?? continued?.parentId ?? null,
    span_name: headers.gateway('spanName') ?? null,
  };
}

function fullPath(root: string, path: string): string {
  return root + path.slice('config'.length);
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function isModelAnswer(last: Outcome | undefined): boolean {
  return last !== undefined && isSuccess(last);
}

function attemptRecord(outcome: Outcome, n: number, because: string | undefined): AttemptRecord {
  const { attempt, times } = outcome;
  const answered = outcome.kind === 'answered';
  return {
    n,
    target: attempt.target.path,
    provider: attempt.binding.slug,
    model: attempt.model,
    at: round(times.at),
    connect_ms: times.connectMs === undefined ? null : round(times.connectMs),
    first_byte_ms: times.firstByteMs === undefined ? null : round(times.firstByteMs),
    total_ms: round(times.totalMs),
    outcome: outcome.kind,
    status: answered ? statusOf(outcome) : null,
    upstream_id: answered
      ? (outcome.reply.headers['x-request-id'] ?? outcome.reply.headers['apim-request-id'] ?? outcome.reply.headers['request-id'] ?? null)
      : null,
    reason: isSuccess(outcome) ? null : (because ?? errorOf(outcome).message),
    retry_after_ms: null,
  };
}

/** Reported by the provider, else estimated: four bytes a token in, one event a token out (decisions D27). */
function usageRecord(tap: Tap | undefined, ctx: RequestContext, isAnswer: boolean): UsageRecord {
  const usage = tap?.usage;
  if (usage === undefined && (!isAnswer || tap === undefined || tap.contentEvents === 0)) return noUsage;
  if (usage === undefined) {
    const prompt = ctx.body.kind === 'json' ? Math.ceil(ctx.body.size / 4) : 0;
    return { ...noUsage, prompt, completion: tap?.contentEvents ?? 0, source: 'estimated' };
  }
  return {
    prompt: usage.prompt,
    completion: usage.completion,
    cached: usage.cached ?? 0,
    cache_write: usage.cacheWrite ?? 0,
    reasoning: usage.reasoning ?? 0,
    audio_in: usage.audioIn ?? 0,
    audio_out: usage.audioOut ?? 0,
    source: 'reported',
  };
}

const noUsage: UsageRecord = Object.freeze({
  prompt: 0,
  completion: 0,
  cached: 0,
  cache_write: 0,
  reasoning: 0,
  audio_in: 0,
  audio_out: 0,
  source: 'none',
});

/** The nearer to the caller, the stronger: what the request says wins over its key or token, that over what it chose. */
function metadataOf({ facts, prompt, metadata }: RequestContext, attempt: Attempt | undefined): Readonly<Record<string, string>> {
  return { ...prompt?.metadata, ...facts.config?.metadata, ...attempt?.binding.metadata, ...facts.caller.key?.metadata, ...metadata };
}

/** Labels of a request that the record keeps: more is no labelling. */
const labelsKept = 64;

/** Those of the body, and over them those of the config: as a provider that knows labels is sent them. */
function labelsOf(body: RequestBody, override: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, unknown>> {
  const own = body.kind === 'json' ? body.value('labels') : undefined;
  const ofConfig = isPlain(override?.['labels']) ? override['labels'] : undefined;
  if (!isPlain(own) || Object.keys(own).length > labelsKept) return ofConfig ?? noHeaders;
  return { ...own, ...ofConfig };
}

/** Which bodies are kept, by policy, and how much of each (decisions D25). */
class Bodies {
  readonly parts: { request: Buffer[]; upstream: Buffer[]; response: Buffer[] } = { request: [], upstream: [], response: [] };
  readonly #keeps: boolean;
  readonly #limit: number;

  constructor(log: LogSettings) {
    this.#keeps = log.bodies === 'full' || log.bodies === 'redacted';
    this.#limit = log.maxBody;
  }

  request(ctx: RequestContext): MessageRecord {
    const headers = requestHeadersOf(ctx);
    if (ctx.received.kind === 'passing' || ctx.received.kind === 'form')
      return { headers, body: null, why_absent: 'it only passed through' };
    if (ctx.received.kind === 'none')
      return { headers, body: null, why_absent: endpoints[ctx.endpoint].body === 'none' ? 'there was none' : 'it was not read' };
    if (!this.#wanted(ctx)) return { headers, body: null, why_absent: this.#why(ctx) };
    return { headers, body: this.#keep(ctx.received.bytes(), this.parts.request), why_absent: null };
  }

  upstream(ctx: RequestContext, upstream: UpstreamRequest | undefined): MessageRecord {
    if (upstream === undefined || upstream.body.kind === 'none') return noBody;
    if (upstream.body.kind !== 'json') return { headers: noHeaders, body: null, why_absent: 'it only passed through' };
    if (!this.#wanted(ctx)) return { headers: noHeaders, body: null, why_absent: this.#why(ctx) };
    const { body } = upstream;
    const origin = body.edited?.root ?? body;
    // What a stored prompt writes into the body can be large: it is kept like any other body.
    if (origin === ctx.received && ctx.prompt === undefined) {
      const patch = body.edited === undefined ? {} : Object.fromEntries([...body.edited.patch].map(([key, value]) => [key, value ?? null]));
      return {
        headers: noHeaders,
        body: { size: body.size, kept: 0, sha256: null, same_as: 'request', patch, chunks: null },
        why_absent: null,
      };
    }
    return { headers: noHeaders, body: this.#keep(body.bytes(), this.parts.upstream), why_absent: null };
  }

  response(last: Outcome | undefined, { kept, own }: Ending): MessageRecord {
    if (last?.kind !== 'answered') return own === undefined ? noBody : this.#made(own);
    const headers = last.reply.headers;
    if (!this.#keeps) return { headers, body: null, why_absent: 'logging.requests.bodies' };
    if (kept === undefined) return { headers, body: this.#keep(last.reply.body, this.parts.response), why_absent: null };
    let bytes = 0;
    for (const piece of kept.pieces) bytes += piece.length;
    this.parts.response.push(...kept.pieces);
    return {
      headers,
      body: { size: kept.size, kept: bytes, sha256: null, same_as: null, patch: null, chunks: kept.times },
      why_absent: null,
    };
  }

  #made(own: Buffer): MessageRecord {
    if (!this.#keeps) return { headers: noHeaders, body: null, why_absent: 'logging.requests.bodies' };
    return { headers: noHeaders, body: this.#keep(own, this.parts.response), why_absent: null };
  }

  /** `x-gateway-debug: false` keeps the bodies of one request out of the log (gateway-behaviour.md 2). */
  #wanted(ctx: RequestContext): boolean {
    return this.#keeps && ctx.headers.gateway('debug') !== 'false';
  }

  #why(ctx: RequestContext): string {
    return this.#keeps && ctx.headers.gateway('debug') === 'false'
      ? 'the caller asked for it with x-gateway-debug: false'
      : 'logging.requests.bodies';
  }

  #keep(bytes: Buffer, into: Buffer[]): BodyRecord {
    const kept = bytes.length > this.#limit ? bytes.subarray(0, this.#limit) : bytes;
    into.push(kept);
    return { size: bytes.length, kept: kept.length, sha256: null, same_as: null, patch: null, chunks: null };
  }
}

/**
 * The request's headers as the record shows them: no credentials. A header that is JSON (a config, metadata) may hold
 * one inside; those are hidden by `maskHeaders`.
 */
function requestHeadersOf(ctx: RequestContext): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of ctx.headers.entries()) {
    if (value.startsWith('{')) Object.assign(out, maskHeaders({ [name]: value }));
    else out[name] = hides(name) ? '***' : value;
  }
  return out;
}

/** Names of headers that were seen, and whether they hold a credential: clients send the same few. */
const seen = new Map<string, boolean>();

function hides(name: string): boolean {
  const known = seen.get(name);
  if (known !== undefined) return known;
  const hidden = isCredentialHeader(name);
  if (seen.size < 1000) seen.set(name, hidden);
  return hidden;
}
