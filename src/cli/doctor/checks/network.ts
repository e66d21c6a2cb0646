import { originOf } from '../../../manage/providers/probe-request.ts';
import { catalogOf, unsigned } from '../../providers/catalog.ts';
import { type Check, ok, skip } from '../result.ts';
import type { Subject } from '../subject.ts';

/** Whether the hosts of the providers can be reached, and the clock of this machine compared with theirs. */
export const checkNetwork: Check = async (subject) => {
  if (subject.flags.offline === true) return [skip('providers and system time: not checked with --offline')];
  const origins = await providerOrigins(subject);
  if (typeof origins === 'string') return [skip(`providers and system time: ${origins}`)];
  if (origins.length === 0) return [ok('no provider needs the network'), skip('system time: no provider to compare it with')];
  const { commandOutbound } = await import('../../providers/outbound.ts');
  const outbound = commandOutbound(subject.io, () => subject.config?.loaded.tree?.server?.egress);
  try {
    const { checkReachable } = await import('../network/reach.ts');
    const hosts = await Promise.all(origins.map((origin) => checkReachable(origin, outbound, subject.io.env)));
    const { checkClock } = await import('../network/clock.ts');
    const reachableOrigins = hosts.filter(({ result }) => result.state === 'ok').map(({ origin }) => origin);
    return [...hosts.map(({ result }) => result), await checkClock(reachableOrigins, outbound, subject.machine)];
  } finally {
    await outbound.close();
  }
};

/** One address for each host of the providers in use; a text if they are not known. */
async function providerOrigins({ config, io, registry }: Subject): Promise<readonly URL[] | string> {
  if (config === undefined) return 'there is no configuration';
  const { source, loaded } = config;
  if (loaded.tree === undefined) return 'the configuration is not valid';
  const { entries } = await catalogOf({ source, loaded, tree: loaded.tree }, io, registry, unsigned);
  const urls = entries.filter(({ entry }) => entry.enabled !== false).flatMap((one) => originOf(one) ?? []);
  return [...new Map(urls.map((url) => [url.origin, url])).values()];
}
