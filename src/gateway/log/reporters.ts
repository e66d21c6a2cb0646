import { errorCode } from '../../core/text/error-code.ts';
import type { Drop } from '../../store/frame.ts';
import type { Log } from '../../telemetry/log.ts';

/** Shortest time between two lines of the same kind, in milliseconds. */
const quietMs = 10_000;

/** Logs an error that may come again and again, once in a while. */
export function errorReporter(log: Log, monotonic: () => number, message: string): (error: unknown) => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    const now = monotonic();
    if (now - saidAt < quietMs) return;
    saidAt = now;
    log.error({ err: error }, message);
  };
}

/** A process without file descriptors accepts nobody, until some are free again. */
export const acceptReporter = (log: Log, monotonic: () => number): ((error: Error) => void) =>
  errorReporter(log, monotonic, 'a connection could not be accepted');

/**
 * A failing disk is loud, but not once a request. While records are lost, `notes` say so.
 *
 * @param notes lists of what is not as it was asked for, kept up to date
 */
export function dropReporter(
  log: Log,
  monotonic: () => number,
  notes: readonly string[][],
): { onDrop(drop: Drop): void; onRecovered(): void } {
  let saidAt = Number.NEGATIVE_INFINITY;
  let shown: string | undefined;
  const show = (problem: string | undefined): void => {
    for (const list of notes) {
      const index = shown === undefined ? -1 : list.indexOf(shown);
      if (index >= 0) list.splice(index, 1);
      if (problem !== undefined) list.push(problem);
    }
    shown = problem;
  };
  const onRecovered = (): void => {
    show(undefined);
    saidAt = Number.NEGATIVE_INFINITY;
    log.warn({}, 'records can be written to the spool again');
  };
  const onDrop = (drop: Drop): void => {
    if (drop.why === 'write' && shown === undefined) {
      show(`Records are lost: the spool cannot be written (${errorCode(drop.error) || drop.error.message}).`);
      // Also where a line about room was written just now.
      saidAt = Number.NEGATIVE_INFINITY;
    }
    const now = monotonic();
    if (now - saidAt < quietMs) return;
    saidAt = now;
    if (drop.why === 'write')
      log.error({ err: drop.error, records: drop.frames }, 'records could not be written to the spool and are lost');
    else log.warn({ segment: drop.segment, bytes: drop.bytes }, 'the spool is full: its oldest segment was dropped');
  };
  return { onDrop, onRecovered };
}

/** Keeps `notes` as the request log stands, and logs what is new. */
export function problemReporter(notes: string[], log: Log): (problems: readonly string[]) => void {
  let shown: readonly string[] = [];
  return (problems) => {
    for (const problem of problems) if (!shown.includes(problem)) log.warn({}, problem);
    if (problems.length === 0 && shown.length > 0) log.warn({}, 'the store of the request log works again');
    for (const old of shown) {
      const index = notes.indexOf(old);
      if (index >= 0) notes.splice(index, 1);
    }
    notes.push(...problems);
    shown = problems;
  };
}

/** What goes wrong beside requests on the way to providers. */
export const outboundReporters = (log: Log) => ({
  onTokenFault: (error: unknown) => log.warn({ err: error }, 'a token could not be renewed; the old one is used until it expires'),
  onKeysFault: (error: unknown) => log.warn({ err: error }, "the public keys of the tokens' issuer could not be fetched"),
});
