import type { Probe } from '#core/provider.ts';

const refused = 'check the key, and that the Generative Language API is enabled for its project';

/** The list of models proves the key and costs nothing. A wrong key is a 400 here. */
export const probe = (): readonly Probe[] => [
  { endpoint: 'models', method: 'GET', model: '', proves: 'credential', fixes: { 400: refused, 401: refused, 403: refused } },
];
