import type { Probe } from '#core/provider.ts';

/** The list of models proves the key and costs nothing. */
export const probe = (): readonly Probe[] => [
  {
    endpoint: 'models',
    method: 'GET',
    model: '',
    proves: 'credential',
    fixes: {
      401: 'check the key: it was revoked, or belongs to another service',
      403: 'the key may not list models: use a key of the right workspace',
    },
  },
];
