import type { Gateway } from '../../gateway/types.ts';
import type { Log } from '../../telemetry/log.ts';
import { type Signals, stopCodes } from './signals.ts';
import { plural } from '../../core/text/wording.ts';

interface StopDeps {
  readonly log: Log;
  readonly signals: Signals;
  /** Number of requests served so far, for the last line. */
  served(): number;
}

/**
 * Handles the signals of a running gateway: SIGHUP reloads, SIGTERM and SIGINT drain, and a second one of these stops at
 * once. Resolves to the exit code when the gateway has stopped: 0 after a drain.
 */
export async function untilStopped(gateway: Gateway, { log, signals, served }: StopDeps): Promise<number> {
  // An uncaught error affects at most one request, so the process continues. During the start, such an error still ends it.
  const onDefect = (error: unknown): void => gateway.defect(error);
  process.on('uncaughtException', onDefect);
  process.on('unhandledRejection', onDefect);
  signals.onHangUp(() => void gateway.reload());
  const first = await Promise.race([signals.stopped, gateway.shutdownRequested.then(() => 'a request to the admin API')]);
  log.announce(`stopping on ${first}: finishing running requests; a second signal stops at once`, { signal: first }, 'stopping');
  const atOnce = Promise.race([signals.stoppedAgain, gateway.shutdownRequested.then(() => signals.stopped)]).then(
    async (signal) => (await gateway.close(), stopCodes[signal]),
  );
  const code = await Promise.race([gateway.drain().then(() => 0), atOnce]);
  process.off('uncaughtException', onDefect);
  process.off('unhandledRejection', onDefect);
  log.announce(`stopped · ${plural(served(), 'request')} served`, { served: served() }, 'stopped');
  return code;
}
