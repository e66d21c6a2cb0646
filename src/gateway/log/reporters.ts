import { errorCode } from '../../core/text/error-code.ts';
import type { LossReport } from '../../store/frame.ts';
import type { Log } from '../../telemetry/log.ts';
import { CurrentProblems } from '../observe/current-problems.ts';

/** Minimum time between two log lines of the same kind, in milliseconds. */
const quietMs = 10_000;

/** Returns a function that returns true at most once per interval. */
export function onceEvery(ms: number, monotonic: () => number): () => boolean {
  let at = Number.NEGATIVE_INFINITY;
  return () => {
    const now = monotonic();
    if (now - at < ms) return false;
    at = now;
    return true;
  };
}

/** Returns a reporter that logs a recurring error at most once per interval. */
export function errorReporter(log: Pick<Log, 'error'>, monotonic: () => number, message: string): (error: unknown) => void {
  const isDue = onceEvery(quietMs, monotonic);
  return (error) => {
    if (isDue()) log.error({ err: error }, message);
  };
}

/** For failed accepts: without free file descriptors, the process accepts no connections, and the error repeats. */
export const acceptReporter = (log: Log, monotonic: () => number): ((error: Error) => void) =>
  errorReporter(log, monotonic, 'a connection could not be accepted');

/** For large bodies that could not be masked. Their records are stored without them. */
export const maskingReporter = (log: Log, monotonic: () => number): ((error: unknown) => void) =>
  errorReporter(log, monotonic, 'the thread that masks bodies failed, so that a record is stored without its bodies; it is started again');

/** Returns a reporter for rejected client connections, which logs their number at most once per interval. */
export function rejectionReporter(log: Pick<Log, 'warn'>, monotonic: () => number): (limit: number, hint: string) => void {
  const isDue = onceEvery(quietMs, monotonic);
  let rejected = 0;
  return (limit, hint) => {
    rejected += 1;
    if (!isDue()) return;
    log.warn({ rejected, limit, hint }, 'client connections are rejected: the limit is reached');
    rejected = 0;
  };
}

/**
 * Logs failed spool writes at error level, at most once per interval. While records are being lost, `notes` says so.
 *
 * @param notes lists of current deviations from the configuration, kept up to date
 */
export function dropReporter(
  log: Log,
  monotonic: () => number,
  notes: readonly string[][],
): { onDrop(drop: LossReport): void; onRecovered(): void } {
  let loggedAt = Number.NEGATIVE_INFINITY;
  const problems = new CurrentProblems(notes);
  const onRecovered = (): void => {
    problems.show([]);
    loggedAt = Number.NEGATIVE_INFINITY;
    log.warn({}, 'records can be written to the spool again');
  };
  const onDrop = (drop: LossReport): void => {
    if (drop.why === 'write' && problems.shown.length === 0) {
      problems.show([`Records are lost: the spool cannot be written (${errorCode(drop.error) || drop.error.message}).`]);
      // Also when a line about a full spool was logged within the interval.
      loggedAt = Number.NEGATIVE_INFINITY;
    }
    const now = monotonic();
    if (now - loggedAt < quietMs) return;
    loggedAt = now;
    if (drop.why === 'write')
      log.error({ err: drop.error, records: drop.frames }, 'records could not be written to the spool and are lost');
    else log.warn({ segment: drop.segment, bytes: drop.bytes }, 'the spool is full: its oldest segment was dropped');
  };
  return { onDrop, onRecovered };
}

/** Keeps `notes` in step with the problems of the request log, and logs new ones. */
export function problemReporter(notes: readonly string[][], log: Log): (problems: readonly string[]) => void {
  const current = new CurrentProblems(notes);
  return (problems) => {
    for (const problem of problems) if (!current.shown.includes(problem)) log.warn({}, problem);
    if (problems.length === 0 && current.shown.length > 0) log.warn({}, 'the store of the request log works again');
    current.show(problems);
  };
}

/** Faults in the outbound layer that do not belong to a single request. */
export const outboundReporters = (log: Log) => ({
  onTokenFault: (error: unknown) => log.warn({ err: error }, 'a token could not be renewed; the old one is used until it expires'),
  onKeysFault: (error: unknown) => log.warn({ err: error }, "the public keys of the tokens' issuer could not be fetched"),
});
