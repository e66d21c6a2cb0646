import { emptyRecord } from '../../core/records/empty.ts';
import { isPlain } from '../../core/json/merge.ts';
import { type Attempt, type Outcome, statusOf } from '../../core/plan.ts';
import type { AttemptRecord, LogRecord, UsageRecord } from '../../core/records/record.ts';
import type { Tap } from '../../core/tap.ts';
import { parseTraceparent, spanIdOf } from '../../core/http/trace.ts';
import { errorOf } from '../answer/index.ts';
import { type Execution, isSuccess } from '../execute.ts';
import { overruledIn } from './overruled.ts';
import { bounded, boundedOrNull, boundedTexts, first, limits, shrunk } from './bounds.ts';
import { type Delivered, Messages, policyOf } from './messages.ts';
import type { RequestContext } from '../request.ts';
import type { SealedRecord } from './group-commit.ts';
import { strangerRecord } from './refused.ts';

/** How a request ended, as far as only the delivery knows. */
export interface Ending extends Delivered {
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
  /** Of a WebSocket that was opened. */
  readonly socket?: LogRecord['socket'] | undefined;
}

const none: Readonly<Record<string, never>> = Object.freeze({});

/** Members of the lists of a record. */
const most = { plugins: 64, dropped: 32, warnings: 16, finish: 16 } as const;

/** Builds the record of a finished request and gathers the bodies that are stored behind it. */
export function makeRecord(ctx: RequestContext, run: Execution | undefined, ending: Ending): SealedRecord {
  const last = run?.last;
  const attempt = last?.attempt;
  const tap = last?.kind === 'answered' ? last.reply.tap : undefined;
  if (!ctx.isAdmitted) return { record: strangerRecord(ctx, ending), request: [], upstream: [], response: [] };
  const bodies = new Messages(ctx);
  const request = bodies.request(ctx);
  const upstream = bodies.upstream(ctx, attempt?.upstream);
  const response = bodies.response(last, ending);
  const caller = ctx.facts.caller;
  const record: LogRecord = {
    v: 1,
    id: ctx.id,
    trace: traceRecord(ctx),
    at: ctx.at,
    endpoint: ctx.called,
    method: ctx.method,
    path: bounded(ctx.path, limits.path),
    stream: ctx.stream,
    status: ending.status,
    error: ending.error === null ? null : { ...ending.error, message: bounded(ending.error.message, limits.message) },
    admitted: true,
    key: boundedOrNull(caller.key?.name, limits.name),
    key_id: caller.key?.id || null,
    virtual_key: attempt?.binding.virtualKey ?? ctx.facts.virtualKey?.virtualKey ?? null,
    config: ctx.facts.config === undefined || ctx.facts.config.name === '-' ? null : ctx.facts.config.name,
    prompt: promptRecord(ctx),
    revision: ctx.snapshot.revision,
    target: attempt === undefined ? null : bounded(fullPath(attempt.target.root, attempt.target.path), limits.name),
    provider: attempt?.binding.slug ?? null,
    type: attempt?.binding.provider.type ?? null,
    model: modelRecord(ctx, attempt, tap),
    foundation_model: boundedOrNull(attempt?.call?.foundationModel, limits.name),
    attempts: run === undefined ? [] : run.attempts.map((outcome) => attemptRecord(outcome, run.reasonOf(outcome))),
    plugins: first(ctx.plugins, most.plugins),
    ms: timesRecord(ending),
    usage: usageRecord(tap, ctx, isModelAnswer(last)),
    cost: { usd: null, source: null },
    finish: first(tap?.finish ?? [], most.finish).map((text) => bounded(text, limits.id)),
    lane: isRelayed(ctx) && attempt !== undefined ? 'relay' : (attempt?.lane ?? 'none'),
    strict: attempt?.call?.strict ?? true,
    dropped: droppedOf(attempt),
    warnings: warningsOf(ctx, run?.history ?? []),
    overruled: attempt === undefined ? [] : overruledIn(ctx, attempt),
    cache: 'DISABLED',
    guardrails: [],
    notes: ctx.notes,
    metadata: boundedTexts(metadataOf(ctx, attempt)),
    labels: labelsOf(ctx, attempt?.target.override),
    client: { ip: ctx.peer ?? null, agent: boundedOrNull(ctx.headers.get('user-agent'), limits.agent) },
    bytes: { in: ctx.received.kind === 'json' ? ctx.received.size : ending.bytesIn, out: ending.bytesOut },
    socket: ending.socket ?? null,
    end: ending.end,
    request,
    upstream,
    response,
    random: ctx.random,
  };
  return { record, request: bodies.parts.request, upstream: bodies.parts.upstream, response: bodies.parts.response };
}

function promptRecord({ facts: { prompt } }: RequestContext): LogRecord['prompt'] {
  return prompt === undefined ? null : { id: prompt.used.version.id, version: prompt.used.version.number, label: prompt.used.label };
}

const isRelayed = ({ received }: RequestContext): boolean => received.kind === 'passing' || received.kind === 'socket';

