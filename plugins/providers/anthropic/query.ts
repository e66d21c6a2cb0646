import type { Dropped } from '#core/provider.ts';

/** Parameters of a query that go nowhere. */
export function otherParams(query: string, taken: readonly string[]): readonly Dropped[] {
  const names = new Set([...new URLSearchParams(query).keys()].filter((name) => !taken.includes(name.toLowerCase())));
  return [...names].map((param) => ({ param, reason: 'this service has no such list parameter' }));
}
