import { createOutbound, type Outbound } from '../../transport/outbound/index.ts';
import { proxyOf } from '../../config/compile/server.ts';
import type { ServerEntry } from '../../config/schema/index.ts';
import { TimerWheel } from '../../transport/wire/timer-wheel.ts';
import type { CliIo } from '../io.ts';
import { systemClock } from '../../core/async/system-clock.ts';

/**
 * Connections of a command to providers, made as a gateway makes them. The caller closes them.
 *
 * @param egress `server.egress` of the configuration, once it is known
 */
export function commandOutbound({ env }: Pick<CliIo, 'env'>, egress: () => ServerEntry['egress']): Outbound {
  return createOutbound({
    clock: systemClock,
    wheel: new TimerWheel(),
    random: Math.random,
    egressAllow: () => egress()?.allow ?? [],
    egressProxy: () => proxyOf(egress()),
    env,
    onTokenFault: () => {},
    onKeysFault: () => {},
  });
}
