import type { AttemptRecord, LogRecord } from '../../core/records/record.ts';
import { errorTypeOf } from '../error-type.ts';
import { operationOf } from '../operation.ts';
import { messagesOf } from './content/index.ts';
import { type ExportedRecord, type EncodeSettings, isFailure, traceContextOf, type TraceContext } from './exported-record.ts';
import { attr } from './names.ts';
import { type Attribute, attributesOf, double, type KeyValue, nanos } from './values.ts';

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 2: server, 3: client. */
  readonly kind: 2 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly status: { readonly code?: 2; readonly message?: string };
}

/** Returns the spans of a finished request: a server span for the request, and a client span per attempt. */
export function spansOf(exported: ExportedRecord, settings: EncodeSettings): readonly Span[] {
  const context = traceContextOf(exported.record);
  const { attempts } = exported.record;
  return [serverSpan(exported.record, context), ...attempts.map((attempt) => attemptSpan(exported, attempt, context, settings))];
}

function serverSpan(record: LogRecord, { traceId, spanId, parentSpanId }: TraceContext): Span {
  const route = routeOf(record);
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name: record.trace.span_name ?? (route === undefined ? record.method : `${record.method} ${route}`),
    kind: 2,
    startTimeUnixNano: nanos(record.at),
    endTimeUnixNano: nanos(record.at, record.ms.total),
    attributes: [...attributesOf(requestAttributes(record)), ...metadataOf(record), ...pluginTimes(record)],
    status: isFailure(record) ? failed(record.error?.message) : {},
  };
}

const routeOf = ({ endpoint }: LogRecord): string | undefined => (endpoint === 'relay' ? undefined : `/v1/${endpoint}`);

/** Attributes of the request as a whole, used in the server span and in the log record. */
export function requestAttributes(record: LogRecord): Readonly<Record<string, Attribute>> {
  const { error, usage } = record;
  const at = record.path.indexOf('?');
  const [path, query] = at < 0 ? [record.path, undefined] : [record.path.slice(0, at), record.path.slice(at + 1)];
  return {
    [attr.method]: record.method,
    [attr.route]: routeOf(record),
    // Required by the conventions. The gateway itself does not use TLS.
    [attr.scheme]: 'http',
    [attr.path]: path,
    [attr.query]: query,
    [attr.status]: record.status,
    [attr.client]: record.client.ip,
    [attr.agent]: record.client.agent,
    [attr.errorType]: error?.code,
    'gateway.request_id': record.id,
    'gateway.trace_id': record.trace.trace_id,
    'gateway.span_name': record.trace.span_name,
    'gateway.endpoint': record.endpoint,
    'gateway.end': record.end,
    'gateway.stream': record.stream,
    'gateway.key': record.key,
    'gateway.virtual_key': record.virtual_key,
    'gateway.config': record.config,
    'gateway.revision': record.revision,
    'gateway.target': record.target,
    'gateway.provider': record.provider,
    'gateway.model': record.model.sent ?? record.model.asked,
    'gateway.prompt': record.prompt?.id,
    'gateway.attempts': record.attempts.length,
    'gateway.cache': record.cache,
    'gateway.lane': record.lane,
    'gateway.error_source': error?.source,
    'gateway.error_message': error?.message,
    'gateway.first_event_ms': double(record.ms.first_event),
    'gateway.overhead_ms': double(record.ms.overhead),
    'gateway.usage_source': usage.source === 'none' ? null : usage.source,
    'gateway.tokens_in': usage.source === 'none' ? null : usage.prompt,
    'gateway.tokens_out': usage.source === 'none' ? null : usage.completion,
    'gateway.cost_usd': double(record.cost.usd === null ? null : Number(record.cost.usd)),
  };
}

export function metadataOf({ metadata }: LogRecord): readonly KeyValue[] {
  return Object.entries(metadata).map(([key, stringValue]) => ({ key: `gateway.metadata.${key}`, value: { stringValue } }));
}

/** Returns the duration of each plugin in milliseconds. A plugin that runs in several attempts is counted with the sum. */
function pluginTimes({ plugins }: LogRecord): readonly KeyValue[] {
  const times = new Map<string, number>();
  for (const { name, moment, ms } of plugins) times.set(`${name}.${moment}`, (times.get(`${name}.${moment}`) ?? 0) + ms);
  return [...times].map(([name, doubleValue]) => ({ key: `gateway.plugin.${name}_ms`, value: { doubleValue } }));
}

function attemptSpan(exported: ExportedRecord, attempt: AttemptRecord, context: TraceContext, { providerNames }: EncodeSettings): Span {
  const { record } = exported;
  const operation = operationOf(record.endpoint);
  const isLast = attempt === record.attempts.at(-1);
  const error = isLast ? record.error : null;
  const errorType = errorTypeOf(attempt, error);
  return {
    traceId: context.traceId,
    spanId: context.attempt(attempt.n),
    parentSpanId: context.spanId,
    name: `${operation ?? record.endpoint} ${attempt.model}`.trim(),
    kind: 3,
    startTimeUnixNano: nanos(record.at, attempt.at),
    endTimeUnixNano: nanos(record.at, attempt.at + attempt.total_ms),
    attributes: attributesOf({
      ...(operation === undefined ? {} : { [attr.operation]: operation }),
      [attr.provider]: operation === undefined ? null : (providerNames[attempt.provider] ?? attempt.provider),
      [attr.requestModel]: attempt.model === '' ? null : attempt.model,
      [attr.requestStream]: operation === undefined ? null : record.stream,
      [attr.status]: attempt.status,
      [attr.firstChunk]: double(record.stream && attempt.first_byte_ms !== null ? attempt.first_byte_ms / 1000 : null),
      ...(isLast && operation !== undefined ? answerAttributes(exported) : {}),
      [attr.errorType]: errorType,
      'gateway.provider': attempt.provider,
      'gateway.target': attempt.target,
      'gateway.attempt': attempt.n,
      'gateway.outcome': attempt.outcome,
      'gateway.reason': attempt.reason,
      'gateway.upstream_request_id': attempt.upstream_id,
      'gateway.connect_ms': double(attempt.connect_ms),
    }),
    status: errorType === undefined ? {} : failed(attempt.reason ?? error?.message),
  };
}

function answerAttributes(exported: ExportedRecord): Readonly<Record<string, Attribute>> {
  const { record } = exported;
  const { usage, finish } = record;
  const isCounted = usage.source !== 'none';
  const messages = messagesOf(exported);
  return {
    [attr.responseModel]: record.model.answered,
    [attr.responseId]: record.response_id,
    [attr.finishReasons]: finish.length === 0 ? null : finish,
    [attr.inputTokens]: isCounted ? usage.prompt : null,
    [attr.outputTokens]: isCounted ? usage.completion : null,
    [attr.cacheReadTokens]: usage.cached > 0 ? usage.cached : null,
    [attr.cacheWriteTokens]: usage.cache_write > 0 ? usage.cache_write : null,
    [attr.reasoningTokens]: usage.reasoning > 0 ? usage.reasoning : null,
    [attr.promptName]: record.prompt?.id,
    [attr.systemInstructions]: messages.system,
    [attr.inputMessages]: messages.input,
    [attr.outputMessages]: messages.output,
  };
}

const failed = (message: string | undefined): Span['status'] => (message === undefined ? { code: 2 } : { code: 2, message });
