import type { GatewayError } from '../../core/error.ts';
import type { UpstreamReply } from '../../core/plan.ts';
import type { LogRecord } from '../../core/records/record.ts';
import type { Execution, Span } from '../execute.ts';

/** Small functions over a response: what the record reports about it, and whether and how its body is sent. */

type RecordedError = NonNullable<LogRecord['error']>;

export const recordedError = ({ code, source, message }: GatewayError): RecordedError => ({ code, source, message });

/** @param forwarded text of the provider's error, which is recorded if the gateway forwards it */
export const recordedFault = (error: GatewayError | undefined, forwarded: string): RecordedError =>
  error === undefined ? { code: 'provider_error', source: 'provider', message: forwarded } : recordedError(error);

export function isEventStream({ headers, converted }: UpstreamReply): boolean {
  return (converted?.contentType ?? headers['content-type'])?.toLowerCase().startsWith('text/event-stream') === true;
}

export function allowsBody(status: number): boolean {
  return status !== 204 && status !== 304;
}

/** Milliseconds in which at least one attempt was in progress. */
export const upstreamMs = (run: Execution | undefined): number => (run === undefined ? 0 : coveredMs(spansOf(run)));

const spansOf = ({ history }: Execution): readonly Span[] => history.map(({ times }) => times);

/** Milliseconds spent in the gateway until now, with microsecond precision. @param elapsed milliseconds since the arrival */
export function overheadMs(elapsed: number, run: Execution | undefined): number {
  const others = run === undefined ? 0 : coveredMs(run.waits.length === 0 ? spansOf(run) : [...spansOf(run), ...run.waits]);
  return Math.max(0, Math.round((elapsed - others) * 1000) / 1000);
}

/** Attempts can overlap each other and the pauses: each millisecond counts once. */
function coveredMs(spans: readonly Span[]): number {
  if (spans.length === 1) return (spans[0] as Span).totalMs;
  let covered = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const { at, totalMs } of spans.toSorted((one, other) => one.at - other.at)) {
    covered += Math.max(0, at + totalMs - Math.max(at, end));
    end = Math.max(end, at + totalMs);
  }
  return covered;
}
