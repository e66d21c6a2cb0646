import type { Probe } from '#core/provider.ts';

/** Listing the models verifies the key and is free. */
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
