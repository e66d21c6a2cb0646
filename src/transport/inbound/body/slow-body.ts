import { GatewayError } from '../../../core/error.ts';
import { formatDuration } from '../../../core/text/units.ts';

/** Maximum pause of a client within its body, in milliseconds. */
const silenceMs = 60_000;
/** After this time the minimum average rate is enforced. */
const graceMs = 60_000;
/** Minimum average rate in bytes per second. A slower client is not using a slow network, but keeps the connection open on purpose. */
const leastRate = 1024;

/** Progress of a body transfer. Times in milliseconds. */
export interface BodyProgress {
  /** Time since the last bytes arrived. */
  readonly silentMs: number;
  /** Total time spent waiting for the client since the start of the body. */
  readonly waitedMs: number;
  readonly bytes: number;
  /** Limit of `waitedMs`; infinite for bodies that are not held in memory. */
  readonly limitMs: number;
}

/** Returns the error for a body that arrives too slowly; otherwise undefined. */
export function slowBodyFault({ silentMs, waitedMs, bytes, limitMs }: BodyProgress): GatewayError | undefined {
  if (silentMs > silenceMs) {
    return new GatewayError('timeout', { message: `The body of the request did not arrive in time: no data for ${silenceMs / 1000} s.` });
  }
  if (waitedMs > limitMs) {
    return new GatewayError('timeout', {
      message: `The body of the request did not arrive within ${formatDuration(limitMs)}.`,
      hint: 'Send the body faster, or raise server.body_timeout.',
    });
  }
  if (waitedMs <= graceMs || bytes >= (waitedMs / 1000) * leastRate) return undefined;
  return new GatewayError('timeout', {
    message: `The body of the request arrives too slowly: ${bytes} bytes in ${formatDuration(waitedMs)}.`,
    hint: `Send at least ${leastRate} bytes a second.`,
  });
}
