import type { LogRecord, MessageRecord } from '../../core/records/record.ts';
import { isSampledFlag, isSampledId, parseTraceparent, w3cTraceId } from '../../core/http/trace.ts';
import { attemptSpanId, spanIdOf } from '../../core/records/span-ids.ts';

/** A record to export, with its messages. */
export interface ExportedRecord {
  readonly record: LogRecord;
  /** Texts as stored in the record; undefined if not exported. */
  readonly request: string | undefined;
  readonly response: string | undefined;
}

/** Settings for the encoding. */
export interface EncodeSettings {
  readonly version: string;
  /** Identifies this process among others. */
  readonly instance: string;
  readonly resource: Readonly<Record<string, string>>;
  /** Provider names in the conventions, by slug and by type. */
  readonly providerNames: Readonly<Record<string, string>>;
}

/** Returns the record without message content: without the preview of the last message and the changed members of the body. */
export const withoutContent = (record: LogRecord): LogRecord => ({ ...record, preview: null, upstream: withoutPatch(record.upstream) });

const withoutPatch = (message: MessageRecord): MessageRecord =>
  message.body === null ? message : { ...message, body: { ...message.body, patch: null } };

/** Position of a request in its trace. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  attempt(index: number): string;
}

const spanForm = /^(?!0{16})[0-9a-f]{16}$/;

/**
 * Returns the trace of the caller's `traceparent`, or else that of the record. Ids that tracing systems don't accept are replaced by
 * ids derived from the record.
 */
export function traceContextOf({ id, trace }: Pick<LogRecord, 'id' | 'trace'>): TraceContext {
  const parent = parseTraceparent(trace.traceparent ?? undefined);
  const attempt = (index: number): string => attemptSpanId(id, index);
  if (parent !== undefined) return { traceId: parent.traceId, spanId: spanIdOf(id), parentSpanId: parent.parentId, attempt };
  return {
    traceId: w3cTraceId(trace.trace_id),
    spanId: spanForm.test(trace.span_id ?? '') ? (trace.span_id as string) : spanIdOf(id),
    parentSpanId: spanForm.test(trace.parent ?? '') ? (trace.parent as string) : undefined,
    attempt,
  };
}

/** The caller's sampling decision, if any, takes precedence. */
export function isSampled({ trace }: Pick<LogRecord, 'trace'>, ratio: number): boolean {
  const parent = parseTraceparent(trace.traceparent ?? undefined);
  return parent === undefined ? isSampledId(w3cTraceId(trace.trace_id), ratio) : isSampledFlag(parent);
}

/** True if the gateway or a provider failed. An invalid request is not a failure; a response that broke off is, whatever its status. */
export const isFailure = ({ status, end }: Pick<LogRecord, 'status' | 'end'>): boolean =>
  status >= 500 || (status < 400 && (end === 'fault' || end === 'drained'));
