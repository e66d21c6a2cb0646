import type { Redaction } from '../../core/redaction/index.ts';
import { traitsOf } from '../../core/endpoint.ts';
import { emptyRecord } from '../../core/records/empty.ts';
import { isJsonObject } from '../../core/json/merge.ts';
import { requestsEvents } from '../../core/model/requested-model.ts';
import { type Attempt, cacheStatusOf, isIntercepted, isSuccess, type Outcome, statusOf } from '../../core/plan.ts';
import { retryAfterMs } from '../../core/provider/retry-after.ts';
import type { AttemptRecord, LogRecord } from '../../core/records/record.ts';
import type { Tap } from '../../core/tap.ts';
import { gatewayText } from '../../core/http/header-text.ts';
import { formatTraceparent, parseTraceparent } from '../../core/http/trace.ts';
import { spanIdOf } from '../../core/records/span-ids.ts';
import { errorOf } from '../response/errors.ts';
import type { Execution } from '../execute.ts';
import { overruledIn } from './overruled.ts';
import { bounded, boundedOrNull, boundedTexts, firstItems, limits, shrinkIfNeeded } from './bounds.ts';
import { type Ending, Messages } from './messages.ts';
import { type Policy, policyOf, sampled } from './policy.ts';
import { RecordMasker } from './record-masker.ts';
import type { Charge, RequestContext } from '../request.ts';
import type { MayMask, FullRecord } from './group-commit.ts';
import { unadmittedRecord } from './unadmitted.ts';
import { chargeFor, tapOf } from './usage.ts';

const none: Readonly<Record<string, never>> = Object.freeze({});

/** Maximum length of each list in a record. */
const maxItems = { route: 16, plugins: 64, dropped: 32, warnings: 16, finish: 16 } as const;

/** Builds the record of a finished request and collects the bodies that are stored after it. */
export function makeRecord(ctx: RequestContext, run: Execution | undefined, ending: Ending, mayMask: MayMask): FullRecord {
  if (!ctx.isAdmitted) return { record: unadmittedRecord(ctx, ending), request: [], upstream: [], response: [] };
  return admittedRecord(ctx, run, ending, ctx.charge ?? chargeFor(ctx, run?.last), mayMask);
}

function admittedRecord(ctx: RequestContext, run: Execution | undefined, ending: Ending, charged: Charge, mayMask: MayMask): FullRecord {
  const last = run?.last;
  const { attempt, tap } = lastAttemptOf(last);
  const { policy, redaction, bodies, clean } = redactionOf(ctx, ending);
  const { request, upstream, response } = messagesOf(bodies, ctx, last, ending, mayMask);
  const record: LogRecord = {
    v: 1,
    id: ctx.id,
    trace: traceRecord(ctx, clean),
    at: ctx.at,
    endpoint: ctx.calledEndpoint,
    method: ctx.method,
    path: clean.title(policy.bodies === 'none' || ctx.query === '' ? ctx.path : `${ctx.path}?${ctx.query}`, limits.path),
    stream: requestsEvents(ctx),
    status: ending.status,
    error: ending.error === null ? null : { ...ending.error, message: clean.text(ending.error.message, limits.message) },
    admitted: true,
    key: boundedOrNull(ctx.facts.caller.key?.name, limits.name),
    key_id: ctx.facts.caller.key?.id || null,
    virtual_key: (attempt === undefined ? ctx.facts.virtualKey : attempt.binding)?.virtualKey ?? null,
    config: ctx.facts.config?.name === '-' ? null : (ctx.facts.config?.name ?? null),
    prompt: promptRecord(ctx),
    revision: ctx.snapshot.revision,
    target: attempt === undefined ? null : bounded(fullPath(attempt.target.root, attempt.target.path), limits.name),
    provider: attempt?.binding.slug ?? null,
    type: attempt?.binding.provider.type ?? null,
    model: modelRecord(ctx, attempt, tap, clean),
    foundation_model: boundedOrNull(attempt?.call?.foundationModel, limits.name),
    attempts: attemptRecords(run, clean, ending.kept === undefined ? 0 : ending.totalMs),
    ms: timesRecord(ending),
    usage: charged.usage,
    cost: charged.cost,
    finish: firstItems(tap?.finish ?? [], maxItems.finish).map((text) => bounded(text, limits.id)),
    response_id: boundedOrNull(tap?.id, limits.id),
    lane: isRelayed(ctx) && attempt !== undefined ? 'relay' : (attempt?.lane ?? 'none'),
    cache: cacheStatusOf(last),
    guardrails: [],
    notes: clean.notes(ctx.notes),
    metadata: clean.texts(boundedTexts(metadataOf(ctx, attempt))),
    labels: clean.value(labelsOf(ctx, attempt?.target.override, policy)),
    client: { ip: ctx.peer ?? null, agent: boundedOrNull(ctx.headers.get('user-agent'), limits.agent) },
    bytes: { in: ctx.received.kind === 'json' ? ctx.received.size : ending.bytesIn, out: ending.bytesOut },
    socket: ending.socket ?? null,
    end: ending.end,
    preview: bodies.preview,
    request,
    upstream,
    response,
    plugins: firstItems(ctx.plugins, maxItems.plugins),
    strict: attempt?.call?.strict ?? true,
    dropped: droppedOf(attempt),
    warnings: warningsOf(ctx, run?.history ?? []),
    overruled: attempt === undefined ? [] : overruledIn(ctx, attempt),
    random: ctx.random,
    route: routeOf(ctx, attempt),
    bodies: policy.bodies,
    redactions: redaction.counts,
  };
  return { record, ...bodies.parts, later: bodies.later(record, ctx.snapshot.log.redactor) };
}

