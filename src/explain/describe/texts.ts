import type { CircuitPolicy, Timeouts, Leaf, RetryPolicy } from '../../core/snapshot.ts';
import type { CachePolicy } from '../../core/target/cache-policy.ts';

/** Error statuses as ranges, such as `429, 500-599`. */
export function statusText(hits: (status: number) => boolean): string {
  const ranges: string[] = [];
  for (let from = 100; from < 600; from += 1) {
    if (!hits(from)) continue;
    let to = from;
    while (to + 1 < 600 && hits(to + 1)) to += 1;
    ranges.push(from === to ? String(from) : `${from}-${to}`);
    from = to;
  }
  const text = ranges.join(', ');
  return text === '' ? 'no status' : text === '100-199, 300-599' ? 'any status but 200-299' : text;
}

export const noNext = 'never: no target follows';

/** Outcomes on which the plan moves from a target to the next one. */
export function fallbackConditions(leaf: Leaf): string {
  for (let node: Leaf | NonNullable<Leaf['parent']> = leaf, above = leaf.parent; above !== undefined; node = above, above = above.parent) {
    const parent = above;
    if (parent.strategy === 'fallback' && node.index + 1 < parent.targets.length)
      return `${statusText((status) => parent.fallsBackOn(status))}, timeout, connection error`;
  }
  return noNext;
}

export function retryText({ attempts, retries, useRetryAfter }: RetryPolicy): string {
  if (attempts === 0) return 'none';
  const waits = Array.from({ length: attempts }, (_, at) => `${2 ** at} s`).join(' · ');
  return `${attempts} on ${statusText(retries)}, wait up to ${waits}${useRetryAfter ? ', honors retry-after' : ''}`;
}

export const cacheText = ({ maxAgeMs }: CachePolicy): string => `a stored response of the same request is used for ${duration(maxAgeMs)}`;

export function circuitText({ failures, share, minimum, cooldownMs, fails }: CircuitPolicy): string {
  const limits = [
    ...(failures === undefined ? [] : [`${failures} ${failures === 1 ? 'failure' : 'failures'} in a row`]),
    ...(share === undefined ? [] : [`${+(share * 100).toFixed(4)}% of at least ${minimum} attempts within a minute`]),
  ];
  return `left out for ${duration(cooldownMs)} after ${limits.join(', or after ')} (${statusText(fails)}, timeout, connection error)`;
}

/** Timeouts that are set, as durations. */
export function timeoutsOf(timeouts: Timeouts): Readonly<Record<string, string>> {
  const pairs = [
    ['connect', timeouts.connect],
    ['first_byte', timeouts.firstByte],
    ['idle', timeouts.idle],
    ['total', timeouts.total],
    ['request_timeout', timeouts.request],
  ] as const;
  return Object.fromEntries(pairs.flatMap(([name, ms]) => (ms === undefined ? [] : [[name, duration(ms)]])));
}

const duration = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`);
