import type { Probe } from '#core/provider.ts';

/** Asks itself. */
export const probe = (): readonly Probe[] => [
  {
    endpoint: 'chat/completions',
    method: 'POST',
    model: 'echo',
    body: { messages: [{ role: 'user', content: 'ping' }] },
    proves: 'credential',
  },
];
