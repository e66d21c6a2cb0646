import { GatewayError } from '../../../core/error.ts';
import { formatDuration } from '../../../core/text/units.ts';

/** The longest silence of a client in the middle of its body, in milliseconds. */
const silenceMs = 60_000;
/** From then on a body has to come at the least rate on average. */
const graceMs = 60_000;
/** Bytes a second. Slower is no network that carries files, but a client that wants to stay. */
const leastRate = 1024;

/** How far a body has come. Times in milliseconds. */
export interface Progress {
  /** Since the last bytes came. */
  readonly silentMs: number;
  /** Time in which somebody waited for the client, from the beginning of the body. */
  readonly waitedMs: number;
  readonly bytes: number;
  /** Of `waitedMs`; endless for what is not held. */
  readonly limitMs: number;
}

/** Why a body is given up that arrives too slowly; undefined while it does not. */
export function lateness({ silentMs, waitedMs, bytes, limitMs }: Progress): GatewayError | undefined {
  if (silentMs > silenceMs) {
    return new GatewayError('timeout', { message: `The body of the request did not arrive: no data for ${silenceMs / 1000} s.` });
  }
  if (waitedMs > limitMs) {
    return new GatewayError('timeout', {
      message: `The body of the request did not arrive within ${formatDuration(limitMs)}.`,
      hint: 'Setting: server.body_timeout',
    });
  }
  if (waitedMs <= graceMs || bytes >= (waitedMs / 1000) * leastRate) return undefined;
  return new GatewayError('timeout', {
    message: `The body of the request arrives too slowly: ${bytes} bytes in ${formatDuration(waitedMs)}.`,
    hint: `Send at least ${leastRate} bytes a second.`,
  });
}