const lastAttemptOf = (last: Outcome | undefined): { readonly attempt: Attempt | undefined; readonly tap: Tap | undefined } => ({
  attempt: last?.attempt,
  tap: tapOf(last),
});

/** The routing choices that led to the target. Most configs have none. */
function routeOf({ facts }: RequestContext, attempt: Attempt | undefined): LogRecord['route'] {
  const steps = facts.traversal?.route;
  if (steps === undefined || attempt === undefined) return emptyRecord.route;
  const { root } = attempt.target;
  return firstItems(steps, maxItems.route).map((step) => ({
    ...step,
    node: bounded(fullPath(root, step.node), limits.name),
    because: bounded(step.because, limits.name),
  }));
}

/** The policy for what this request may store, and the objects that apply it. */
function redactionOf(ctx: RequestContext, ending: Ending): { policy: Policy; redaction: Redaction; bodies: Messages; clean: RecordMasker } {
  const policy = sampled(ctx, policyOf(ctx), ending);
  const { redactor, maxBody } = ctx.snapshot.log;
  const redaction = redactor.begin(maxBody);
  const clean = new RecordMasker(redaction, policy);
  return { policy, redaction, bodies: new Messages(ctx, policy, redaction, clean), clean };
}

/**
 * Returned as three members, not spread into the record: V8 defines members after a spread one by one, which costs as
 * much as all the others together.
 */
function messagesOf(
  bodies: Messages,
  ctx: RequestContext,
  last: Outcome | undefined,
  ending: Ending,
  mayMask: MayMask,
): Pick<LogRecord, 'request' | 'upstream' | 'response'> {
  bodies.decideDeferral(ctx, last, ending, mayMask);
  return {
    request: bodies.request(ctx),
    upstream: bodies.upstream(ctx, isIntercepted(last) ? undefined : last?.attempt.upstream),
    response: bodies.response(last, ending),
  };
}

function promptRecord({ facts: { prompt } }: RequestContext): LogRecord['prompt'] {
  return prompt === undefined ? null : { id: prompt.used.version.id, version: prompt.used.version.number, label: prompt.used.label };
}

const isRelayed = ({ received }: RequestContext): boolean => received.kind === 'passing' || received.kind === 'socket';

function modelRecord(ctx: RequestContext, attempt: Attempt | undefined, tap: Tap | undefined, clean: RecordMasker): LogRecord['model'] {
  const { state, objectOfModel } = traitsOf(ctx.endpoint);
  // A request about a file, batch or job names no model, although a provider with deployments has one for it.
  const usesNone = attempt?.model === '' && state !== undefined && objectOfModel !== true;
  const sent = usesNone ? undefined : attempt?.call?.model;
  return {
    asked: boundedOrNull(clean.model(ctx.requestedModel), limits.name),
    sent: boundedOrNull(sent === undefined ? undefined : clean.model(sent), limits.name),
    // This value becomes a metric label, and a provider can repeat in it what was sent.
    answered: boundedOrNull(typeof tap?.model === 'string' ? clean.model(tap.model) : undefined, limits.name),
  };
}

function timesRecord({ totalMs, firstEventMs, overheadMs }: Ending): LogRecord['ms'] {
  return { total: round(totalMs), first_event: firstEventMs === null ? null : round(firstEventMs), overhead: overheadMs };
}

/** Trace headers of the caller take precedence over `traceparent`. With `traceparent`, the gateway's span is part of that trace. */
function traceRecord(ctx: RequestContext, clean: RecordMasker): LogRecord['trace'] {
  const { headers } = ctx;
  const name = gatewayText(headers, 'spanName');
  const continued = parseTraceparent(headers.get('traceparent'));
  return {
    trace_id: bounded(ctx.traceId, limits.id),
    span_id: boundedOrNull(gatewayText(headers, 'spanId'), limits.id) ?? (continued === undefined ? null : spanIdOf(ctx.id)),
    parent: boundedOrNull(gatewayText(headers, 'parentSpanId'), limits.id) ?? continued?.parentId ?? null,
    span_name: name === '' ? null : clean.title(name, limits.id),
    traceparent: continued === undefined ? null : formatTraceparent(continued, continued.parentId),
  };
}