function modelRecord(ctx: RequestContext, attempt: Attempt | undefined, tap: Tap | undefined): LogRecord['model'] {
  return {
    asked: boundedOrNull(ctx.requestedModel, limits.name),
    sent: boundedOrNull(attempt?.call?.model, limits.name),
    answered: boundedOrNull(tap?.model ?? undefined, limits.name),
  };
}

function timesRecord({ totalMs, firstEventMs, overheadMs }: Ending): LogRecord['ms'] {
  return { total: round(totalMs), first_event: firstEventMs === null ? null : round(firstEventMs), overhead: overheadMs };
}

/** The caller's own word on its trace, else what `traceparent` says: our step is then one of that trace. */
function traceRecord(ctx: RequestContext): LogRecord['trace'] {
  const { headers } = ctx;
  const continued = parseTraceparent(headers.get('traceparent'));
  return {
    trace_id: bounded(ctx.traceId, limits.id),
    span_id: boundedOrNull(headers.gateway('spanId'), limits.id) ?? (continued === undefined ? null : spanIdOf(ctx.id)),
    parent: boundedOrNull(headers.gateway('parentSpanId'), limits.id) ?? continued?.parentId ?? null,
    span_name: boundedOrNull(headers.gateway('spanName'), limits.id),
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

function attemptRecord(outcome: Outcome, because: string | undefined): AttemptRecord {
  const { attempt, times } = outcome;
  const n = attempt.index;
  const answered = outcome.kind === 'answered';
  return {
    n,
    target: bounded(attempt.target.path, limits.id),
    provider: attempt.binding.slug,
    model: bounded(attempt.model, limits.name),
    at: round(times.at),
    connect_ms: times.connectMs === undefined ? null : round(times.connectMs),
    first_byte_ms: times.firstByteMs === undefined ? null : round(times.firstByteMs),
    total_ms: round(times.totalMs),
    outcome: outcome.kind,
    status: answered ? statusOf(outcome) : null,
    upstream_id: answered ? boundedOrNull(upstreamId(outcome.reply.headers), limits.id) : null,
    reason: isSuccess(outcome) ? null : bounded(because ?? errorOf(outcome).message, n < 8 ? limits.reason : limits.id),
    retry_after_ms: null,
  };
}

function upstreamId(headers: Readonly<Record<string, string>>): string | undefined {
  return headers['x-request-id'] ?? headers['apim-request-id'] ?? headers['request-id'];
}

function droppedOf(attempt: Attempt | undefined): LogRecord['dropped'] {
  const dropped = attempt?.upstream?.dropped ?? [];
  if (dropped.length === 0) return dropped;
  return first(dropped, most.dropped).map(({ param, reason }) => ({
    param: bounded(param, limits.id),
    reason: bounded(reason, limits.name),
  }));
}

/** Reported by the provider, else estimated: four bytes a token in, one event a token out. */
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

const noUsage = emptyRecord.usage;

/** The nearer to the caller, the stronger: what the request says wins over its key or token, that over what it chose. */
function metadataOf({ facts, metadata }: RequestContext, attempt: Attempt | undefined): Readonly<Record<string, string>> {
  return {
    ...facts.prompt?.used.version.metadata,
    ...facts.config?.metadata,
    ...attempt?.binding.metadata,
    ...facts.caller.key?.metadata,
    ...metadata,
  };
}

/** Labels of a request that the record keeps: more is no labelling. */
const labelLimits = { members: 64, characters: 4096, levels: 4 } as const;

/** Those of the body, and over them those of the config: as a provider that knows labels is sent them. */
function labelsOf(ctx: RequestContext, override: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, unknown>> {
  const { body } = ctx;
  const own = body.kind === 'json' && policyOf(ctx) !== 'none' ? body.value('labels') : undefined;
  const ofConfig = isPlain(override?.['labels']) ? override['labels'] : undefined;
  if (!isPlain(own)) return ofConfig === undefined ? none : boundedLabels(ofConfig);
  return boundedLabels(hasMore(own, labelLimits.members) ? (ofConfig ?? none) : { ...own, ...ofConfig });
}

/** Most requests have one or two short texts. */
function boundedLabels(labels: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  let size = 0;
  for (const name in labels) {
    const value = labels[name];
    size += name.length + (typeof value === 'string' ? value.length : labelLimits.characters);
  }
  return size <= labelLimits.characters ? labels : (shrunk(labels, labelLimits) as Readonly<Record<string, unknown>>);
}

function hasMore(object: Readonly<Record<string, unknown>>, most: number): boolean {
  let count = 0;
  for (const _ in object) if ((count += 1) > most) return true;
  return false;
}

/** What the caller was told, and how often a provider repeated its credential. */
function warningsOf(ctx: RequestContext, history: readonly Outcome[]): readonly string[] {
  const echoes = history.filter(({ attempt }) => attempt.echoes > 0);
  if (ctx.warnings.length === 0 && echoes.length === 0) return ctx.warnings;
  const ours = echoes.map(
    ({ attempt: { binding, echoes: times } }) => `Provider "${binding.slug}" repeated its credential in the response (${times}×): hidden.`,
  );
  return first([...ours, ...ctx.warnings], most.warnings).map((text) => bounded(text, limits.reason));
}
