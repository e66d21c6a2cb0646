import type { GatewayError } from '../../core/error.ts';
import type { PassResult } from '../../core/pass.ts';
import type { UpstreamReply } from '../../core/plan.ts';
import type { LogRecord } from '../../core/records/record.ts';
import type { Execution } from '../execute.ts';

/** Small readings of an answer: what the record says of it, and how its body leaves. */

type Said = NonNullable<LogRecord['error']>;

export const saidOf = ({ code, source, message }: GatewayError): Said => ({ code, source, message });

export const ofProvider = (message: string): Said => ({ code: 'provider_error', source: 'provider', message });

/** How a passing answer ended, for the record. @param status of the answer */
export function passedEnd({ kind, error }: PassResult, status: number): { end: LogRecord['end']; error: LogRecord['error'] } {
  const isFault = kind !== 'whole' || status >= 400;
  const end = kind === 'client_gone' ? 'client_gone' : isFault ? 'fault' : 'whole';
  if (error !== undefined) return { end, error: saidOf(error) };
  return { end, error: end === 'fault' ? ofProvider(`status ${status}`) : null };
}

export function isEventStream({ headers, converted }: UpstreamReply): boolean {
  return (converted?.contentType ?? headers['content-type'])?.toLowerCase().startsWith('text/event-stream') === true;
}

export function bodyAllowed(status: number): boolean {
  return status !== 204 && status !== 304;
}

/** Milliseconds that were spent on attempts. */
export function upstreamMs(run: Execution | undefined): number {
  let sum = 0;
  for (const outcome of run?.history ?? []) sum += outcome.times.totalMs;
  return sum;
}

/** Milliseconds of ours until now, to the microsecond. @param elapsed milliseconds since the arrival */
export function overheadMs(elapsed: number, run: Execution | undefined): number {
  return Math.max(0, Math.round((elapsed - upstreamMs(run) - (run?.waitedMs ?? 0)) * 1000) / 1000);
}
