import { sha256 } from '../secrets/sha256.ts';

/** Content of `traceparent` (W3C Trace Context 3.2). */
export interface TraceParent {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits: the span that sent the request. */
  readonly parentId: string;
  /** Two hex digits. */
  readonly flags: string;
}

const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zeros = /^0+$/;

/** Parses a `traceparent`; returns undefined for an invalid one, which is treated as absent (W3C Trace Context 4.3). */
export function parseTraceparent(value: string | undefined): TraceParent | undefined {
  if (value === undefined) return undefined;
  const [, version, traceId = '', parentId = '', flags = '', more] = traceparentPattern.exec(value) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return zeros.test(traceId) || zeros.test(parentId) ? undefined : { traceId, parentId, flags };
}

/** Formats the `traceparent` of a request that the gateway sends. */
export const formatTraceparent = ({ traceId, flags }: TraceParent, spanId: string): string => `00-${traceId}-${spanId}-${flags}`;

const traceIdPattern = /^[0-9a-f]{32}$/;

/**
 * Returns a trace ID that tracing systems accept: the caller's own if it is valid (or a UUID), else a hash of its text,
 * so that requests of one trace stay together.
 */
export function w3cTraceId(traceId: string): string {
  if (traceIdPattern.test(traceId)) return zeros.test(traceId) ? hashed(traceId) : traceId;
  const plain = traceId.replaceAll('-', '').toLowerCase();
  return traceIdPattern.test(plain) && !zeros.test(plain) ? plain : hashed(traceId);
}

const hashed = (text: string): string => sha256(text).slice(0, 32);

/**
 * Number of random digits of a trace ID (W3C Trace Context 2, "random trace id"), and the number of their values; 48
 * bits are exact in a number.
 */
const digits = 12;
const values = 2 ** 48;

/**
 * Sampling decision for a trace that starts here, made from the trace ID alone, so that every service that does the
 * same gets the same result. @param ratio 0 to 1
 */
export const isSampledId = (traceId: string, ratio: number): boolean =>
  ratio >= 1 || (ratio > 0 && Number.parseInt(traceId.slice(-digits), 16) < ratio * values);

/** True if the caller has sampled the trace. */
export const isSampledFlag = ({ flags }: TraceParent): boolean => (Number.parseInt(flags, 16) & 1) === 1;
