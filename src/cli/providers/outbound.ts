import { createOutbound, type Outbound } from '../../transport/outbound/index.ts';
import { TimerWheel } from '../../transport/wire/timer-wheel.ts';
import type { CliIo } from '../io.ts';
import { systemClock } from '../../core/async/system-clock.ts';

/** Connections of a command to providers, made as a gateway makes them. The caller closes them. */
export function commandOutbound({ env }: Pick<CliIo, 'env'>, egressAllow: () => readonly string[] = () => []): Outbound {
  return createOutbound({
    clock: systemClock,
    wheel: new TimerWheel(),
    random: Math.random,
    egressAllow,
    env,
    onTokenFault: () => {},
    onKeysFault: () => {},
  });
}
