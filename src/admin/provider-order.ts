import type { ProviderHealth } from './api-types.ts';

/** States of a provider, from those that need attention to those that need none. */
const healthStates: readonly ProviderHealth['state'][] = ['down', 'degraded', 'ok', 'idle', 'off'];

/** At most `limit` providers, in their order; if there are more, those with problems first, then those in use. */
export const mostRelevant = (providers: readonly ProviderHealth[], limit: number): readonly ProviderHealth[] =>
  providers.length <= limit
    ? providers
    : providers.toSorted((a, b) => healthStates.indexOf(a.state) - healthStates.indexOf(b.state)).slice(0, limit);
