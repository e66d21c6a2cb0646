import type { Gateway } from '../gateway-types.ts';
import type { Log } from '../telemetry/log.ts';

interface StopDeps {
  readonly log: Log;
  /** Requests that were served so far, for the last line. */
  served(): number;
}

/** Exit codes of a process that was ended by these signals, as shells count them. */
const codes = { SIGINT: 130, SIGTERM: 143 } as const;
type Stop = keyof typeof codes;

/**
 * Follows the signals of a serving gateway: SIGHUP reloads, SIGTERM and SIGINT drain, and a second one of these ends at
 * once. Resolves to the exit code when it has stopped: 0 after a drain.
 */
export async function untilStopped(gateway: Gateway, { log, served }: StopDeps): Promise<number> {
  const onHangUp = (): void => void gateway.reload();
  const onDefect = (error: unknown): void => {
    log.error({ err: error }, 'the gateway ends on a defect');
    log.flush();
    process.exit(1);
  };
  process.on('SIGHUP', onHangUp);
  process.on('uncaughtException', onDefect);
  const first = await nextStop();
  log.news(`stopping on ${first}: running answers are finished, a second signal ends at once`, { signal: first }, 'stopping');
  const second = nextStop();
  const code = await Promise.race([gateway.drain().then(() => 0), second.then(async (signal) => (await gateway.close(), codes[signal]))]);
  process.off('SIGHUP', onHangUp);
  process.off('uncaughtException', onDefect);
  log.news(`stopped · ${served()} request${served() === 1 ? '' : 's'} served`, { served: served() }, 'stopped');
  return code;
}

function nextStop(): Promise<Stop> {
  return new Promise((resolve) => {
    const onSignal = (signal: NodeJS.Signals): void => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
      resolve(signal as Stop);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}
