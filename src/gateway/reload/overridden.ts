import type { Overridden } from '../../config/check/context.ts';
import type { GatewayOptions } from '../types.ts';

/** Settings of `server` that a flag overrides. */
export function overriddenBy({ listen, probeListen, admin, adminListen, stateDir, workers }: GatewayOptions): Overridden[] {
  const noAdmin = admin === true ? undefined : '';
  const flags = [
    ['listen', listen],
    ['probe_listen', probeListen],
    ['admin.listen', noAdmin ?? adminListen],
    ['admin.enabled', noAdmin],
    ['state_dir', stateDir],
    ['workers', workers],
  ] as const;
  return flags.flatMap(([key, value]) => (value === undefined ? [] : [key]));
}
