import type { LogRecord, MessageRecord } from '../../core/records/record.ts';
import { isSampledFlag, isSampledId, parseTraceparent, w3cTraceId } from '../../core/http/trace.ts';
import { attemptSpanId, spanIdOf } from '../../core/records/span-ids.ts';

/** A record on its way out, with the messages that go along. */
export interface Exported {
  readonly record: LogRecord;
  /** Texts as the record keeps them; undefined where none go along. */
  readonly request: string | undefined;
  readonly response: string | undefined;
}

/** What encoding depends on beside the record. */
export interface EncodeSettings {
  readonly version: string;
  /** Names this process among others. */
  readonly instance: string;
  readonly resource: Readonly<Record<string, string>>;
  /** Names of providers in the conventions, by slug and by type. */
  readonly providerNames: Readonly<Record<string, string>>;
}

/** A record with nothing of what was said: the last message in one line, and members of the body that were written differently. */
export const withoutContent = (record: LogRecord): LogRecord => ({ ...record, preview: null, upstream: withoutPatch(record.upstream) });

const withoutPatch = (message: MessageRecord): MessageRecord =>
  message.body === null ? message : { ...message, body: { ...message.body, patch: null } };

/** Where a request is in its trace. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  attempt(index: number): string;
}

const spanForm = /^(?!0{16})[0-9a-f]{16}$/;

/** The trace of the caller's `traceparent`, else that of the record; ids that no tracing system accepts are made anew from it. */
export function placeOf({ id, trace }: Pick<LogRecord, 'id' | 'trace'>): TraceContext {
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

/** The caller's decision holds where it made one. */
export function isSampled({ trace }: Pick<LogRecord, 'trace'>, ratio: number): boolean {
  const parent = parseTraceparent(trace.traceparent ?? undefined);
  return parent === undefined ? isSampledId(w3cTraceId(trace.trace_id), ratio) : isSampledFlag(parent);
}

/** The gateway or a provider failed. A request that the client got wrong is no failure; a response that broke off is, whatever its status. */
export const isFailure = ({ status, end }: Pick<LogRecord, 'status' | 'end'>): boolean =>
  status >= 500 || (status < 400 && (end === 'fault' || end === 'drained'));
