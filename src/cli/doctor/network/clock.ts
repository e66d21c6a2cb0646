import { isLoopbackHost, unbracket } from '../../../core/http/listen-address.ts';
import { formatDuration } from '../../../core/text/units.ts';
import { fetchResponse } from '../../../transport/outbound/fetch-response.ts';
import type { Outbound } from '../../../transport/outbound/index.ts';
import type { WireRequest } from '../../../transport/wire/request.ts';
import { fail, ok, type CheckResult, skip, warn } from '../result.ts';
import type { Machine } from '../subject.ts';

const limits = { trust: 'operator', connectMs: 4000, totalMs: 4000, maxBytes: 1024 ** 3 } as const;
/** Hosts that are asked; the first response counts. */
const maxHosts = 5;
/** Differences in milliseconds: the gateway is not affected, tokens and signatures may be rejected. */
const bounds = { ok: 5000, warn: 240_000 } as const;

interface Difference {
  readonly host: string;
  /** Clock of this machine minus that of the host, in milliseconds. */
  readonly ms: number;
}

/** Compares the clock of this machine with the `date` of a provider's response to a HEAD request without a credential. */
export async function checkClock(origins: readonly URL[], outbound: Outbound, { now }: Pick<Machine, 'now'>): Promise<CheckResult> {
  if (origins.length === 0) return skip('system time: no provider is reachable to compare it with');
  // A host on this machine has the same clock.
  const remote = origins.filter(({ hostname }) => !isLoopbackHost(unbracket(hostname)));
  const requestedOrigins = (remote.length === 0 ? origins : remote).slice(0, maxHosts);
  try {
    return clockResult(await Promise.any(requestedOrigins.map((origin) => differenceFrom(origin, outbound, now))));
  } catch {
    return skip('system time: no provider sent a date to compare it with');
  }
}

/** @throws Error if the host sends no date */
async function differenceFrom(origin: URL, outbound: Outbound, now: () => number): Promise<Difference> {
  const request: WireRequest = { origin: origin.origin, path: '/', method: 'HEAD', headers: [], body: { kind: 'none' } };
  const before = now();
  const { headers } = await fetchResponse(outbound.upstream, request, limits);
  const middle = (before + now()) / 2;
  const date = Date.parse(headers['date'] ?? '');
  if (Number.isNaN(date)) throw new Error(`${origin.host} sent no date`);
  // A response from a cache has the date of its origin, which is `age` seconds ago. Dates are cut off to seconds.
  const age = Number(headers['age'] ?? 0);
  return { host: origin.host, ms: middle - (date + (Number.isFinite(age) ? age * 1000 : 0) + 500) };
}

export function clockResult({ host, ms }: Difference): CheckResult {
  const size = Math.abs(ms);
  if (size <= 1500) return ok(`system time within 1 s of ${host}`);
  const says = `system time ${formatDuration(size)} ${ms > 0 ? 'ahead of' : 'behind'} ${host}`;
  if (size <= bounds.ok) return ok(says);
  return (size <= bounds.warn ? warn : fail)(says, 'synchronize it with NTP: tokens and signed requests are rejected otherwise');
}