function fullPath(root: string, path: string): string {
  return root + path.slice('config'.length);
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** @param end end of a response that flowed, in milliseconds from the arrival, else 0: the outcome is known before its bytes have passed */
function attemptRecords(run: Execution | undefined, clean: RecordMasker, end: number): AttemptRecord[] {
  if (run === undefined) return [];
  return run.attempts.map((outcome) =>
    attemptRecord(outcome, run.reasonOf(outcome), clean, { end: outcome === run.last ? end : 0, arrived: run.ctx.at }),
  );
}

function attemptRecord(
  outcome: Outcome,
  because: string | undefined,
  clean: RecordMasker,
  { end, arrived }: { readonly end: number; readonly arrived: number },
): AttemptRecord {
  const { attempt, times } = outcome;
  const n = attempt.index;
  const answered = outcome.kind === 'answered';
  return {
    n,
    target: bounded(attempt.target.path, limits.id),
    provider: attempt.binding.slug,
    model: bounded(clean.model(attempt.model), limits.name),
    at: round(times.at),
    connect_ms: times.connectMs === undefined ? null : round(times.connectMs),
    first_byte_ms: times.firstByteMs === undefined ? null : round(times.firstByteMs),
    total_ms: round(answered ? Math.max(times.totalMs, end - times.at) : times.totalMs),
    outcome: outcome.kind,
    status: answered ? statusOf(outcome) : null,
    upstream_id: answered ? boundedOrNull(upstreamId(outcome.reply.headers), limits.id) : null,
    reason: isSuccess(outcome) ? null : clean.text(attemptReason(outcome, because), n < 8 ? limits.reason : limits.id),
    retry_after_ms: isSuccess(outcome) ? null : (requestedDelay(outcome, arrived) ?? null),
  };
}

/** The verdict on an attempt and the error in it. */
function attemptReason(outcome: Outcome, because: string | undefined): string {
  if (because !== undefined && outcome.kind === 'skipped') return because;
  const { message } = errorOf(outcome);
  return because === undefined ? message : `${because}: ${message}`;
}

/** How long the provider asked to wait, from a header or else the error body, as for a retry. @param arrived Unix milliseconds */
function requestedDelay(outcome: Outcome, arrived: number): number | undefined {
  if (outcome.kind === 'faulty') return outcome.fault.provider?.retryAfterMs;
  if (outcome.kind !== 'answered') return undefined;
  const { attempt, times, reply } = outcome;
  const { status, headers, body } = reply;
  return (
    retryAfterMs(headers, arrived + times.at + times.totalMs) ??
    attempt.binding.provider.fault(status, body.toString('utf8'), headers)?.retryAfterMs
  );
}

function upstreamId(headers: Readonly<Record<string, string>>): string | undefined {
  return headers['x-request-id'] ?? headers['apim-request-id'] ?? headers['request-id'];
}

function droppedOf(attempt: Attempt | undefined): LogRecord['dropped'] {
  const dropped = attempt?.upstream?.dropped ?? [];
  if (dropped.length === 0) return dropped;
  return firstItems(dropped, maxItems.dropped).map(({ param, reason }) => ({
    param: bounded(param, limits.id),
    reason: bounded(reason, limits.name),
  }));
}

/** Later sources override earlier ones: the request overrides its key or token, which overrides what the request selected. */
function metadataOf({ facts, metadata }: RequestContext, attempt: Attempt | undefined): Readonly<Record<string, string>> {
  return {
    ...facts.prompt?.used.version.metadata,
    ...facts.config?.metadata,
    ...attempt?.binding.metadata,
    ...facts.caller.key?.metadata,
    ...metadata,
  };
}

/** Maximum size of the labels that the record keeps. */
const labelLimits = { members: 64, characters: 4096, levels: 4 } as const;

/** Labels of the body, overridden by those of the config, the same as what a provider that supports labels receives. */
function labelsOf(
  ctx: RequestContext,
  override: Readonly<Record<string, unknown>> | undefined,
  { bodies }: Policy,
): Readonly<Record<string, unknown>> {
  const { body } = ctx;
  const bodyLabels = body.kind === 'json' && bodies !== 'none' ? body.value('labels') : undefined;
  const ofConfig = isJsonObject(override?.['labels']) ? override['labels'] : undefined;
  if (!isJsonObject(bodyLabels)) return ofConfig === undefined ? none : boundedLabels(ofConfig);
  return boundedLabels(hasMoreThan(bodyLabels, labelLimits.members) ? (ofConfig ?? none) : { ...bodyLabels, ...ofConfig });
}

const boundedLabels = (labels: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  shrinkIfNeeded(labels, labelLimits) as Readonly<Record<string, unknown>>;

function hasMoreThan(object: Readonly<Record<string, unknown>>, most: number): boolean {
  let count = 0;
  for (const _ in object) if ((count += 1) > most) return true;
  return false;
}

/** The warnings that the caller received, and how often a response contained the provider's credential. */
function warningsOf(ctx: RequestContext, history: readonly Outcome[]): readonly string[] {
  const echoes = history.filter(({ attempt }) => attempt.echoes > 0);
  if (ctx.warnings.length === 0 && echoes.length === 0) return ctx.warnings;
  const echoWarnings = echoes.map(
    ({ attempt: { binding, echoes: times } }) =>
      `The response of provider "${binding.slug}" contained its credential (${times}×). It was masked.`,
  );
  return firstItems([...echoWarnings, ...ctx.warnings], maxItems.warnings).map((text) => bounded(text, limits.reason));
}
